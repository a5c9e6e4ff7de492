// Package catalogtest makes catalogs for tests: as values, as the files of a tree, and as a git repository
// in memory with a history, whose object ids are the same in every run.
//
// Start with Source, or with Repository and Commit where a test needs several revisions:
//
//	src := catalogtest.Source(t, catalogtest.Catalog{
//		Components: []catalogtest.Component{{
//			ID:        "artifact.app",
//			Materials: []catalogtest.Material{{Destination: "README.md", Ownership: "seed", Content: "# app\n"}},
//		}},
//		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
//	}.Files())
//
// Unless told otherwise, Files adds lifecycle.composition-state and lets every artifact require it. To make
// a broken catalog, change or delete entries of the Files before they are committed.
package catalogtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

// File is one entry of a tree.
type File struct {
	Content string // of a symlink its target; of a submodule 40 hexadecimal digits
	Mode    Mode   // "" means Regular
	Missing bool   // the object itself is left out, as in a partial clone
}

// Mode is the mode of a tree entry as git writes it.
type Mode string

// The modes of a File.
const (
	Regular    Mode = "100644"
	Executable Mode = "100755"
	Symlink    Mode = "120000"
	Submodule  Mode = "160000"

	folder Mode = "40000"
)

// Files is the whole tree of a revision, by "/"-separated path.
type Files map[string]File

// Set adds or replaces a regular file and returns f.
func (f Files) Set(path, content string) Files {
	f[path] = File{Content: content}
	return f
}

// Clone returns a copy that can be changed alone.
func (f Files) Clone() Files { return maps.Clone(f) }

// Repo is a git repository in memory.
type Repo struct {
	tb      testing.TB
	objects *memory.Storage
	head    lockv2.Revision // "" before the first commit
}

// Repository returns a repository without commits.
func Repository(tb testing.TB) *Repo {
	return &Repo{tb: tb, objects: memory.NewStorage()}
}

// Commit makes a revision with exactly these files, a child of the one before, and returns it.
func (r *Repo) Commit(files Files) lockv2.Revision {
	r.tb.Helper()
	text := fmt.Sprintf("tree %s\n", r.tree(files))
	if r.head != "" {
		text += fmt.Sprintf("parent %s\n", r.head)
	}
	const when = "a <a@example.org> 1767225600 +0000" // 2026-01-01
	text += fmt.Sprintf("author %s\ncommitter %[1]s\n\ncatalog\n", when)
	r.head = lockv2.Revision(r.store(plumbing.CommitObject, text).String())
	return r.head
}

// Lose takes the blob with this content away.
func (r *Repo) Lose(content string) {
	id := plumbing.ComputeHash(plumbing.BlobObject, []byte(content))
	delete(r.objects.Objects, id)
	delete(r.objects.Blobs, id)
}

// Open returns the repository for reading. Commits made later are in it too; its HEAD is the latest revision so far.
func (r *Repo) Open() *gitrepo.Repository { return gitrepo.InMemory(r.objects, r.head) }

// Source returns the repository bound to a revision.
func (r *Repo) Source(rev lockv2.Revision) *catalog.Source {
	r.tb.Helper()
	s, err := catalog.Bind(context.Background(), r.Open(), rev)
	if err != nil {
		r.tb.Fatal(err)
	}
	return s
}

// Source returns a source whose one revision has these files.
func Source(tb testing.TB, files Files) *catalog.Source {
	tb.Helper()
	r := Repository(tb)
	return r.Source(r.Commit(files))
}

// Load returns the catalog in these files, which must be a good one.
func Load(tb testing.TB, files Files) *catalog.Catalog {
	tb.Helper()
	c, err := catalog.Load(context.Background(), Source(tb, files))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// tree stores a folder and returns its id. Paths are relative to the folder.
func (r *Repo) tree(files Files) plumbing.Hash {
	r.tb.Helper()
	folders := map[string]Files{}
	var entries []entry
	for path, f := range files {
		if folder, rest, deeper := strings.Cut(path, "/"); deeper {
			if folders[folder] == nil {
				folders[folder] = Files{}
			}
			folders[folder][rest] = f
			continue
		}
		e := entry{name: path, mode: cmp.Or(f.Mode, Regular)}
		switch {
		case e.mode == Submodule:
			e.id = plumbing.NewHash(f.Content)
		case f.Missing:
			e.id = plumbing.ComputeHash(plumbing.BlobObject, []byte(f.Content))
		default:
			e.id = r.store(plumbing.BlobObject, f.Content)
		}
		entries = append(entries, e)
	}
	for name, below := range folders {
		entries = append(entries, entry{name, folder, r.tree(below)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	var text strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&text, "%s %s\x00%s", e.mode, e.name, e.id[:])
	}
	return r.store(plumbing.TreeObject, text.String())
}

// entry is one entry of a tree.
type entry struct {
	name string
	mode Mode
	id   plumbing.Hash
}

// sortKey orders entries as git does: a folder as if its name ended in a slash.
func (e entry) sortKey() string {
	if e.mode == folder {
		return e.name + "/"
	}
	return e.name
}

func (r *Repo) store(kind plumbing.ObjectType, content string) plumbing.Hash {
	r.tb.Helper()
	o := r.objects.NewEncodedObject()
	o.SetType(kind)
	w, err := o.Writer()
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err != nil {
		r.tb.Fatal(err)
	}
	id, err := r.objects.SetEncodedObject(o)
	if err != nil {
		r.tb.Fatal(err)
	}
	return id
}
