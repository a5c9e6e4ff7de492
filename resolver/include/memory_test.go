package include_test

import (
	"context"
	"path"
	"strings"

	"example.org/compose/resolver/include"
)

// memory is Files in memory: a whole tree, in which the folders of roots are the root and the allowed roots. It counts
// what is read.
type memory struct {
	files map[string]string
	roots []string // "" is the whole tree
	reads map[string]int
}

func newMemory(files map[string]string, roots ...string) *memory {
	if len(roots) == 0 {
		roots = []string{"root"}
	}
	return &memory{files, roots, map[string]int{}}
}

func (m *memory) Name(place include.Place) string { return place.Source() }

func (m *memory) path(place include.Place) string { return path.Join(m.roots[place.Root], place.Path) }

func (m *memory) isFolder(name string) bool {
	for file := range m.files {
		if name == "." || strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

func (m *memory) Locate(ctx context.Context, base include.Place, target string) (include.Place, error) {
	missing := false
	at := "."
	if !strings.HasPrefix(target, "/") && base.Root < len(m.roots) {
		at = m.path(base)
	}
	outside := strings.HasPrefix(target, "/") || base.Root >= len(m.roots)
	for name := range strings.SplitSeq(target, "/") {
		_, isFile := m.files[at]
		missing = missing || isFile || at != "." && !isFile && !m.isFolder(at)
		if name == ".." && at == "." {
			outside = true
		}
		if at = path.Join(at, name); strings.HasPrefix(at, "..") {
			at = "."
		}
	}
	if _, isFile := m.files[at]; !isFile && !m.isFolder(at) {
		missing = true
	}
	for i, root := range m.roots {
		if rest, below := strings.CutPrefix(at+"/", root+"/"); below && !outside {
			if missing {
				return include.Place{}, include.NewFault(include.CodeNotFound, "is not there", nil)
			}
			return include.Place{Root: i, Path: path.Clean("./" + rest)}, nil
		}
	}
	return include.Place{}, include.NewFault(include.CodeEscape, "leads outside", nil)
}

func (m *memory) Read(ctx context.Context, place include.Place, limit int64) ([]byte, error) {
	name := m.path(place)
	text, found := m.files[name]
	if !found {
		return nil, include.NewFault(include.CodeIsADirectory, "is a folder", nil)
	}
	m.reads[name]++
	if int64(len(text)) > limit {
		return nil, include.ErrTooLarge
	}
	return []byte(text), nil
}
