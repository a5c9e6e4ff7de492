package gitrepo_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name  string
		build func(g *gitRepo) string
		says  string // part of the message, which must help
	}{
		{"nothing there", func(g *gitRepo) string { return g.file("nowhere") }, "no such folder"},
		{"a file", func(g *gitRepo) string { g.write("f", ""); return g.file("f") }, "is a file"},
		{"no repository", func(g *gitRepo) string { return filepath.Dir(g.path) }, "no git repository"},
		{"a folder inside", func(g *gitRepo) string { g.write("sub/f", ""); return g.file("sub") }, "name its top folder, "},
		{"a .git file to nowhere", func(g *gitRepo) string {
			g.must(os.RemoveAll(g.file(".git")))
			g.write(".git", "gitdir: ../gone\n")
			return g.path
		}, "gone"},
		{"a .git file of another form", func(g *gitRepo) string {
			g.must(os.RemoveAll(g.file(".git")))
			g.write(".git", "hello\n")
			return g.path
		}, "gitdir: FOLDER"},
		{"a .git FIFO", func(g *gitRepo) string {
			g.must(os.RemoveAll(g.file(".git")))
			g.must(exec.Command("mkfifo", g.file(".git")).Run())
			return g.path
		}, "not a regular file"},
		{"a .git folder without HEAD", func(g *gitRepo) string { g.must(os.Remove(g.file(".git/HEAD"))); return g.path }, "no git repository"},
		{"reftable", func(g *gitRepo) string {
			g.run("config", "core.repositoryformatversion", "1")
			g.run("config", "extensions.refStorage", "reftable")
			return g.path
		}, `"reftable"`},
		{"an unknown extension", func(g *gitRepo) string {
			g.run("config", "core.repositoryformatversion", "1")
			g.run("config", "extensions.novelty", "true")
			return g.path
		}, `"novelty"`},
		{"an unknown version", func(g *gitRepo) string { g.run("config", "core.repositoryformatversion", "7"); return g.path }, `"7"`},
		{"a configuration that git refuses", func(g *gitRepo) string { g.write(".git/config", "[core\n"); return g.path }, "line "},
		{"alternates nested too deep", func(g *gitRepo) string {
			for i := range 8 {
				g.must(os.MkdirAll(g.file(fmt.Sprintf(".git/alt%d/info", i)), 0o755))
				g.write(fmt.Sprintf(".git/alt%d/info/alternates", i), fmt.Sprintf("../alt%d\n", i+1))
			}
			g.write(".git/objects/info/alternates", "../alt0\n")
			return g.path
		}, "deeper than 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := gitrepo.Open(tt.build(newGit(t)))
			if err == nil {
				r.Close()
			}
			if text := wantCode(t, err, gitrepo.CodeInvalidSource); !strings.Contains(text, tt.says) {
				t.Errorf("the message lacks %q: %s", tt.says, text)
			}
		})
	}
	t.Run("SHA-256 object ids", func(t *testing.T) {
		_, err := gitrepo.Open(newGit(t, "--object-format=sha256").path)
		if text := wantCode(t, err, gitrepo.CodeInvalidSource); !strings.Contains(text, `"sha256"`) {
			t.Error(text)
		}
	})
	t.Run("version 0 ignores extensions", func(t *testing.T) {
		g := newGit(t)
		g.run("config", "extensions.novelty", "true")
		mustOpen(t, g.path)
	})
}

func TestHeadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, head, code string
	}{
		{"an unborn branch", "ref: refs/heads/none\n", gitrepo.CodeInvalidRevision},
		{"no id", "hello\n", gitrepo.CodeReadFailed},
		{"empty", "", gitrepo.CodeReadFailed},
		{"a name outside refs", "ref: ../../etc/passwd\n", gitrepo.CodeReadFailed},
		{"a name that climbs", "ref: refs/heads/../../config\n", gitrepo.CodeReadFailed},
		{"itself", "ref: refs/heads/loop\n", gitrepo.CodeReadFailed},
		{"an id of zeros", strings.Repeat("0", 40) + "\n", gitrepo.CodeReadFailed},
	}
	g, _, _ := sample(t)
	g.write(".git/refs/heads/loop", "ref: refs/heads/loop\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g.write(".git/HEAD", tt.head)
			_, err := mustOpen(t, g.path).Head()
			wantCode(t, err, tt.code)
		})
	}
}

func TestCommitRefuses(t *testing.T) {
	t.Parallel()
	g, _, r2 := sample(t)
	g.run("tag", "-a", "-m", "tag", "v1")
	r := mustOpen(t, g.path)
	tests := []struct{ name, rev, says string }{
		{"a branch", "main", "40 lower-case"},
		{"empty", "", "40 lower-case"},
		{"short", r2[:10], "40 lower-case"},
		{"upper case", strings.ToUpper(r2), "40 lower-case"},
		{"zero", strings.Repeat("0", 40), "not all zero"},
		{"64 digits", strings.Repeat("a", 64), "40 lower-case"},
		{"not there", strings.Repeat("a", 40), "no such commit"},
		{"a tree", g.run("rev-parse", "HEAD^{tree}"), "a tree"},
		{"a blob", g.run("rev-parse", "HEAD:a.txt"), "a blob"},
		{"an annotated tag", g.run("rev-parse", "v1"), "annotated tag"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Commit(context.Background(), lockv2.Revision(tt.rev))
			if text := wantCode(t, err, gitrepo.CodeInvalidRevision); !strings.Contains(text, tt.says) {
				t.Errorf("the message lacks %q: %s", tt.says, text)
			}
		})
	}
}

// hint runs the command that an error offers.
func (g *gitRepo) hint(err error) {
	g.t.Helper()
	hint, ok := err.(interface{ Hint() string })
	if !ok || !strings.HasPrefix(hint.Hint(), "git -C ") {
		g.t.Fatalf("no hint: %v", err)
	}
	cmd := exec.Command("sh", "-c", hint.Hint())
	cmd.Env = g.env
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("%s: %v\n%s", hint.Hint(), err, out)
	}
}

func TestHintsWork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("shallow clone", func(t *testing.T) {
		g, r1, _ := sample(t)
		g.run("clone", "-q", "--depth=1", "file://"+g.path, "../a shallow clone")
		shallow := g.at("a shallow clone")
		_, err := mustOpen(t, shallow.path).Commit(ctx, lockv2.Revision(r1))
		if text := wantCode(t, err, gitrepo.CodeInvalidRevision); !strings.Contains(text, "shallow") {
			t.Error(text)
		}
		g.hint(err)
		list(t, mustOpen(t, shallow.path), r1)
	})
	t.Run("partial clone", func(t *testing.T) {
		g, r1, r2 := sample(t)
		g.run("config", "uploadpack.allowFilter", "true")
		g.run("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+g.path, "../partial")
		partial := g.at("partial")
		r := mustOpen(t, partial.path)
		if _, err := r.Commit(ctx, lockv2.Revision(r2)); err != nil {
			t.Fatal(err)
		}
		id := g.run("rev-parse", "HEAD:a.txt")
		_, err := r.Blob(ctx, plumbing.NewHash(id), 1<<20)
		if text := wantCode(t, err, gitrepo.CodeReadFailed); !strings.Contains(text, id) || !strings.Contains(text, "partial clone") {
			t.Error(text)
		}
		g.hint(err)
		// The same repository sees packs that came after it was opened.
		if got := list(t, r, r1); got != g.lsTree(r1) {
			t.Error(got)
		}
	})
	t.Run("annotated tag", func(t *testing.T) {
		g, _, _ := sample(t)
		g.run("tag", "-a", "-m", "tag", "v1")
		_, err := mustOpen(t, g.path).Commit(ctx, lockv2.Revision(g.run("rev-parse", "v1")))
		wantCode(t, err, gitrepo.CodeInvalidRevision)
		g.hint(err)
	})
}

// putLoose stores bytes as the loose object of an id.
func (g *gitRepo) putLoose(id string, content []byte) {
	g.t.Helper()
	var buf bytes.Buffer
	z := zlib.NewWriter(&buf)
	z.Write(content)
	z.Close()
	g.putRaw(id, buf.Bytes())
}

func (g *gitRepo) putRaw(id string, stored []byte) {
	g.t.Helper()
	name := filepath.Join(".git/objects", id[:2], id[2:])
	os.Remove(g.file(name))
	g.write(name, string(stored))
}

func TestDamagedObjects(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, _ := sample(t)
	g.write("big", strings.Repeat("0123456789abcdef", 1<<16))
	g.commit("big")
	id := g.run("rev-parse", "HEAD:a.txt")
	whole, err := os.ReadFile(g.file(filepath.Join(".git/objects", id[:2], id[2:])))
	g.must(err)
	tests := []struct {
		name   string
		stored func()
	}{
		{"other bytes", func() { g.putLoose(id, []byte("blob 4\x00evil")) }},
		{"too few bytes", func() { g.putLoose(id, []byte("blob 9\x00one\n")) }},
		{"too many bytes", func() { g.putLoose(id, []byte("blob 9\x00one more\nx")) }},
		{"a size that is a lie", func() { g.putLoose(id, []byte("blob 99999999\x00one more\n")) }},
		{"a negative size", func() { g.putLoose(id, []byte("blob -1\x00one more\n")) }},
		{"a type that is none", func() { g.putLoose(id, []byte("blub 9\x00one more\n")) }},
		{"a header without end", func() { g.putLoose(id, bytes.Repeat([]byte("blob "), 1<<20)) }},
		{"no zlib", func() { g.putRaw(id, []byte("hello")) }},
		{"empty", func() { g.putRaw(id, nil) }},
		{"cut off", func() { g.putRaw(id, whole[:len(whole)-5]) }},
		{"a checksum that does not fit", func() { g.putRaw(id, append(whole[:len(whole)-1:len(whole)-1], whole[len(whole)-1]^1)) }},
		{"a folder", func() {
			os.Remove(g.file(filepath.Join(".git/objects", id[:2], id[2:])))
			g.must(os.Mkdir(g.file(filepath.Join(".git/objects", id[:2], id[2:])), 0o755))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.stored()
			r := mustOpen(t, g.path)
			blob, err := r.Blob(ctx, plumbing.NewHash(id), 1<<30)
			if text := wantCode(t, err, gitrepo.CodeReadFailed); !strings.Contains(text, id) {
				t.Errorf("%q does not name the object", text)
			}
			if blob != nil {
				t.Errorf("got %q", blob)
			}
			stream, err := r.OpenBlob(ctx, plumbing.NewHash(id), 1<<30)
			if err == nil {
				_, err = io.ReadAll(stream)
				stream.Close()
			}
			wantCode(t, err, gitrepo.CodeReadFailed)
		})
	}
}

func TestDamagedPack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, r2 := sample(t)
	g.run("gc", "-q", "--aggressive")
	packs, err := filepath.Glob(g.file(".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	g.must(os.Chmod(packs[0], 0o644))
	whole, err := os.ReadFile(packs[0])
	g.must(err)
	var ids []string
	for line := range strings.SplitSeq(g.lsTree(r2), "\n") {
		if fields := strings.Fields(line); len(fields) == 4 {
			ids = append(ids, fields[2])
		}
	}
	// Whatever byte of the pack is wrong: the right bytes or an error that names the object.
	for at := range whole {
		if !*full && at%11 != 0 {
			continue
		}
		broken := bytes.Clone(whole)
		broken[at] ^= 0x11
		g.must(os.WriteFile(packs[0], broken, 0o644))
		r := mustOpen(t, g.path)
		for _, id := range ids {
			blob, err := r.Blob(ctx, plumbing.NewHash(id), 1<<20)
			if err == nil && plumbing.ComputeHash(plumbing.BlobObject, blob).String() != id {
				t.Fatalf("byte %d: wrong bytes for %s", at, id)
			}
			if err != nil && !strings.Contains(err.Error(), id) {
				t.Fatalf("byte %d: %v does not name %s", at, err, id)
			}
		}
		r.Close()
	}
	g.must(os.WriteFile(packs[0], whole[:len(whole)/4], 0o644))
	r := mustOpen(t, g.path)
	failed := 0
	for _, id := range ids {
		if _, err := r.Blob(ctx, plumbing.NewHash(id), 1<<20); err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("a quarter of a pack gave all objects")
	}
}

func TestDamagedIndexOfPack(t *testing.T) {
	t.Parallel()
	g, _, r2 := sample(t)
	g.run("gc", "-q")
	names, _ := filepath.Glob(g.file(".git/objects/pack/*.idx"))
	g.must(os.Chmod(names[0], 0o644))
	whole, err := os.ReadFile(names[0])
	g.must(err)
	for at := 0; at < len(whole); at += 43 {
		broken := bytes.Clone(whole)
		broken[at] ^= 0x80
		g.must(os.WriteFile(names[0], broken, 0o644))
		r := mustOpen(t, g.path)
		if _, err := r.Commit(context.Background(), lockv2.Revision(r2)); err == nil {
			t.Errorf("byte %d: no error", at)
		}
		r.Close()
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, _ := sample(t)
	id := plumbing.NewHash(g.run("rev-parse", "HEAD:deep/er/and/deeper.txt"))
	for _, form := range []string{"loose", "packed"} {
		t.Run(form, func(t *testing.T) {
			if form == "packed" {
				g.run("gc", "-q")
			}
			r := mustOpen(t, g.path)
			size, err := r.Size(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Blob(ctx, id, size); err != nil {
				t.Error(err)
			}
			_, err = r.Blob(ctx, id, size-1)
			wantCode(t, err, gitrepo.CodeSourceTooLarge)
			_, err = r.OpenBlob(ctx, id, size-1)
			wantCode(t, err, gitrepo.CodeSourceTooLarge)
		})
	}
}

func TestWrongKinds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	g, _, r2 := sample(t)
	r := mustOpen(t, g.path)
	_, err := r.ReadTree(ctx, plumbing.NewHash(r2))
	wantCode(t, err, gitrepo.CodeReadFailed)
	_, err = r.Blob(ctx, plumbing.NewHash(r2), 1<<20)
	wantCode(t, err, gitrepo.CodeReadFailed)
	_, err = r.Size(ctx, plumbing.NewHash(r2))
	wantCode(t, err, gitrepo.CodeReadFailed)
	_, err = r.Blob(ctx, gitrepo.ID{1}, 1<<20)
	wantCode(t, err, gitrepo.CodeReadFailed)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	g, _, r2 := sample(t)
	r := mustOpen(t, g.path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Commit(ctx, lockv2.Revision(r2)); err != context.Canceled {
		t.Error(err)
	}
	if _, err := r.Blob(ctx, gitrepo.ID{1}, 1); err != context.Canceled {
		t.Error(err)
	}
	if _, err := r.Dirty(ctx, 0); err != context.Canceled {
		t.Error(err)
	}
}

// TestTreeBomb: twenty trees that stand for ten to the twentieth paths end in an error.
func TestTreeBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	g, _, _ := sample(t)
	tree := g.run("rev-parse", "HEAD^{tree}")
	for range 20 {
		var entries strings.Builder
		for i := range 10 {
			fmt.Fprintf(&entries, "040000 tree %s\t%d\n", tree, i)
		}
		cmd := g.command("mktree")
		cmd.Stdin = strings.NewReader(entries.String())
		out, err := cmd.Output()
		g.must(err)
		tree = strings.TrimSpace(string(out))
	}
	commit := g.run("commit-tree", "-m", "bomb", tree)
	g.run("update-ref", "HEAD", commit)
	g.run("repack", "-q", "-a", "-d")
	_, err := mustOpen(t, g.path).Dirty(context.Background(), 10)
	wantCode(t, err, gitrepo.CodeSourceTooLarge)
}

// packOf writes entries, each a header and bytes to be compressed, as a pack with its index.
func (g *gitRepo) packOf(ids []string, entries [][2]string) {
	g.t.Helper()
	var pack bytes.Buffer
	fmt.Fprintf(&pack, "PACK\x00\x00\x00\x02\x00\x00\x00%c", len(entries))
	var offsets []int
	for _, e := range entries {
		offsets = append(offsets, pack.Len())
		pack.WriteString(e[0])
		z, err := zlib.NewWriterLevel(&pack, zlib.BestSpeed)
		g.must(err)
		z.Write([]byte(e[1]))
		z.Close()
	}
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])

	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(ids[a], ids[b]) })
	index := bytes.NewBufferString("\xfftOc\x00\x00\x00\x02")
	for first := range 256 {
		n := 0
		for _, id := range ids {
			if raw := plumbing.NewHash(id); int(raw[0]) <= first {
				n++
			}
		}
		index.Write(binary.BigEndian.AppendUint32(nil, uint32(n)))
	}
	for _, i := range order {
		raw := plumbing.NewHash(ids[i])
		index.Write(raw[:])
	}
	index.Write(make([]byte, 4*len(ids)))
	for _, i := range order {
		index.Write(binary.BigEndian.AppendUint32(nil, uint32(offsets[i])))
	}
	index.Write(sum[:])
	indexSum := sha1.Sum(index.Bytes())
	index.Write(indexSum[:])
	name := fmt.Sprintf(".git/objects/pack/pack-%x", sum)
	g.write(name+".pack", pack.String())
	g.write(name+".idx", index.String())
}

func TestHostilePack(t *testing.T) {
	a, b := strings.Repeat("a", 40), strings.Repeat("b", 40)
	raw := func(id string) string { h := plumbing.NewHash(id); return string(h[:]) }
	tests := []struct {
		name    string
		entries [][2]string // of a, and of b
		code    string
	}{
		{"deltas against each other", [][2]string{{"\x76" + raw(b), "\x05\x05\x05abcde"}, {"\x76" + raw(a), "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a delta against itself", [][2]string{{"\x76" + raw(a), "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a delta against what is not there", [][2]string{{"\x76" + strings.Repeat("c", 20), "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a delta against the header of the pack", [][2]string{{"\x66\x0b", "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a delta against nothing", [][2]string{{"\x66\x00", "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a delta against what is before the file", [][2]string{{"\x66\xff\xff\xff\x7f", "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a distance without end", [][2]string{{"\x66" + strings.Repeat("\xff", 200), "\x05\x05\x05abcde"}}, gitrepo.CodeReadFailed},
		{"a length without end", [][2]string{{strings.Repeat("\xbf", 200), "abcde"}}, gitrepo.CodeReadFailed},
		{"a length that is a lie", [][2]string{{"\xbf\xff\xff\xff\xff\xff\x3f", "abcde"}}, gitrepo.CodeReadFailed},
		{"a type that is none", [][2]string{{"\x55", "abcde"}}, gitrepo.CodeReadFailed},
		{"other bytes", [][2]string{{"\x35", "abcde"}}, gitrepo.CodeReadFailed},
		{"more bytes than the header says", [][2]string{{"\x34", "abcde"}}, gitrepo.CodeReadFailed},
		{"fewer bytes than the header says", [][2]string{{"\x36", "abcde"}}, gitrepo.CodeReadFailed},
		{"a result past the bound", [][2]string{{"\x77" + raw(b), "\x05\xff\xff\xff\xff\x0f\x80"}, {"\x35", "abcde"}}, gitrepo.CodeSourceTooLarge},
		{"a delta without a size", [][2]string{{"\x76" + raw(b), "\xff\xff\xff\xff\xff\xff"}, {"\x35", "abcde"}}, gitrepo.CodeReadFailed},
		{"a copy from outside its base", [][2]string{{"\x76" + raw(b), "\x05\x05\x91\x01\x05"}, {"\x35", "abcde"}}, gitrepo.CodeReadFailed},
		{"an empty delta", [][2]string{{"\x70" + raw(b), ""}, {"\x35", "abcde"}}, gitrepo.CodeReadFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newGit(t)
			g.packOf([]string{a, b}[:len(tt.entries)], tt.entries)
			r := mustOpen(t, g.path)
			_, err := r.Blob(context.Background(), plumbing.NewHash(a), 1<<40)
			wantCode(t, err, tt.code)
		})
	}
}
