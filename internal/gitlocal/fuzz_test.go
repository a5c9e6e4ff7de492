package gitlocal_test

import (
	"context"
	"slices"
	"testing"

	"example.org/compose/internal/gitlocal"
	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

// What gitrepo takes as a tree is taken, with the same entries.
func FuzzTree(f *testing.F) {
	id := "01234567890123456789"
	for _, content := range []string{"", "100644 a\x00" + id, "40000 a\x00" + id + "160000 b\x00" + id + "120000 c\x00" + id, "100644 a\x00short", "9 a\x00" + id} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s := memory.NewStorage()
		o := &plumbing.MemoryObject{}
		o.SetType(plumbing.TreeObject)
		o.Write(content)
		id, err := s.SetEncodedObject(o)
		if err != nil {
			t.Fatal(err)
		}
		r := gitrepo.InMemory(s, "")
		defer r.Close()
		entries, err := r.ReadTree(context.Background(), id)
		files, folders, ok := gitlocal.TreeEntries(content)
		if err != nil {
			return
		}
		var wantFiles, wantFolders []gitrepo.ID
		for _, e := range entries {
			switch e.Mode {
			case gitrepo.Submodule:
			case gitrepo.Tree:
				wantFolders = append(wantFolders, e.ID)
			default:
				wantFiles = append(wantFiles, e.ID)
			}
		}
		if !ok || !slices.Equal(files, wantFiles) || !slices.Equal(folders, wantFolders) {
			t.Errorf("got %v %v %v, want %v %v", files, folders, ok, wantFiles, wantFolders)
		}
	})
}
