package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxAlternateDepth  = 5 // git's own bound of nesting
	maxAlternates      = 1000
	maxAlternatesBytes = 1 << 20
)

// folders is the store of a repository on disk: its object folder and, after it, the alternates.
type folders struct {
	paths []string
	bases baseCache

	memory    *budget   // of large delta chains
	unpackers sync.Pool // of *unpacker
	inflaters sync.Pool // of zlib readers, for loose objects: each is 40 KB

	mu     sync.RWMutex
	packs  []*pack // in the order of paths, then by name
	byPath map[string]*pack
	recent atomic.Pointer[pack] // the pack that held the last object: the next is mostly there too
}

// openFolders finds the object folders of a repository. No pack is opened yet.
func openFolders(l *location) (*folders, error) {
	f := &folders{
		memory: &budget{size: deltaBudgetBytes},
		byPath: map[string]*pack{},
	}
	seen := map[string]bool{}
	if err := f.addFolder(filepath.Join(l.common, "objects"), 0, seen); err != nil {
		return nil, faultOf(CodeInvalidSource, l.path, "its object folders can't be read", plainfile.Cause(err))
	}
	if err := f.listPacks(); err != nil {
		return nil, faultOf(CodeInvalidSource, l.path, "its packs can't be listed", plainfile.Cause(err))
	}
	return f, nil
}

// addFolder appends an object folder and its alternates, each once, in git's order: depth first.
// An alternate that is not there is passed over, as git does: what it held is then missing, by name.
func (f *folders) addFolder(path string, depth int, seen map[string]bool) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if depth == 0 {
			return err
		}
		return nil
	}
	if seen[real] {
		return nil
	}
	seen[real] = true
	if len(f.paths) > maxAlternates {
		return fmt.Errorf("more than %d alternates", maxAlternates)
	}
	f.paths = append(f.paths, path)
	text, err := plainfile.Read(filepath.Join(path, "info", "alternates"), maxAlternatesBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, target := range parseAlternates(string(text)) {
		if depth == maxAlternateDepth {
			return fmt.Errorf("alternates nest deeper than %d", maxAlternateDepth)
		}
		// git takes relative paths in the first file alone, but they mean the same thing in every one.
		if err := f.addFolder(below(path, target), depth+1, seen); err != nil {
			return err
		}
	}
	return nil
}

// parseAlternates returns the paths of an alternates file: one a line, "#" comments, C-quoted where a path
// starts with a quote.
func parseAlternates(text string) []string {
	var paths []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' || strings.ContainsRune(line, 0) {
			continue
		}
		if line[0] == '"' {
			if plain, err := strconv.Unquote(line); err == nil {
				line = plain
			}
		}
		paths = append(paths, line)
	}
	return paths
}

// listPacks adds packs that are not known yet: git gc may replace them at any time.
func (f *folders) listPacks() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range f.paths {
		names, err := os.ReadDir(filepath.Join(folder, "pack"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, entry := range names {
			base, ok := strings.CutSuffix(entry.Name(), ".idx")
			path := filepath.Join(folder, "pack", base)
			if !ok || !strings.HasPrefix(base, "pack-") || f.byPath[path] != nil {
				continue
			}
			p := &pack{path: path, folders: f}
			f.packs = append(f.packs, p)
			f.byPath[path] = p
		}
	}
	return nil
}

func (f *folders) known() []*pack {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.packs
}

// find looks in the packs, then among the loose objects, then again in packs that came meanwhile.
func (f *folders) find(id ID) (object, error) {
	packs := f.known()
	o, firstErr := f.findPacked(packs, id)
	if o != nil {
		return o, nil
	}
	for _, folder := range f.paths {
		o, err := openLoose(folder, id, &f.inflaters)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, errMissing) && firstErr == nil {
			firstErr = err
		}
	}
	if err := f.listPacks(); err != nil {
		return nil, err
	}
	o, err := f.findPacked(f.known()[len(packs):], id)
	if o != nil {
		return o, nil
	}
	if firstErr != nil {
		return nil, firstErr
	}
	if err != nil {
		return nil, err
	}
	return nil, errMissing
}

// findPacked returns the object from the first sound pack that holds it. A pack that can't be read is no reason
// not to look in the others; its error comes back where none has the object.
func (f *folders) findPacked(packs []*pack, id ID) (object, error) {
	var firstErr error
	recent := f.recent.Load()
	if recent != nil {
		o, err := recent.find(id)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, errMissing) {
			firstErr = err
		}
	}
	for _, p := range packs {
		if p == recent {
			continue
		}
		o, err := p.find(id)
		if err == nil {
			f.recent.Store(p)
			return o, nil
		}
		if !errors.Is(err, errMissing) && firstErr == nil {
			firstErr = err
		}
	}
	return nil, firstErr
}

// unpacker returns one that is free. It goes back into the pool.
func (f *folders) unpacker() *unpacker {
	if u, ok := f.unpackers.Get().(*unpacker); ok {
		return u
	}
	return &unpacker{}
}

// locate returns the pack that holds an object, and where; nil where none does that can be read.
func (f *folders) locate(id ID) (*pack, int64) {
	recent := f.recent.Load()
	if recent != nil {
		if offset, err := recent.offsetOf(id); err == nil {
			return recent, offset
		}
	}
	for _, p := range f.known() {
		if p == recent {
			continue
		}
		offset, err := p.offsetOf(id)
		if err != nil {
			continue
		}
		p.fileOnce.Do(p.openFile)
		if p.fileErr == nil {
			f.recent.Store(p)
			return p, offset
		}
	}
	return nil, 0
}

// load makes an object of up to 512 KiB in memory, and holds it against its id. It is valid until u is used again.
func (f *folders) load(u *unpacker, id ID) (kind plumbing.ObjectType, content []byte, ok bool) {
	if p, offset := f.locate(id); p != nil {
		kind, content, ok = u.object(p, offset)
	} else {
		kind, content, ok = u.loose(f.paths, id)
	}
	return kind, content, ok && u.hash.of(kind, content) == id
}

// stat returns the kind and the size of an object, by headers alone; false for one that no unpacker reads.
func (f *folders) stat(id ID) (kind plumbing.ObjectType, size int64, ok bool) {
	u := f.unpacker()
	defer f.unpackers.Put(u)
	if p, offset := f.locate(id); p != nil {
		return u.stat(p, offset)
	}
	return u.statLoose(f.paths, id)
}

func (f *folders) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, p := range f.packs {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}
