package skills

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"example.org/compose/internal/collation"
)

// Form says by which rule a recorded value covers a folder.
type Form string

// The forms: those of a computedHash, and what else can stand for a skill.
const (
	FormFolder      Form = "folder"      // path, content
	FormSnapshot    Form = "snapshot"    // path, NUL, content, NUL
	FormTree        Form = "tree"        // a sha256-tree-v2 of the pin file
	FormComposition Form = "composition" // the lock that compose keeps in the folder
)

// value is a computedHash.
type value [sha256.Size]byte

func (v value) String() string { return hex.EncodeToString(v[:]) }

// forms are the two values of files in one order.
type forms struct{ folder, snapshot value }

// form returns the form that gives want; "" for none.
func (f forms) form(want string) Form {
	switch want {
	case f.folder.String():
		return FormFolder
	case f.snapshot.String():
		return FormSnapshot
	}
	return ""
}

// sum hashes files in their order; contents writes the bytes of one.
func sum(ctx context.Context, files []file, contents func(f file, w io.Writer) error) (forms, error) {
	folder, snapshot := sha256.New(), sha256.New()
	both := io.MultiWriter(folder, snapshot)
	nul := []byte{0}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return forms{}, err
		}
		io.WriteString(both, f.path)
		snapshot.Write(nul)
		if err := contents(f, both); err != nil {
			return forms{}, err
		}
		snapshot.Write(nul)
	}
	return forms{total(folder), total(snapshot)}, nil
}

func total(h hash.Hash) value {
	var v value
	h.Sum(v[:0])
	return v
}

// order is files in one order.
type order struct {
	files     []file
	ties      [][2]int // where paths begin and end that the order tells not apart
	unsettled []string // paths with characters whose place depends on the version of the data
}

// collate puts files in the order of o.
func collate(o *collation.Order, files []file) order {
	type keyed struct {
		file
		key []byte
	}
	var sorted order
	list := make([]keyed, len(files))
	for i, f := range files {
		key, settled := o.Key(f.path)
		if !settled {
			sorted.unsettled = append(sorted.unsettled, f.path)
		}
		list[i] = keyed{f, key}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.path, b.path))
	})
	for i, k := range list {
		sorted.files = append(sorted.files, k.file)
		if i == 0 || !bytes.Equal(k.key, list[i-1].key) {
			continue
		}
		if n := len(sorted.ties) - 1; n >= 0 && sorted.ties[n][1] == i {
			sorted.ties[n][1]++
		} else {
			sorted.ties = append(sorted.ties, [2]int{i - 1, i + 1})
		}
	}
	return sorted
}

// arrangements yields files in every order that the ties leave open.
func (o order) arrangements(yield func([]file) bool) {
	files := slices.Clone(o.files)
	var next func(tie int) bool
	next = func(tie int) bool {
		if tie == len(o.ties) {
			return yield(slices.Clone(files))
		}
		part := files[o.ties[tie][0]:o.ties[tie][1]]
		return permute(part, 0, func() bool { return next(tie + 1) })
	}
	next(0)
}

// permute calls use with every order of list, which it puts back.
func permute(list []file, at int, use func() bool) bool {
	if at >= len(list)-1 {
		return use()
	}
	for i := at; i < len(list); i++ {
		list[at], list[i] = list[i], list[at]
		more := permute(list, at+1, use)
		list[at], list[i] = list[i], list[at]
		if !more {
			return false
		}
	}
	return true
}

// tied returns the paths that the order tells not apart, sorted.
func (o order) tied() []string {
	var paths []string
	for _, tie := range o.ties {
		for _, f := range o.files[tie[0]:tie[1]] {
			paths = append(paths, f.path)
		}
	}
	slices.Sort(paths)
	return paths
}

// same reports whether two orders have the same files at the same places.
func same(a, b []file) bool {
	return slices.EqualFunc(a, b, func(a, b file) bool { return a.real == b.real })
}

// mistaken are orders that other programs have used, and that no computedHash of the rule has.
func mistaken(files []file) map[string][]file {
	by := func(compare func(a, b string) int) []file {
		list := slices.Clone(files)
		slices.SortStableFunc(list, func(a, b file) int { return compare(a.path, b.path) })
		return list
	}
	return map[string][]file{
		"bytes":            by(strings.Compare),
		"UTF-16 units":     by(func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) }),
		"lower-case bytes": by(func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }),
	}
}
