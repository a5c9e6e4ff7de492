package gitrepo_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
)

// put stores an object and returns its id.
func put(t testing.TB, s *memory.Storage, kind plumbing.ObjectType, content string) plumbing.Hash {
	t.Helper()
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	o.Write([]byte(content))
	id, err := s.SetEncodedObject(o)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// inMemory is a repository of one revision with one file.
func inMemory(t testing.TB) (*gitrepo.Repository, lockv2.Revision) {
	s := memory.NewStorage()
	blob := put(t, s, plumbing.BlobObject, "hello\n")
	tree := put(t, s, plumbing.TreeObject, "100644 hello.txt\x00"+string(blob[:]))
	commit := put(t, s, plumbing.CommitObject, fmt.Sprintf(
		"tree %s\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\none\n", tree))
	return gitrepo.InMemory(s, lockv2.Revision(commit.String())), lockv2.Revision(commit.String())
}

func TestInMemory(t *testing.T) {
	ctx := context.Background()
	r, rev := inMemory(t)
	head, err := r.Head()
	if err != nil || head != rev || !r.Bare() {
		t.Fatal(head, err, r.Bare())
	}
	if got, want := list(t, r, string(rev)), "100644 hello.txt ce013625030ba8dba906f756967f9e9ca394464a 6\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if paths, err := r.Dirty(ctx, 0); paths != nil || err != nil {
		t.Error(paths, err)
	}
	_, err = r.Commit(ctx, lockv2.Revision(strings.Repeat("a", 40)))
	wantCode(t, err, gitrepo.CodeInvalidRevision)
	_, err = r.Blob(ctx, plumbing.NewHash("ce013625030ba8dba906f756967f9e9ca394464a"), 5)
	wantCode(t, err, gitrepo.CodeSourceTooLarge)
	_, err = gitrepo.InMemory(memory.NewStorage(), "").Head()
	wantCode(t, err, gitrepo.CodeInvalidRevision)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestManyReaders reads every object from many goroutines at once, loose and packed; run it with -race.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g := newGit(t)
	want := map[string]string{}
	for i := range 40 {
		g.write(fmt.Sprintf("f%d", i), strings.Repeat(fmt.Sprintf("line of %d\n", i%7), 200)+fmt.Sprint(i))
	}
	g.commit("many")
	g.run("gc", "-q")
	g.write("loose", "loose\n")
	g.commit("loose")
	for line := range strings.SplitSeq(strings.TrimSpace(g.lsTree("HEAD")), "\n") {
		fields := strings.Fields(line)
		want[fields[2]] = fields[3]
	}
	r := mustOpen(t, g.path)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for id, size := range want {
				blob, err := r.Blob(ctx, plumbing.NewHash(id), 1<<20)
				if err != nil || fmt.Sprint(len(blob)) != size {
					t.Errorf("%s: %d bytes, %v", id, len(blob), err)
				}
			}
		})
	}
	readers.Wait()
}
