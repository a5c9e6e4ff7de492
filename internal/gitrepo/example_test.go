package gitrepo_test

import (
	"context"
	"fmt"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

func Example() {
	store := memory.NewStorage()
	put := func(kind plumbing.ObjectType, content string) gitrepo.ID {
		o := &plumbing.MemoryObject{}
		o.SetType(kind)
		o.Write([]byte(content))
		id, _ := store.SetEncodedObject(o)
		return id
	}
	blob := put(plumbing.BlobObject, "hello\n")
	tree := put(plumbing.TreeObject, "100755 hello.sh\x00"+string(blob[:]))
	commit := put(plumbing.CommitObject, "tree "+tree.String()+"\nauthor A <a@example.org> 0 +0000\ncommitter A <a@example.org> 0 +0000\n\none\n")

	// A repository on disk comes from gitrepo.Open instead.
	repo := gitrepo.InMemory(store, lockv2.Revision(commit.String()))
	defer repo.Close()

	ctx := context.Background()
	head, _ := repo.Head()
	root, _ := repo.Commit(ctx, head)
	entries, _ := repo.ReadTree(ctx, root)
	for _, e := range entries {
		text, _ := repo.Blob(ctx, e.ID, 1<<20)
		fmt.Printf("%s, executable: %v, %q\n", e.Name, e.Mode == gitrepo.Executable, text)
	}
	// Output: hello.sh, executable: true, "hello\n"
}
