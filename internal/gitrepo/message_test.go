package gitrepo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// object stores an object that git would not write, and returns its id.
func (g *gitRepo) putObject(kind plumbing.ObjectType, content string) string {
	g.t.Helper()
	id := plumbing.ComputeHash(kind, []byte(content)).String()
	g.putLoose(id, fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content))
	return id
}

// TestMessages holds whole messages: what is wrong, where, what next. Each thing is said once.
func TestMessages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, _ := sample(t)
	blob := g.run("rev-parse", "HEAD:a.txt")
	tree := g.run("rev-parse", "HEAD^{tree}")
	author := "author A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n"
	raw := strings.Repeat("\x01", 20)
	fsck := "git -C " + g.path + " fsck --full"
	const lists = "; git fsck lists what else is damaged: restore it from another clone"
	const anew = "; whoever wrote it has to write it anew, with git"

	commit := func(rev string) func(r *gitrepo.Repository) error {
		return func(r *gitrepo.Repository) error {
			_, err := r.Commit(ctx, lockv2.Revision(rev))
			return err
		}
	}
	readTree := func(id string) func(r *gitrepo.Repository) error {
		return func(r *gitrepo.Repository) error {
			_, err := r.ReadTree(ctx, plumbing.NewHash(id))
			return err
		}
	}
	readBlob := func(id string) func(r *gitrepo.Repository) error {
		return func(r *gitrepo.Repository) error {
			_, err := r.Blob(ctx, plumbing.NewHash(id), 1<<20)
			return err
		}
	}
	isAncestor := func(old string) func(r *gitrepo.Repository) error {
		return func(r *gitrepo.Repository) error {
			_, err := r.IsAncestor(ctx, lockv2.Revision(old), lockv2.Revision(g.run("rev-parse", "HEAD")))
			return err
		}
	}
	head := func(r *gitrepo.Repository) error {
		_, err := r.Head()
		return err
	}
	// other is an id whose loose file holds a blob with another id.
	other := strings.Repeat("cd", 20)
	g.putLoose(other, []byte("blob 3\x00abc"))
	swapped := g.putObject(plumbing.TreeObject, "100644 b\x00"+raw+"100644 a\x00"+raw)
	mode := g.putObject(plumbing.TreeObject, "1006 x\x00"+raw)
	name := g.putObject(plumbing.TreeObject, "100644 a/b\x00"+raw)
	cut := g.putObject(plumbing.TreeObject, "100644 a\x00"+raw[:5])
	noTree := g.putObject(plumbing.CommitObject, author)
	noAuthor := g.putObject(plumbing.CommitObject, "tree "+tree+"\n\nx")
	noParent := g.putObject(plumbing.CommitObject, "tree "+tree+"\nparent abc\n"+author)
	short := strings.Repeat("ab", 20)
	g.putLoose(short, []byte("blob 9\x00one\n"))
	long := strings.Repeat("ac", 20)
	g.putLoose(long, []byte("blob 2\x00one\n"))
	noZlib := strings.Repeat("ad", 20)
	g.putRaw(noZlib, []byte("hello"))
	folder := strings.Repeat("ae", 20)
	g.must(os.MkdirAll(g.file(filepath.Join(".git/objects/ae", folder[2:])), 0o755))
	missing := strings.Repeat("ba", 20)

	tests := []struct {
		name string
		read func(r *gitrepo.Repository) error
		want string // message, and hint after a line feed
	}{
		{"other bytes", readBlob(other), other + ": the stored object is damaged: its bytes are those of another id" + lists + "\n" + fsck},
		{"cut off", readBlob(short), short + ": the stored object is damaged: it ends too early" + lists + "\n" + fsck},
		{"too long", readBlob(long), long + ": the stored object is damaged: it has more bytes than its header says" + lists + "\n" + fsck},
		{"no zlib", readBlob(noZlib), noZlib + ": the stored object is damaged: zlib: invalid header" + lists + "\n" + fsck},
		{"missing", readBlob(missing), missing + ": the object is missing" + lists + "\n" + fsck},
		{"a folder", readBlob(folder), folder + ": the object can't be read from \"" + g.file(".git/objects/ae/"+folder[2:]) +
			"\"; make that a file that you may read: is a folder\n"},
		{"a tree out of order", readTree(swapped), swapped + `: is a malformed tree: its entry "a" is out of order or there twice` + anew + "\n"},
		{"a mode that is none", readTree(mode), mode + `: is a malformed tree: its entry "x" has the mode "1006"` + anew + "\n"},
		{"a name that is none", readTree(name), name + `: is a malformed tree: an entry has the name "a/b"` + anew + "\n"},
		{"a tree that ends too early", readTree(cut), cut + `: is a malformed tree: it ends inside an entry` + anew + "\n"},
		{"a commit without a tree", commit(noTree), noTree + ": is a malformed commit: it has no tree" + anew + "\n"},
		{"a commit without an author", commit(noAuthor), noAuthor + ": is a malformed commit: it has no author" + anew + "\n"},
		{"a commit with a bad parent", commit(noParent), noParent + ": is a malformed commit: a parent of it is no id" + anew + "\n"},
		{"a malformed old revision", isAncestor(noTree), noTree + ": is a malformed commit: it has no tree" + anew + "\n"},
		{"a blob for a revision", commit(blob), blob + ": is the id of a blob, not of a commit; name a commit\ngit -C " + g.path + " log --format=%H"},
		{"another kind, other bytes", commit(other), other + ": the stored object is damaged: its bytes are those of another id" + lists + "\n" + fsck},
		{"another kind, other bytes, as a tree", readTree(other), other + ": the stored object is damaged: its bytes are those of another id" + lists + "\n" + fsck},
		{"another kind, other bytes, as the old revision", isAncestor(other), other + ": the stored object is damaged: its bytes are those of another id" + lists + "\n" + fsck},
		{"a blob for a tree", readTree(blob), blob + ": is a blob, where a tree is wanted; what names it has to be written anew, see git fsck\n" + fsck},
		{"a tree for a blob", readBlob(tree), tree + ": is a tree, where a blob is wanted; what names it has to be written anew, see git fsck\n" + fsck},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.read(mustOpen(t, g.path))
			hint, _ := err.(interface{ Hint() string })
			if hint == nil || err.Error()+"\n"+hint.Hint() != tt.want {
				t.Errorf("got  %v\n%v\nwant %s", err, hint, tt.want)
			}
		})
	}

	g.must(os.Remove(g.file(".git/HEAD")))
	g.must(os.Mkdir(g.file(".git/HEAD"), 0o755))
	t.Run("HEAD is a folder", func(t *testing.T) {
		want := g.path + `: the ref "HEAD" can't be read; restore it, or name a revision: is a folder`
		if err := head(mustOpen(t, g.path)); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

// Damage in a pack names the pack.
func TestPackMessages(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, part := range []string{".pack", ".idx"} {
		g, _, _ := sample(t)
		id := g.run("rev-parse", "HEAD:a.txt")
		g.run("gc", "-q")
		names, err := filepath.Glob(g.file(".git/objects/pack/*" + part))
		g.must(err)
		g.must(os.Chmod(names[0], 0o644))
		g.must(os.WriteFile(names[0], []byte(strings.Repeat("hello", 1000)), 0o644))
		_, err = mustOpen(t, g.path).Blob(ctx, plumbing.NewHash(id), 1<<20)
		want := fmt.Sprintf("%s: the stored object is damaged: it is no pack%s of version 2, in %s; git fsck lists what else is damaged: restore it from another clone",
			id, map[string]string{".pack": "", ".idx": " index"}[part], filepath.Base(names[0]))
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
