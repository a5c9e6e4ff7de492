package gitpack_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// git runs the real git in a folder, with nobody's configuration.
func git(t testing.TB, folder string, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := gitCommand(t, folder, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}

func gitCommand(t testing.TB, folder string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "GIT_CONFIG_NOSYSTEM=1", "GIT_TEST_FSYNC=0", "LC_ALL=C")
	return cmd
}

// history is a stream for git fast-import: commits that change one of 20 files each, of so many lines, with tags
// between.
func history(commits, lines int) []byte {
	words := strings.Fields("the of and a to in is you that it he was for on are as with his they I at be this have from")
	rng := rand.New(rand.NewSource(1))
	line := func() string {
		var b strings.Builder
		for range 8 {
			fmt.Fprintf(&b, "%s %d ", words[rng.Intn(len(words))], rng.Intn(10000))
		}
		return b.String()
	}
	var files [20][]string
	for f := range files {
		for range lines {
			files[f] = append(files[f], line())
		}
	}
	var b bytes.Buffer
	for c := range commits {
		f := rng.Intn(len(files))
		files[f][rng.Intn(lines)] = line()
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 7\nchange\n\n", c+1, 1_700_000_000+c)
		changed := []int{f}
		if c == 0 {
			changed = changed[:0]
			for f := range files {
				changed = append(changed, f)
			}
		}
		for _, f := range changed {
			text := strings.Join(files[f], "\n")
			fmt.Fprintf(&b, "M 100644 inline d%d/f%d\ndata %d\n%s\n", f%4, f, len(text), text)
		}
		if c%50 == 0 {
			fmt.Fprintf(&b, "tag v%d\nfrom :%d\ntagger C <c@example.org> %d +0000\ndata 3\ntag\n", c, c+1, 1_700_000_000+c)
		}
	}
	return b.Bytes()
}

// scratch is a folder that TestMain removes.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "gitpack-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(scratch)
	os.Exit(status)
}

var once sync.Once

// realRepository is a repository that git has built, the same one for all tests.
func realRepository(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(scratch, "repository")
	once.Do(func() {
		git(t, scratch, nil, "init", "-q", "--bare", folder)
		git(t, folder, history(120, 60), "fast-import", "--quiet")
		large := filepath.Join(scratch, "large")
		for i, size := range []int{0, 1, 15, 16, 2047, 2048, 700 << 10, 5 << 18} {
			if err := os.WriteFile(large, random(size), 0o600); err != nil {
				t.Fatal(err)
			}
			id := git(t, folder, nil, "hash-object", "-w", large)
			git(t, folder, nil, "update-ref", fmt.Sprintf("refs/blobs/%d", i), strings.TrimSpace(string(id)))
		}
		// Compresses well, and is a delta of another: past what is inflated at once.
		text := bytes.Repeat([]byte("hello, world\n"), 50_000)
		for i := range 3 {
			copy(text[i*1000:], random(500))
			id := git(t, folder, text, "hash-object", "-w", "--stdin")
			git(t, folder, nil, "update-ref", fmt.Sprintf("refs/blobs/text%d", i), strings.TrimSpace(string(id)))
		}
	})
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no git")
	}
	return folder
}

// Packs of every kind that git makes are taken; the index is byte by byte that of git index-pack, and gitrepo reads
// every object.
func TestReceiveAsGit(t *testing.T) {
	repo := realRepository(t)
	tests := []struct {
		name string
		args []string
	}{
		{"deltas by place", []string{"--delta-base-offset"}},
		{"deltas by id", nil},
		{"no deltas", []string{"--depth=0"}},
		{"deep deltas by place", []string{"--delta-base-offset", "--depth=4095", "--window=30"}},
		{"deep deltas by id", []string{"--depth=4095", "--window=30"}},
		{"without compression", []string{"--delta-base-offset", "--compression=0"}},
		{"best compression", []string{"--delta-base-offset", "--compression=9"}},
		{"commits alone", []string{"--delta-base-offset", "--filter=tree:0"}},
		{"no blobs", []string{"--delta-base-offset", "--filter=blob:none"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pack := git(t, repo, nil, append([]string{"pack-objects", "--quiet", "--all", "--stdout", "--no-reuse-delta", "--no-reuse-object"}, tt.args...)...)
			base := mustReceive(t, pack, gitpack.Limits{})
			if got := mustRead(t, base+".pack"); !bytes.Equal(got, pack) {
				t.Error("the pack has other bytes")
			}
			wantIndexOfGit(t, pack, mustRead(t, base+".idx"))
			if err := gitpack.CheckSums(context.Background(), base); err != nil {
				t.Error(err)
			}
			if err := gitpack.Check(context.Background(), base, gitpack.Limits{}); err != nil {
				t.Error(err)
			}
			wantReadable(t, base)
		})
	}
}

// wantIndexOfGit compares an index with git's own.
func wantIndexOfGit(t testing.TB, pack, index []byte, args ...string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "x.pack"), pack, 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, folder, nil, append([]string{"index-pack", "-o", "x.idx", "x.pack"}, args...)...)
	if !bytes.Equal(index, mustRead(t, filepath.Join(folder, "x.idx"))) {
		t.Error("the index is not that of git index-pack")
	}
}

// wantReadable has gitrepo read every object of a pack.
func wantReadable(t testing.TB, base string) {
	t.Helper()
	folder := t.TempDir()
	git(t, folder, nil, "init", "-q", "--bare", ".")
	for _, extension := range []string{".pack", ".idx"} {
		if err := os.Link(base+extension, filepath.Join(folder, "objects", "pack", filepath.Base(base)+extension)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := gitrepo.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ids := strings.Fields(string(git(t, folder, mustRead(t, base+".idx"), "show-index")))
	if len(ids) == 0 {
		t.Fatal("no objects")
	}
	for i := 1; i < len(ids); i += 3 {
		if _, _, err := r.ReadObject(context.Background(), plumbing.NewHash(ids[i]), 1<<30); err != nil {
			t.Error(err)
		}
	}
}

func TestReceiveThin(t *testing.T) {
	repo := realRepository(t)
	pack := git(t, repo, []byte("main\n^main~5\n"), "pack-objects", "--quiet", "--thin", "--revs", "--stdout", "--delta-base-offset")
	_, _, err := receive(t, pack, gitpack.Limits{})
	wantCode(t, err, gitpack.CodeResponseInvalid, "thin pack")
}

func TestReceiveEmpty(t *testing.T) {
	folder, result, err := receive(t, packOf(0, nil), gitpack.Limits{})
	if err != nil || result.Objects != 0 || result.Bytes != 32 {
		t.Error(result, err)
	}
	wantEmpty(t, folder)
}

// Offsets past a bound go to the table of large ones, as those past 2 GiB do.
func TestIndexOfLargeOffsets(t *testing.T) {
	repo := realRepository(t)
	pack := git(t, repo, nil, "pack-objects", "--quiet", "--all", "--stdout", "--delta-base-offset")
	for _, small := range []int64{0x1000, 0x10000, 1<<31 - 1} {
		index, err := gitpack.IndexOf(pack, small)
		if err != nil {
			t.Fatal(err)
		}
		wantIndexOfGit(t, pack, index, fmt.Sprintf("--index-version=2,%d", small))
	}
}
