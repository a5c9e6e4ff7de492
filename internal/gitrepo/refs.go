package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxRefs        = 1_000_000
	maxRefDepth    = 64 // of folders
	maxTagBytes    = 16 << 20
	maxTagsInARow  = 64
	maxRefNameByte = 4 << 10
)

// Ref is one ref as git's own servers list it.
type Ref struct {
	Name   string // HEAD, refs/heads/main
	ID     ID     // zero for a HEAD whose branch has no commit yet
	Peeled ID     // of an annotated tag, what it leads to in the end; else zero
	Target string // of a symbolic ref, the ref that it leads to in the end; else ""
}

// Refs returns HEAD and the refs whose names begin with one of prefixes (all, where none is given), by name; HEAD
// first. Refs that lead to no object that is here, or whose names git would not take, are left out: nothing can be had
// by them.
//
// READ_FAILED: a ref can't be read. SOURCE_TOO_LARGE: there are more than a million.
func (r *Repository) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	if r.disk == nil {
		if !r.head.Valid() || !hasPrefix("HEAD", prefixes) {
			return nil, nil
		}
		return []Ref{{Name: "HEAD", ID: plumbing.NewHash(string(r.head))}}, nil
	}
	l := &refLister{ctx: ctx, repo: r, prefixes: prefixes, texts: map[string]string{}}
	if err := l.list(); err != nil {
		return nil, l.fault(err)
	}
	var refs []Ref
	if hasPrefix("HEAD", prefixes) {
		head, err := l.head()
		if err != nil {
			return nil, err
		}
		if head.Name != "" {
			refs = append(refs, head)
		}
	}
	names := make([]string, 0, len(l.texts))
	for name := range l.texts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		ref, ok, err := l.ref(name)
		if err != nil {
			return nil, err
		}
		if ok {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

func hasPrefix(name string, prefixes []string) bool {
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// refLister gathers the texts of refs by name, loose ones before packed ones.
type refLister struct {
	ctx      context.Context
	repo     *Repository
	prefixes []string
	texts    map[string]string
	folders  int
}

func (l *refLister) fault(err error) error {
	var own *Error
	if errors.As(err, &own) || l.ctx.Err() != nil {
		return err
	}
	return faultOf(CodeReadFailed, l.repo.name(), "its refs can't be listed; restore what is damaged, or name a revision", plainfile.Cause(err))
}

func (l *refLister) list() error {
	disk := l.repo.disk
	// Of a linked worktree these few are its own.
	own := func(name string) bool {
		return strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/")
	}
	if err := l.loose(disk.common, "refs", 0, func(name string) bool { return disk.common == disk.git || !own(name) }); err != nil {
		return err
	}
	if disk.common != disk.git {
		if err := l.loose(disk.git, "refs", 0, own); err != nil {
			return err
		}
	}
	// After the loose ones: git removes those once they are in the file.
	return l.packed(filepath.Join(disk.common, "packed-refs"))
}

// leads reports whether names below folder may be asked for.
func (l *refLister) leads(folder string) bool {
	return hasPrefix(folder, l.prefixes) ||
		slices.ContainsFunc(l.prefixes, func(p string) bool { return strings.HasPrefix(p, folder) })
}

// loose adds the files below a folder of refs.
func (l *refLister) loose(top, folder string, depth int, wanted func(name string) bool) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if l.folders++; depth > maxRefDepth || l.folders > maxRefs {
		return errors.New("too many folders of refs")
	}
	entries, err := os.ReadDir(filepath.Join(top, filepath.FromSlash(folder)))
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		return nil // removed meanwhile
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := folder + "/" + entry.Name()
		isFolder := entry.IsDir()
		if entry.Type() == fs.ModeSymlink {
			info, err := os.Stat(filepath.Join(top, filepath.FromSlash(name)))
			isFolder = err == nil && info.IsDir()
		}
		switch {
		case isFolder && l.leads(name+"/"):
			if err := l.loose(top, name, depth+1, wanted); err != nil {
				return err
			}
		case !isFolder && hasPrefix(name, l.prefixes) && wanted(name) && listedRefName(name):
			text, err := l.repo.disk.readRef(name)
			if errors.Is(err, errNoRef) {
				continue // removed meanwhile
			}
			if err != nil {
				return fault(CodeReadFailed, l.repo.name(), "the ref "+strconv.Quote(name)+" can't be read; restore or remove it: "+plainfile.Cause(err).Error())
			}
			if err := l.add(name, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a ref that is not there yet.
func (l *refLister) add(name, text string) error {
	if _, known := l.texts[name]; known {
		return nil
	}
	if len(l.texts) == maxRefs {
		return fault(CodeSourceTooLarge, l.repo.name(), fmt.Sprintf("it has more than %d refs", maxRefs))
	}
	l.texts[name] = text
	return nil
}

// packed adds the lines "ID NAME". What they say of tags ("^ID") is not used: no hash proves it.
func (l *refLister) packed(path string) error {
	file, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxRefBytes)
	for n := 0; lines.Scan(); n++ {
		if n%1024 == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		id, name, ok := strings.Cut(lines.Text(), " ")
		if !ok || id == "#" || !hasPrefix(name, l.prefixes) || !listedRefName(name) {
			continue
		}
		if err := l.add(name, id); err != nil {
			return err
		}
	}
	return lines.Err()
}

// listedRefName reports whether git would list a ref of that name.
func listedRefName(name string) bool {
	return safeRefName(name) && !strings.HasSuffix(name, ".") && !strings.Contains(name, "@{") && len(name) <= maxRefNameByte &&
		strings.IndexFunc(name, func(c rune) bool { return c < ' ' }) < 0
}

// head returns HEAD; one without a name where it leads nowhere.
func (l *refLister) head() (Ref, error) {
	text, err := l.repo.disk.readRef("HEAD")
	if err != nil {
		return Ref{}, faultOf(CodeReadFailed, l.repo.name(), `the ref "HEAD" can't be read; restore it`, plainfile.Cause(err))
	}
	ref, found, err := l.resolve("HEAD", text)
	if err != nil || !found && ref.Target == "" {
		return Ref{}, err
	}
	return ref, nil
}

// ref returns a ref that was listed; false where it leads to no object.
func (l *refLister) ref(name string) (Ref, bool, error) { return l.resolve(name, l.texts[name]) }

// resolve follows a symbolic ref, looks its object up, and peels a tag.
func (l *refLister) resolve(name, text string) (Ref, bool, error) {
	ref := Ref{Name: name}
	for range maxSymbolicRefs + 1 {
		target, symbolic := strings.CutPrefix(text, symbolicRefPrefix)
		if !symbolic {
			return l.find(ref, text)
		}
		target = strings.TrimSpace(target)
		if !listedRefName(target) {
			return Ref{Name: name}, false, nil
		}
		ref.Target = target
		var err error
		if text, err = l.repo.disk.readRef(target); errors.Is(err, errNoRef) {
			return ref, false, nil
		} else if err != nil {
			return ref, false, faultOf(CodeReadFailed, l.repo.name(), "the ref "+strconv.Quote(target)+" can't be read; restore it", plainfile.Cause(err))
		}
	}
	return Ref{Name: name}, false, nil
}

func (l *refLister) find(ref Ref, text string) (Ref, bool, error) {
	hex, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ") // as in git, what follows a blank is no matter
	if !lowerHex([]byte(hex)) {
		return Ref{Name: ref.Name}, false, nil
	}
	id := plumbing.NewHash(hex)
	kind, found, err := l.repo.KindOf(l.ctx, id)
	if err != nil || !found {
		return Ref{Name: ref.Name}, false, err
	}
	ref.ID = id
	if kind == plumbing.TagObject {
		chain, err := l.repo.Peel(l.ctx, id)
		if err != nil {
			return Ref{}, false, err
		}
		ref.Peeled = chain[len(chain)-1]
	}
	return ref, true, nil
}

// Peel follows annotated tags from an object on and returns all ids on the way: its own first, then what it leads to.
// What the last one is need not be here.
//
// READ_FAILED: a tag is damaged or malformed, or tags lead to one another without end.
func (r *Repository) Peel(ctx context.Context, id ID) ([]ID, error) {
	chain := []ID{id}
	for {
		id := chain[len(chain)-1]
		kind, found, err := r.KindOf(ctx, id)
		if err != nil {
			return nil, err
		}
		if !found || kind != plumbing.TagObject {
			return chain, nil
		}
		if len(chain) > maxTagsInARow {
			return nil, fault(CodeReadFailed, chain[0].String(), fmt.Sprintf("more than %d tags name one another", maxTagsInARow))
		}
		content, err := r.read(ctx, id, plumbing.TagObject, maxTagBytes)
		if err != nil {
			return nil, err
		}
		line, _, _ := bytes.Cut(content, []byte("\n"))
		hex, ok := bytes.CutPrefix(line, []byte("object "))
		if !ok || !lowerHex(hex) {
			return nil, malformed(id, plumbing.TagObject, errors.New("it names no object"))
		}
		chain = append(chain, plumbing.NewHash(string(hex)))
	}
}
