package catalog

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/resolver/include"
)

// ComposeIncludeV1 is the one value of a material's compose.
const ComposeIncludeV1 = string(include.Materials)

// Included is a file that a composed material includes.
type Included struct {
	Path string // relative to the top of the catalog
	Blob gitrepo.ID
}

// Included returns the files that a composed material of c includes, at any depth, by path; the material's own source is not
// among them. Errors are those of OpenMaterial.
func (c *Catalog) Included(ctx context.Context, m *Material) ([]Included, error) {
	return included(ctx, c.trees, m)
}

func included(ctx context.Context, t *trees, m *Material) ([]Included, error) {
	files := componentFiles(t, m)
	composition, err := files.resolve(ctx, m)
	if err != nil {
		return nil, err
	}
	var list []Included
	for _, place := range composition.Files()[1:] {
		name := files.Name(place)
		entry, _, err := t.find(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, Included{name, entry.ID})
	}
	slices.SortFunc(list, func(a, b Included) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// openComposed expands a composed material.
func openComposed(ctx context.Context, t *trees, m *Material) (io.ReadCloser, error) {
	composition, err := componentFiles(t, m).resolve(ctx, m)
	if err != nil {
		return nil, err
	}
	text, err := composition.Open()
	if err != nil {
		return nil, includeFault(err)
	}
	return &composedReader{ctx, text}, nil
}

// composedReader reads an expansion until its context ends.
type composedReader struct {
	ctx  context.Context
	text io.Reader
}

func (r *composedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.text.Read(p)
}

func (r *composedReader) Close() error { return nil }

// includeFault is an error of package include as one of this package, about the file that has to be looked at.
func includeFault(err error) error {
	fault := (*include.Error)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	return &Error{Base: fault.Base, file: fault.Path(), chain: fault.Chain, line: fault.Line}
}

// includeFiles are the files that a component's composed materials may include: its own, which are the root, and those in
// partials/, which is allowed root 0.
type includeFiles struct {
	trees *trees
	roots [2]string
}

func componentFiles(t *trees, m *Material) *includeFiles {
	return &includeFiles{t, [2]string{strings.TrimSuffix(m.path, "/"+m.Source), partialsFolder}}
}

// resolve reads the material and all that it includes.
func (f *includeFiles) resolve(ctx context.Context, m *Material) (*include.Composition, error) {
	composition, err := include.Resolve(ctx, f, m.Source, include.Options{Profile: include.Materials})
	if err != nil {
		return nil, includeFault(err)
	}
	return composition, nil
}

// Name returns the path in the catalog.
func (f *includeFiles) Name(place include.Place) string {
	return path.Join(f.roots[place.Root], place.Path)
}

// Locate is that of include.Files. Nothing is followed: a symlink or submodule at the end or on the way is refused.
func (f *includeFiles) Locate(ctx context.Context, base include.Place, target string) (include.Place, error) {
	from := f.Name(base)
	at, err := f.walk(ctx, strings.Split(from+"/"+target, "/"))
	if err != nil {
		at = path.Join(from, target) // judged by its spelling
	}
	place, inside := f.placeOf(at)
	if !inside || strings.HasPrefix(target, "/") {
		return include.Place{}, include.NewFault(include.CodeEscape, `leads out of the component; what several components share belongs into "partials/"`, nil)
	}
	return place, err
}

// walk returns the path at which a list of names ends, each of them looked up where the ones before it lead.
func (f *includeFiles) walk(ctx context.Context, names []string) (string, error) {
	missing := include.NewFault(include.CodeNotFound, "is not in the revision; commit the file, or correct the path", nil)
	at := []gitrepo.Entry{{ID: f.trees.root, Mode: gitrepo.Tree}}
	for _, name := range names {
		top := at[len(at)-1]
		if top.Mode != gitrepo.Tree {
			return "", missing
		}
		switch name {
		case "", ".":
			continue
		case "..":
			if len(at) == 1 {
				return "", missing
			}
			at = at[:len(at)-1]
			continue
		}
		entries, err := f.trees.folder(ctx, top.ID)
		if err != nil {
			return "", unreadable(pathOf(at), err)
		}
		entry, found := entries.entry(name)
		if !found {
			return "", missing
		}
		if entry.Mode == gitrepo.Symlink || entry.Mode == gitrepo.Submodule {
			return "", include.NewFault(CodeInvalidSourceAuthority, "is or leads through "+kindOf(entry.Mode)+"; commit the file itself in its place", nil)
		}
		at = append(at, entry)
	}
	return pathOf(at), nil
}

func pathOf(entries []gitrepo.Entry) string {
	names := make([]string, 0, len(entries))
	for _, e := range entries[1:] {
		names = append(names, e.Name)
	}
	return strings.Join(names, "/")
}

// placeOf returns the place of a path in the catalog; false where a component can't include it.
func (f *includeFiles) placeOf(at string) (include.Place, bool) {
	for i, root := range f.roots {
		if at == root {
			return include.Place{Root: i, Path: "."}, true
		}
		if rest, below := strings.CutPrefix(at, root+"/"); below {
			return include.Place{Root: i, Path: rest}, true
		}
	}
	return include.Place{}, false
}

// Read is that of include.Files.
func (f *includeFiles) Read(ctx context.Context, place include.Place, limit int64) ([]byte, error) {
	name := f.Name(place)
	entry, problem, err := f.trees.find(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case problem != "":
		return nil, include.NewFault(include.CodeNotFound, problem, nil)
	case entry.Mode == gitrepo.Tree:
		return nil, include.NewFault(include.CodeIsADirectory, "is a folder; include a file", nil)
	}
	text, err := f.trees.repo.Blob(ctx, entry.ID, limit)
	if coded := diag.Coded(nil); errors.As(err, &coded) && coded.Code() == CodeSourceTooLarge {
		return nil, include.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	if IsLFSPointer(text) {
		return nil, include.NewFault(CodeSourceLFSPointer, "is a Git LFS pointer, not the file; commit the bytes themselves to the catalog", nil)
	}
	return text, nil
}
