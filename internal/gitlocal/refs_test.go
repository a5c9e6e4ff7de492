package gitlocal_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
)

// listed are refs in the form of git ls-remote --symref, which says nothing of an unborn HEAD.
func listed(refs []gitwire.Ref) string {
	var b strings.Builder
	for _, ref := range refs {
		if ref.Target != "" {
			fmt.Fprintf(&b, "ref: %s\t%s\n", ref.Target, ref.Name)
		}
		fmt.Fprintf(&b, "%s\t%s\n", ref.ID, ref.Name)
		if !ref.Peeled.IsZero() {
			fmt.Fprintf(&b, "%s\t%s^{}\n", ref.Peeled, ref.Name)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestRefsAsGit(t *testing.T) {
	r := sample(t)
	r.git("update-ref", "refs/other/deep/name", "main")
	r.git("update-ref", "refs/tree", "main:a")
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/side")
	r.git("symbolic-ref", "refs/remotes/origin/DANGLING", "refs/heads/nowhere")
	r.write(".git/refs/heads/missing", "0123456789012345678901234567890123456789\n")
	r.write(".git/refs/heads/junk", "junk\n")
	r.write(".git/refs/heads/empty", "")
	r.write(".git/refs/heads/bad name", r.git("rev-parse", "main")+"\n")
	r.write(".git/refs/heads/x.lock", r.git("rev-parse", "main")+"\n")
	r.write(".git/refs/heads/@{x", r.git("rev-parse", "main")+"\n")
	r.write(".git/refs/heads/blank", r.git("rev-parse", "main")+" and more\n")
	broken := regexp.MustCompile(`(?m)^[0-9a-f]{40}\trefs/heads/(missing|junk|empty|bad|bad name|@\{x)\n`)
	check := func(what string, remote gitwire.Remote) {
		t.Helper()
		refs, err := remote.Refs(context.Background())
		if err != nil {
			t.Fatal(what, err)
		}
		// git lists what is broken as well.
		want := broken.ReplaceAllString(r.git("ls-remote", "--symref", "."), "")
		if got := listed(refs); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
		}
	}
	check("loose", r.open())
	for _, name := range []string{"missing", "junk", "empty", "bad name", "x.lock", "@{x"} {
		if err := os.Remove(r.file(".git/refs/heads/" + name)); err != nil {
			t.Fatal(err)
		}
	}
	r.git("pack-refs", "--all")
	check("packed", r.open())
	r.git("branch", "-q", "-f", "side", "main")
	r.git("branch", "-q", "new", "main")
	r.git("branch", "-q", "-D", "blank")
	check("both", r.open())
	r.git("update-ref", "--no-deref", "HEAD", "main~1")
	check("detached", r.open())
	r.git("symbolic-ref", "HEAD", "refs/heads/main")

	// A linked worktree has its own HEAD.
	r.git("worktree", "add", "-q", "../tree", "new")
	tree := r.at(r.file("../tree"))
	refs, err := tree.open().Refs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := listed(refs), tree.git("ls-remote", "--symref", "."); got != want {
		t.Errorf("worktree: got\n%s\nwant\n%s", got, want)
	}
}

func TestRefsByPrefix(t *testing.T) {
	r := sample(t)
	for _, packed := range []bool{false, true} {
		if packed {
			r.git("pack-refs", "--all")
		}
		for _, tt := range []struct {
			prefixes []string
			want     string
		}{
			{nil, "HEAD refs/heads/main refs/heads/side refs/tags/blob refs/tags/light refs/tags/tree refs/tags/v1 refs/tags/v2"},
			{[]string{"HEAD"}, "HEAD"},
			{[]string{"refs/heads/"}, "refs/heads/main refs/heads/side"},
			{[]string{"refs/tags/v", "HEAD"}, "HEAD refs/tags/v1 refs/tags/v2"},
			{[]string{"refs/heads/main"}, "refs/heads/main"},
			{[]string{"refs/heads/main/"}, ""},
			{[]string{"refs/nothing/"}, ""},
			{[]string{""}, "HEAD refs/heads/main refs/heads/side refs/tags/blob refs/tags/light refs/tags/tree refs/tags/v1 refs/tags/v2"},
		} {
			refs, err := r.open().Refs(context.Background(), tt.prefixes...)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, ref := range refs {
				names = append(names, ref.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("%q: got %q, want %q", tt.prefixes, got, tt.want)
			}
		}
	}
}

func TestRefsUnborn(t *testing.T) {
	r := newRepository(t)
	refs, err := r.open().Refs(context.Background())
	if want := []gitwire.Ref{{Name: "HEAD", Target: "refs/heads/main"}}; err != nil || !slices.Equal(refs, want) {
		t.Errorf("got %+v, %v, want %+v", refs, err, want)
	}
	r.git("symbolic-ref", "HEAD", "refs/heads/one")
	r.git("symbolic-ref", "refs/heads/one", "refs/heads/two")
	r.git("symbolic-ref", "refs/heads/two", "refs/heads/one")
	if refs, err := r.open().Refs(context.Background()); err != nil || len(refs) != 0 {
		t.Errorf("a circle: got %+v, %v", refs, err)
	}
}

func TestRefsDamaged(t *testing.T) {
	r := sample(t)
	if err := os.Mkdir(r.file(".git/packed-refs"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := r.open().Refs(context.Background())
	wantCode(t, err, gitrepo.CodeReadFailed, "its refs can't be listed")
	if err := os.Remove(r.file(".git/packed-refs")); err != nil {
		t.Fatal(err)
	}
	r.write(".git/packed-refs", "# pack-refs with: peeled\n"+strings.Repeat("x", 1<<20))
	_, err = r.open().Refs(context.Background())
	wantCode(t, err, gitrepo.CodeReadFailed, "its refs can't be listed")
	if err := os.Remove(r.file(".git/packed-refs")); err != nil {
		t.Fatal(err)
	}
	r.write(".git/refs/heads/large", strings.Repeat("x", 1<<20))
	_, err = r.open().Refs(context.Background())
	wantCode(t, err, gitrepo.CodeReadFailed, `"refs/heads/large"`)
}

func TestAbility(t *testing.T) {
	able, err := sample(t).open().Can(context.Background())
	if err != nil || able != (gitwire.Ability{Filter: true, AnyObject: true}) {
		t.Error(able, err)
	}
}
