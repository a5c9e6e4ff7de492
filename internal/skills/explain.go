package skills

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"example.org/compose/internal/collation"
)

// Reason is one thing to know about a verdict.
type Reason struct {
	Reason  string   // one of the Reason constants
	Message string   // a sentence without a final period
	Paths   []string // the files that it is about, sorted; may be empty
	Locales []string // the locales whose order gives the value, sorted; may be empty
}

// What a Reason can be.
const (
	ReasonOtherLocale   = "other-locale"         // the value is that of another locale's order
	ReasonTiedNames     = "tied-names"           // names that no order tells apart: several values are right
	ReasonUnsettled     = "unsettled-characters" // names with characters whose order depends on the version of ICU
	ReasonUndecided     = "undecided"            // not every right order could be tried
	ReasonLineEndings   = "line-endings"         // the recorded bytes have other line ends, and nothing else differs
	ReasonSymlinks      = "symlinks"             // the recorded value covers what symlinks here stand for
	ReasonExcluded      = "excluded-files"       // the recorded value leaves out files that installers leave out
	ReasonLeftOut       = "left-out-files"       // the recorded value leaves out these, as it does symlinks of the source
	ReasonWrongOrder    = "wrong-order"          // the recorded value has an order that is no locale's
	ReasonInvalidRecord = "invalid-record"       // what is recorded is no value at all
	ReasonUnreadable    = "unreadable"           // the folder can't be read whole
	ReasonUnexplained   = "different-files"      // other files or bytes than those recorded
	ReasonNoTreeDigest  = "no-tree-digest"       // the folder has no sha256-tree-v2, and why
	ReasonNotInLock     = "not-in-lock"          // installed, and no record names it
	ReasonNotInstalled  = "not-installed"        // recorded, and there is no such folder
	ReasonPinMismatch   = "pin-mismatch"         // the pin file has another value
	ReasonComposed      = "composed"             // compose made the folder: its own lock verifies it
	ReasonComposedOther = "composed-invalid"     // compose made the folder, which differs from its own lock
)

// maxHashed bounds the bytes that are hashed to find the record's order or to explain a difference.
const maxHashed = 1 << 30

// search looks for what a recorded value covers.
type search struct {
	ctx    context.Context
	want   string
	held   map[string][]byte // contents by file.real
	hashed int64
	spent  bool // past maxHashed
}

// try hashes files in their order, with edit applied to contents, and returns the form that gives the value.
func (s *search) try(files []file, edit func([]byte) []byte) (Form, error) {
	for _, f := range files {
		s.hashed += 2*int64(len(f.path)+len(s.held[f.real])) + 256
	}
	if s.hashed > maxHashed {
		s.spent = true
		return "", nil
	}
	got, err := sum(s.ctx, files, func(f file, w io.Writer) error {
		b := s.held[f.real]
		if edit != nil {
			b = edit(b)
		}
		_, err := w.Write(b)
		return err
	})
	return got.form(s.want), err
}

// arrangement tries every order that o leaves open.
func (s *search) arrangement(o order, edit func([]byte) []byte) (found Form, err error) {
	o.arrangements(func(files []file) bool {
		found, err = s.try(files, edit)
		return found == "" && err == nil && !s.spent
	})
	return found, err
}

// localeOrder is an order and all locales that have it.
type localeOrder struct {
	order
	locales []string
}

// localeOrders returns the orders of files other than root's, each once. An order that is one of the mistaken ones only
// because its locale puts upper case first is left out: that a program went by bytes is the likelier story, and a guess is
// no match.
func localeOrders(files []file, root order) ([]localeOrder, error) {
	names, err := collation.Locales()
	if err != nil {
		return nil, err
	}
	wrong := slices.Collect(maps.Values(mistaken(files)))
	isWrong := func(o order) bool {
		return slices.ContainsFunc(wrong, func(files []file) bool { return same(files, o.files) })
	}
	var list []localeOrder
	for _, name := range names {
		o, err := collation.Locale(name)
		if err != nil {
			return nil, err
		}
		sorted := collate(o, files)
		if same(sorted.files, root.files) || o.UpperFirst() && isWrong(sorted) && !isWrong(collate(o.LowerFirst(), files)) {
			continue
		}
		if i := slices.IndexFunc(list, func(l localeOrder) bool { return same(l.files, sorted.files) }); i >= 0 {
			list[i].locales = append(list[i].locales, name)
			continue
		}
		list = append(list, localeOrder{sorted, []string{name}})
	}
	return list, nil
}

// variant is what a record may cover instead of what is there.
type variant struct {
	files  []file
	edit   func([]byte) []byte
	reason []Reason
}

// lineEnds are the ways in which line ends change between machines.
var lineEnds = []struct {
	what string
	edit func([]byte) []byte
}{
	{"CRLF here, LF in the record", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }},
	{"LF here, CRLF in the record", func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}},
	{"CR here, LF in the record", func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}},
}

// text applies an edit to texts alone, told from other files as git does it: no NUL near the beginning.
func text(edit func([]byte) []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		if bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 {
			return b
		}
		return edit(b)
	}
}

// omissions are the files that installers leave out when they copy a skill.
var omissions = []struct {
	what string
	is   func(name string) bool
}{
	{"metadata.json", func(name string) bool { return name == "metadata.json" }},
	{"README.md", func(name string) bool { return name == "README.md" }},
	{"names that begin with a dot", func(name string) bool { return strings.HasPrefix(name, ".") }},
	{"names that begin with _", func(name string) bool { return strings.HasPrefix(name, "_") }},
}

// variants yields what the record may cover, the likeliest first.
func variants(files, linked []file, held map[string][]byte) []variant {
	sets := []variant{{files: files}}
	if len(linked) > 0 {
		sets = append(sets, variant{files: slices.Concat(files, linked), reason: []Reason{{
			Reason: ReasonSymlinks, Paths: paths(linked),
			Message: "the recorded value covers what symlinks here stand for; the rule leaves symlinks out"}}})
	}
	for chosen := 1; chosen < 1<<len(omissions); chosen++ {
		var names []string
		var left []file
		kept := slices.DeleteFunc(slices.Clone(files), func(f file) bool {
			out := false
			for i, o := range omissions {
				out = out || chosen&(1<<i) != 0 && slices.ContainsFunc(strings.Split(f.path, "/"), o.is)
			}
			if out {
				left = append(left, f)
			}
			return out
		})
		for i, o := range omissions {
			if chosen&(1<<i) != 0 {
				names = append(names, o.what)
			}
		}
		if len(left) == 0 || slices.ContainsFunc(sets, func(v variant) bool { return same(v.files, kept) }) {
			continue
		}
		sets = append(sets, variant{files: kept, reason: []Reason{{Reason: ReasonExcluded, Paths: paths(left),
			Message: "the recorded value leaves out files that installers leave out (" + strings.Join(names, ", ") + "), and they are here"}}})
	}
	list := slices.Clone(sets)
	for _, ends := range lineEnds {
		edit := text(ends.edit)
		var changed []file
		for _, f := range slices.Concat(files, linked) {
			if b := held[f.real]; !bytes.Equal(edit(b), b) {
				changed = append(changed, f)
			}
		}
		if len(changed) == 0 {
			continue
		}
		for _, set := range sets {
			only := "the line ends alone differ: " + ends.what
			if set.reason != nil {
				only = "the line ends differ: " + ends.what
			}
			list = append(list, variant{files: set.files, edit: edit,
				reason: append(slices.Clone(set.reason), Reason{Reason: ReasonLineEndings, Paths: paths(changed), Message: only})})
		}
	}
	return list
}

// explain says why the recorded value is not that of the files, as far as that can be told. root and others are their
// orders.
func (s *search) explain(by *collation.Order, root order, others []localeOrder, linked []file) ([]Reason, error) {
	wrong := mistaken(root.files)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if form, err := s.try(wrong[name], nil); err != nil || form != "" {
			return []Reason{{Reason: ReasonWrongOrder,
				Message: fmt.Sprintf("the files are those recorded, but the value (%s form) has them in the order of %s, which is no locale's; have its writer follow the rule", form, name)}}, err
		}
	}
	for _, v := range variants(root.files, linked, s.held) {
		orders := []order{root}
		if !same(v.files, root.files) {
			orders[0] = collate(by, v.files)
		} else {
			for _, o := range others {
				orders = append(orders, o.order)
			}
		}
		for _, o := range orders {
			if form, err := s.arrangement(o, v.edit); err != nil || form != "" {
				return v.reason, err
			}
		}
	}
	for _, out := range s.leftOut(root.files) {
		kept := slices.DeleteFunc(slices.Clone(root.files), func(f file) bool {
			return slices.ContainsFunc(out, func(o file) bool { return o.real == f.real })
		})
		if form, err := s.try(kept, nil); err != nil || form != "" {
			return []Reason{{Reason: ReasonLeftOut, Paths: paths(out),
				Message: "the recorded value covers every file but these: the source has symlinks in their place, which the rule leaves out and installers copy, or they were added later"}}, err
		}
		if s.spent {
			break
		}
	}
	reasons := []Reason{{Reason: ReasonUnexplained,
		Message: "the folder has other files or other bytes than those recorded; installers also leave out files (metadata.json, README.md) that the value covers, which can't be told from here"}}
	if s.spent {
		reasons = append(reasons, Reason{Reason: ReasonUndecided, Message: "not every way in which it may differ was tried: the folder is too large"})
	}
	return reasons, nil
}

// maxTwins bounds the files that are left out in every combination.
const maxTwins = 8

// leftOut yields sets of files that a record may leave out: each file, each folder, and each combination of files that
// have the bytes of another, as a copied symlink has.
func (s *search) leftOut(files []file) [][]file {
	var sets [][]file
	seen := map[string]bool{".": true}
	if len(files) < 2 {
		return nil // a record of nothing explains nothing
	}
	for _, f := range files {
		sets = append(sets, []file{f})
	}
	for _, f := range files {
		for dir := path.Dir(f.path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			sets = append(sets, slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !strings.HasPrefix(f.path, dir+"/") }))
		}
		if len(seen) > 1000 {
			break
		}
	}
	byContent := map[string]int{}
	for _, f := range files {
		byContent[string(s.held[f.real])]++
	}
	twins := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return byContent[string(s.held[f.real])] == 1 })
	if len(twins) > maxTwins {
		return sets
	}
	for chosen := 1; chosen < 1<<len(twins); chosen++ {
		var set []file
		for i, f := range twins {
			if chosen&(1<<i) != 0 {
				set = append(set, f)
			}
		}
		if len(set) > 1 {
			sets = append(sets, set)
		}
	}
	return sets
}

// paths returns the paths of files, sorted, each once.
func paths(files []file) []string {
	var list []string
	for _, f := range files {
		list = append(list, path.Clean(f.path))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
