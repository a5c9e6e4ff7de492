package gitrepo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/compose/internal/gitrepo"
)

// old is before any index is written, so that nothing is racily clean.
var old = time.Unix(1_600_000_000, 123_456_789)

// writeOld is write with an old time.
func (g *gitRepo) writeOld(name, text string) {
	g.t.Helper()
	g.write(name, text)
	g.touch(name, old)
}

func (g *gitRepo) touch(name string, at time.Time) {
	g.t.Helper()
	if err := os.Chtimes(g.file(name), at, at); err != nil {
		g.t.Fatal(err)
	}
}

// tick waits until a file that is changed gets a later time than all that were changed before, in whole units: file systems take
// their times from a clock that ticks every few milliseconds, or seconds.
func (g *gitRepo) tick(unit time.Duration) {
	g.t.Helper()
	probe := filepath.Join(filepath.Dir(g.path), "tick")
	now := func() time.Time {
		g.must(os.WriteFile(probe, []byte("x"), 0o644))
		info, err := os.Stat(probe)
		g.must(err)
		return info.ModTime().Truncate(unit)
	}
	for before := now(); !now().After(before); {
		time.Sleep(time.Millisecond)
	}
	g.must(os.Remove(probe))
}

// status is what git lists, paths of renames both, sorted.
func (g *gitRepo) status() []string {
	g.t.Helper()
	paths, err := g.tryStatus()
	g.must(err)
	return paths
}

func (g *gitRepo) tryStatus() ([]string, error) {
	cmd := g.command("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=no")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, &stderr)
	}
	var paths []string
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields)-1; i++ {
		paths = append(paths, fields[i][3:])
		if strings.ContainsAny(fields[i][:2], "RC") {
			i++
			paths = append(paths, fields[i])
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// options are those of the test's git environment.
func (g *gitRepo) options() gitrepo.Options {
	return gitrepo.OptionsOf(func(name string) string {
		for _, v := range slices.Backward(g.env) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	})
}

func (g *gitRepo) home() string {
	for _, v := range slices.Backward(g.env) {
		if value, ok := strings.CutPrefix(v, "HOME="); ok {
			return value
		}
	}
	return ""
}

// statusCase is one situation: built on a clean repository, then seen by git and by Dirty.
type statusCase struct {
	name  string
	build func(g *gitRepo)
	dirty bool
	opens int // files that are read; -1 where that depends on the clock
}

func buildStatus(t testing.TB, path string) *gitRepo {
	g := initGit(t, path)
	g.must(os.Mkdir(g.file(".git/info"), 0o755))
	g.writeOld("a.txt", "a\n")
	g.writeOld("b.txt", "b\n")
	g.writeOld("d/c.txt", "c\n")
	g.writeOld("d/e/f.txt", "f\n")
	g.writeOld("run.sh", "#!/bin/sh\n")
	g.must(os.Chmod(g.file("run.sh"), 0o755))
	g.must(os.Symlink("a.txt", g.file("link")))
	g.commit("base")
	return g
}

func checkStatus(t *testing.T, tests []statusCase) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := copyOf(t, "status", func(path string) *gitRepo { return buildStatus(t, path) })
			g.run("update-index", "-q", "--refresh")
			tt.build(g)

			r, err := gitrepo.OpenWith(g.path, g.options())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var mu sync.Mutex
			var opened []string
			r.CountOpens(func(path string) {
				mu.Lock()
				defer mu.Unlock()
				opened = append(opened, path)
			})
			got, err := r.Dirty(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			want := g.status()
			if !slices.Equal(got, want) {
				changes, _ := r.Changes(context.Background(), 0)
				t.Errorf("got  %q\ngit  %q\nwith %q", got, want, changes)
			}
			if tt.dirty != (len(want) > 0) {
				t.Errorf("the case is wrong: git lists %q", want)
			}
			if tt.opens >= 0 && len(opened) != tt.opens {
				t.Errorf("%d files were read, want %d: %q", len(opened), tt.opens, opened)
			}
		})
	}
}

func TestDirtyStates(t *testing.T) {
	checkStatus(t, []statusCase{
		{"clean", func(g *gitRepo) {}, false, 0},
		{"untracked and ignored files", func(g *gitRepo) {
			g.write("new", "x")
			g.write(".git/info/exclude", "*.o\n")
			g.write("x.o", "x")
		}, false, 0},
		{"edited, same length", func(g *gitRepo) { g.write("a.txt", "z\n") }, true, 1},
		{"edited, another length: not read", func(g *gitRepo) { g.write("a.txt", "longer\n") }, true, 0},
		{"edited, time put back", func(g *gitRepo) {
			g.tick(time.Second) // git compares whole seconds of the time that is left
			g.writeOld("a.txt", "z\n")
		}, true, 1},
		{"stale stat data, same bytes", func(g *gitRepo) {
			g.touch("a.txt", old.Add(time.Hour))
			g.touch("d/c.txt", old.Add(time.Hour))
		}, false, 2},
		{"copied to another folder: all stale", func(g *gitRepo) {
			g.must(os.CopyFS(g.at("copy").path, os.DirFS(g.path)))
			g.must(os.Remove(filepath.Join(g.at("copy").path, "link")))
			g.must(os.Symlink("a.txt", filepath.Join(g.at("copy").path, "link")))
			g.must(os.Chmod(filepath.Join(g.at("copy").path, "run.sh"), 0o755))
			g.path = g.at("copy").path
		}, false, 5},
		{"racily clean, edited", func(g *gitRepo) {
			g.write("a.txt", "y\n")
			g.run("commit", "-qam", "y")
			info, err := os.Stat(g.file(".git/index"))
			g.must(err)
			g.touch("a.txt", info.ModTime())
			g.run("update-index", "--refresh")
			info, err = os.Stat(g.file("a.txt"))
			g.must(err)
			g.must(os.WriteFile(g.file("a.txt"), []byte("z\n"), 0o644))
			g.must(os.Chtimes(g.file("a.txt"), info.ModTime(), info.ModTime()))
			g.must(os.Chtimes(g.file(".git/index"), info.ModTime(), info.ModTime()))
			g.run("config", "core.trustctime", "false")
		}, true, 1},
		{"racily clean, not edited", func(g *gitRepo) { g.must(os.Chtimes(g.file(".git/index"), old, old)) }, false, 5},
		{"deleted", func(g *gitRepo) { g.must(os.Remove(g.file("a.txt"))) }, true, 0},
		{"a folder deleted", func(g *gitRepo) { g.must(os.RemoveAll(g.file("d"))) }, true, 0},
		{"replaced by a folder", func(g *gitRepo) {
			g.must(os.Remove(g.file("a.txt")))
			g.write("a.txt/x", "x")
		}, true, 0},
		{"a folder replaced by a file", func(g *gitRepo) {
			g.must(os.RemoveAll(g.file("d")))
			g.write("d", "x")
		}, true, 0},
		{"a folder replaced by a symlink to the same", func(g *gitRepo) {
			g.must(os.Rename(g.file("d"), g.at("d").path))
			g.must(os.Symlink("../d", g.file("d")))
		}, true, 0},
		{"replaced by a symlink", func(g *gitRepo) {
			g.must(os.Remove(g.file("a.txt")))
			g.must(os.Symlink("b.txt", g.file("a.txt")))
		}, true, 0},
		{"a symlink with another target", func(g *gitRepo) {
			g.must(os.Remove(g.file("link")))
			g.must(os.Symlink("b.txt", g.file("link")))
		}, true, 0},
		{"a symlink made anew", func(g *gitRepo) {
			g.must(os.Remove(g.file("link")))
			g.must(os.Symlink("a.txt", g.file("link")))
		}, false, 0},
		{"a symlink replaced by a file", func(g *gitRepo) {
			g.must(os.Remove(g.file("link")))
			g.must(os.WriteFile(g.file("link"), []byte("a.txt"), 0o644))
		}, true, 0},
		{"core.symlinks=false, a symlink as a file", func(g *gitRepo) {
			g.run("config", "core.symlinks", "false")
			g.must(os.Remove(g.file("link")))
			g.must(os.WriteFile(g.file("link"), []byte("a.txt"), 0o644))
		}, false, 1},
		{"the executable bit set", func(g *gitRepo) { g.must(os.Chmod(g.file("a.txt"), 0o755)) }, true, 0},
		{"the executable bit dropped", func(g *gitRepo) { g.must(os.Chmod(g.file("run.sh"), 0o644)) }, true, 0},
		{"other permission bits", func(g *gitRepo) {
			g.tick(time.Nanosecond)
			g.must(os.Chmod(g.file("a.txt"), 0o666))
		}, false, 1},
		{"core.fileMode=false, the executable bit set", func(g *gitRepo) {
			g.run("config", "core.fileMode", "false")
			g.tick(time.Nanosecond)
			g.must(os.Chmod(g.file("a.txt"), 0o755))
		}, false, 1},
		{"a FIFO in place of a file", func(g *gitRepo) {
			g.must(os.Remove(g.file("a.txt")))
			g.must(exec.Command("mkfifo", g.file("a.txt")).Run())
		}, true, 0},
		{"an edit staged", func(g *gitRepo) {
			g.writeOld("a.txt", "staged\n")
			g.run("add", "a.txt")
		}, true, 0},
		{"an edit staged, then undone in the work tree", func(g *gitRepo) {
			g.writeOld("a.txt", "staged\n")
			g.run("add", "a.txt")
			g.write("a.txt", "a\n")
		}, true, 0},
		{"an edit staged and unstaged", func(g *gitRepo) {
			g.tick(time.Second) // else git does not see that it was edited
			g.writeOld("a.txt", "z\n")
			g.run("add", "a.txt")
			g.run("reset", "-q")
			g.writeOld("a.txt", "a\n")
		}, false, 1},
		{"an addition staged", func(g *gitRepo) {
			g.writeOld("new", "x")
			g.run("add", "new")
		}, true, 0},
		{"an addition staged in a folder that sorts between", func(g *gitRepo) {
			g.writeOld("d-e", "x")
			g.writeOld("d.e/x", "x")
			g.run("add", ".")
		}, true, 0},
		{"a removal staged", func(g *gitRepo) { g.run("rm", "-q", "d/c.txt") }, true, 0},
		{"a removal staged, the file kept", func(g *gitRepo) { g.run("rm", "-q", "--cached", "a.txt") }, true, 0},
		{"all removals staged", func(g *gitRepo) { g.run("rm", "-q", "-r", ".") }, true, 0},
		{"no index at all", func(g *gitRepo) { g.must(os.Remove(g.file(".git/index"))) }, true, 0},
		{"a rename staged", func(g *gitRepo) { g.run("mv", "a.txt", "z.txt") }, true, -1},
		{"a mode change staged", func(g *gitRepo) { g.run("update-index", "--chmod=+x", "a.txt") }, true, 0},
		{"a file staged in place of a folder", func(g *gitRepo) {
			g.run("rm", "-q", "-r", "d")
			g.writeOld("d", "x")
			g.run("add", "d")
		}, true, 0},
		{"intent to add", func(g *gitRepo) {
			g.writeOld("new", "x")
			g.run("add", "-N", "new")
		}, true, 0},
		{"intent to add, then deleted", func(g *gitRepo) {
			g.writeOld("new", "x")
			g.run("add", "-N", "new")
			g.must(os.Remove(g.file("new")))
		}, true, 0},
		{"a conflict", func(g *gitRepo) {
			g.run("checkout", "-q", "-b", "other")
			g.write("a.txt", "theirs\n")
			g.run("commit", "-qam", "theirs")
			g.run("checkout", "-q", "main")
			g.write("a.txt", "ours\n")
			g.run("commit", "-qam", "ours")
			if err := g.command("merge", "-q", "other").Run(); err == nil {
				g.t.Fatal("no conflict")
			}
		}, true, 0},
		{"assume-unchanged, edited", func(g *gitRepo) {
			g.run("update-index", "--assume-unchanged", "a.txt")
			g.write("a.txt", "longer\n")
		}, false, 0},
		{"assume-unchanged, deleted", func(g *gitRepo) {
			g.run("update-index", "--assume-unchanged", "a.txt")
			g.must(os.Remove(g.file("a.txt")))
		}, false, 0},
		{"skip-worktree, edited", func(g *gitRepo) {
			g.run("update-index", "--skip-worktree", "a.txt")
			g.write("a.txt", "longer\n")
		}, false, 0},
		{"skip-worktree, deleted", func(g *gitRepo) {
			g.run("update-index", "--skip-worktree", "a.txt")
			g.must(os.Remove(g.file("a.txt")))
		}, false, 0},
		{"an unborn branch with files staged", func(g *gitRepo) { g.run("checkout", "-q", "--orphan", "fresh") }, true, 0},
		{"core.checkStat=minimal, another inode", func(g *gitRepo) {
			g.run("config", "core.checkStat", "minimal")
			g.must(os.Remove(g.file("a.txt")))
			g.writeOld("a.txt", "z\n")
		}, false, 0},
		{"core.trustctime=false, the same inode", func(g *gitRepo) {
			g.run("config", "core.trustctime", "false")
			g.writeOld("a.txt", "z\n")
		}, false, 0},
		{"core.worktree elsewhere", func(g *gitRepo) {
			g.must(os.Mkdir(g.at("elsewhere").path, 0o755))
			g.run("config", "core.worktree", "../../elsewhere")
		}, true, 0},
		{"names that git quotes", func(g *gitRepo) {
			g.writeOld("Übersicht — Q1.md", "x")
			g.writeOld("日本/図.txt", "x")
			g.writeOld("tab\tnew\nline", "x")
			g.commit("names")
			g.writeOld("日本/図.txt", "longer")
			g.writeOld("tab\tnew\nline", "longer")
		}, true, 0},
	})
}

func TestDirtyIndexForms(t *testing.T) {
	edit := func(g *gitRepo) { g.write("d/c.txt", "longer\n") }
	checkStatus(t, []statusCase{
		{"version 4", func(g *gitRepo) {
			g.run("update-index", "--index-version", "4")
			edit(g)
		}, true, 0},
		{"version 4, clean", func(g *gitRepo) { g.run("update-index", "--index-version", "4") }, false, 0},
		{"version 3 (extended flags)", func(g *gitRepo) {
			g.run("update-index", "--index-version", "3")
			g.run("update-index", "--skip-worktree", "a.txt")
			edit(g)
		}, true, 0},
		{"blocks of entries (index.threads)", func(g *gitRepo) {
			for i := range 300 {
				g.writeOld("many/"+strings.Repeat("x", i+1)[:min(i+1, 200)]+string(rune('a'+i%26)), "x")
			}
			g.run("config", "index.threads", "4")
			g.run("config", "index.version", "4")
			g.must(os.Remove(g.file(".git/index")))
			g.run("add", "-A")
			g.run("commit", "-qm", "many")
			edit(g)
		}, true, 0},
		{"an untracked cache", func(g *gitRepo) {
			g.run("update-index", "--untracked-cache")
			g.run("status")
			edit(g)
		}, true, 0},
		{"a split index", func(g *gitRepo) {
			g.run("update-index", "--split-index")
			edit(g)
		}, true, 0},
		{"a split index, with entries replaced, removed and added", func(g *gitRepo) {
			g.run("config", "splitIndex.maxPercentChange", "100")
			g.run("update-index", "--split-index")
			g.run("rm", "-q", "--cached", "b.txt")
			g.writeOld("new", "x")
			g.run("add", "new")
			g.writeOld("a.txt", "other\n")
			g.run("add", "a.txt")
			edit(g)
		}, true, 0},
		{"a split index, clean after a commit", func(g *gitRepo) {
			g.run("config", "splitIndex.maxPercentChange", "100")
			g.run("update-index", "--split-index")
			g.writeOld("a.txt", "other\n")
			g.writeOld("z", "other\n")
			g.commit("other")
		}, false, 0},
		{"a sparse checkout", func(g *gitRepo) { g.run("sparse-checkout", "set", "--cone", "d/e") }, false, 0},
		{"a sparse checkout without cone mode", func(g *gitRepo) { g.run("sparse-checkout", "set", "--no-cone", "/a.txt") }, false, 0},
		{"a sparse checkout with a file put back, edited", func(g *gitRepo) {
			g.run("sparse-checkout", "set", "--no-cone", "/a.txt")
			g.write("b.txt", "other\n")
		}, true, 0},
		{"a sparse checkout with a file put back, the same", func(g *gitRepo) {
			g.run("sparse-checkout", "set", "--no-cone", "/a.txt")
			g.write("b.txt", "b\n")
		}, false, 1},
		{"a sparse index", func(g *gitRepo) {
			g.writeOld("x/y/z.txt", "z\n")
			g.writeOld("x/w.txt", "z\n")
			g.commit("more")
			g.run("sparse-checkout", "set", "--cone", "--sparse-index", "d/e")
		}, false, 0},
		{"a sparse index, with a folder put back, edited", func(g *gitRepo) {
			g.writeOld("x/y/z.txt", "z\n")
			g.writeOld("x/w.txt", "z\n")
			g.commit("more")
			g.run("sparse-checkout", "set", "--cone", "--sparse-index", "d/e")
			g.write("x/w.txt", "other\n")
		}, true, 1},
		{"a sparse index of another commit", func(g *gitRepo) {
			g.writeOld("x/y/z.txt", "z\n")
			g.writeOld("x/w.txt", "z\n")
			g.commit("more")
			g.writeOld("x/y/z.txt", "zz\n")
			g.commit("more")
			g.run("sparse-checkout", "set", "--cone", "--sparse-index", "d/e")
			g.run("reset", "-q", "--soft", "HEAD~1")
		}, true, 0},
	})
}

func TestDirtyConversion(t *testing.T) {
	// stale makes a file's bytes count: its length stays that of the index.
	stale := func(g *gitRepo, names ...string) {
		for _, name := range names {
			g.touch(name, old.Add(time.Minute))
		}
	}
	commitAs := func(g *gitRepo, name, text string) {
		g.writeOld(name, text)
		g.commit("file")
	}
	checkStatus(t, []statusCase{
		{"autocrlf=true, CRLF in the work tree", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf=input, CRLF in the work tree", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "input")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf=true, converted at checkout", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			g.must(os.Remove(g.file("a.txt")))
			g.run("checkout", "a.txt")
			stale(g, "a.txt")
		}, false, 1},
		{"autocrlf=false, CRLF of the same length", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
			g.run("config", "core.autocrlf", "false")
		}, true, 1},
		{"autocrlf=true, CRLF in the index too", func(g *gitRepo) {
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.run("config", "core.autocrlf", "true")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf=true, a binary file", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			commitAs(g, "w.bin", "\x00one\r\ntwo\r\n")
			stale(g, "w.bin")
		}, false, 1},
		{"autocrlf=true, a lone CR", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			commitAs(g, "w.txt", "one\rtwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf=true, mostly control characters", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			commitAs(g, "w.txt", "\x01\x02\x03abc\r\n\x1a")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf in the user's configuration", func(g *gitRepo) {
			g.must(os.WriteFile(filepath.Join(g.home(), ".gitconfig"), []byte("[core] autocrlf = true\n"), 0o644))
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf in the XDG configuration, by an include", func(g *gitRepo) {
			folder := filepath.Join(g.home(), ".config", "git")
			g.must(os.MkdirAll(folder, 0o755))
			g.must(os.WriteFile(filepath.Join(folder, "config"), []byte("[include]\n\tpath = ~/more\n"), 0o644))
			g.must(os.WriteFile(filepath.Join(g.home(), "more"), []byte("[core]\n\tautocrlf = input\n"), 0o644))
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf by an includeIf of the git folder", func(g *gitRepo) {
			for i, condition := range []string{"gitdir:" + filepath.Dir(g.path) + "/", "gitdir:nowhere/", "gitdir/i:REPO/.git", "onbranch:none"} {
				name := fmt.Sprintf("more%d", i)
				g.must(os.WriteFile(filepath.Join(g.home(), name), []byte([]string{
					"[core]\n\tautocrlf = false\n", "[core]\n\tautocrlf = false\n", "[core]\n\tautocrlf = input\n", "[core]\n\tautocrlf = false\n"}[i]), 0o644))
				g.run("config", "--global", "includeIf."+condition+".path", name)
			}
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"autocrlf by an includeIf that does not hold", func(g *gitRepo) {
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.writeOld(".gitattributes", "w.txt !text\n")
			g.must(os.WriteFile(filepath.Join(g.home(), "more"), []byte("[core]\n\tattributesFile = ~/attrs\n"), 0o644))
			g.must(os.WriteFile(filepath.Join(g.home(), "attrs"), []byte("* text\n"), 0o644))
			g.run("config", "--global", "includeIf.gitdir:~/elsewhere/.path", "more")
			g.run("add", ".gitattributes")
			g.run("commit", "-qm", "attributes")
			stale(g, "w.txt")
		}, false, 1},
		{"core.attributesFile=/dev/null", func(g *gitRepo) {
			g.run("config", "core.attributesFile", "/dev/null")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"the repository's configuration is stronger", func(g *gitRepo) {
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.must(os.WriteFile(filepath.Join(g.home(), ".gitconfig"), []byte("[core] autocrlf = input\n"), 0o644))
			g.run("config", "core.autocrlf", "false")
			stale(g, "w.txt")
		}, false, 1},
		{"text=auto", func(g *gitRepo) {
			g.writeOld(".gitattributes", "* text=auto\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"text eol=crlf", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt text eol=crlf\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"eol=lf alone makes it text", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt eol=lf\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"text, CRLF in the index: git would normalize", func(g *gitRepo) {
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.writeOld(".gitattributes", "*.txt text\n")
			g.run("add", ".gitattributes")
			g.run("commit", "-qm", "attributes")
			stale(g, "w.txt")
		}, true, 1},
		{"text=auto, CRLF in the index: git would not", func(g *gitRepo) {
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.writeOld(".gitattributes", "*.txt text=auto\n")
			g.run("add", ".gitattributes")
			g.run("commit", "-qm", "attributes")
			stale(g, "w.txt")
		}, false, 1},
		{"-text under autocrlf", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			g.writeOld(".gitattributes", "*.txt -text\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"the binary macro under autocrlf", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "true")
			g.writeOld(".gitattributes", "*.dat binary\n")
			commitAs(g, "w.dat", "one\r\ntwo\r\n")
			stale(g, "w.dat")
		}, false, 1},
		{"a macro of one's own", func(g *gitRepo) {
			g.writeOld(".gitattributes", "[attr]prose text eol=crlf\n*.md prose\n")
			commitAs(g, "w.md", "one\r\ntwo\r\n")
			stale(g, "w.md")
		}, false, 1},
		{"nested attributes are stronger", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt text\n")
			g.writeOld("n/.gitattributes", "w.txt -text\n")
			commitAs(g, "n/w.txt", "one\r\ntwo\r\n")
			stale(g, "n/w.txt")
		}, false, 1},
		{"unset attributes fall back to the configuration", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "input")
			g.writeOld(".gitattributes", "*.txt -text\n")
			g.writeOld("n/.gitattributes", "w.txt !text\n")
			commitAs(g, "n/w.txt", "one\r\ntwo\r\n")
			stale(g, "n/w.txt")
		}, false, 1},
		{"info/attributes are stronger than all", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt -text\n")
			g.write(".git/info/attributes", "/n/**/w.txt text\n")
			commitAs(g, "n/m/w.txt", "one\r\ntwo\r\n")
			stale(g, "n/m/w.txt")
		}, false, 1},
		{"core.attributesFile", func(g *gitRepo) {
			g.must(os.WriteFile(filepath.Join(g.home(), "attrs"), []byte("*.txt text\n"), 0o644))
			g.run("config", "core.attributesFile", "~/attrs")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"the XDG attributes file", func(g *gitRepo) {
			folder := filepath.Join(g.home(), ".config", "git")
			g.must(os.MkdirAll(folder, 0o755))
			g.must(os.WriteFile(filepath.Join(folder, "attributes"), []byte("*.txt text\n"), 0o644))
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			stale(g, "w.txt")
		}, false, 1},
		{"attributes that are only in the index", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt text\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.must(os.Remove(g.file(".gitattributes")))
			stale(g, "w.txt")
		}, true, 1},
		{"attributes edited in the work tree", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt text\n")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.write(".gitattributes", "*.txt  -text\n")
			stale(g, "w.txt")
		}, true, 2},
		{"patterns with classes, quotes and case", func(g *gitRepo) {
			g.run("config", "core.ignoreCase", "true")
			g.writeOld(".gitattributes", "\"[V-X] ?.TXT\" text\n# comment text\nn/**/deep text\n")
			g.writeOld("n/deep", "one\r\ntwo\r\n")
			commitAs(g, "w o.txt", "one\r\ntwo\r\n")
			stale(g, "w o.txt", "n/deep")
		}, false, 2},
		{"ident", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt ident\n")
			g.writeOld("w.txt", "$Id$ and $Id: line\n$ and $Id\n")
			g.commit("ident")
			g.must(os.Remove(g.file("w.txt")))
			g.run("checkout", "w.txt")
			if text, _ := os.ReadFile(g.file("w.txt")); !strings.Contains(string(text), "$Id: ") {
				g.t.Fatalf("not expanded: %q", text)
			}
			stale(g, "w.txt")
		}, false, 1},
		{"working-tree-encoding", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.16 text working-tree-encoding=UTF-16LE eol=crlf\n")
			commitAs(g, "w.16", "h\x00i\x00\xe9\x00\x3d\xd8\x00\xde\r\x00\n\x00")
			stale(g, "w.16")
		}, false, 1},
		{"a filter that is not configured", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt filter=nothing\n")
			commitAs(g, "w.txt", "one\n")
			stale(g, "w.txt")
		}, false, 1},
		{"a filter, with stat data that match", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt filter=upper\n")
			g.run("config", "filter.upper.clean", "tr a-z A-Z")
			commitAs(g, "w.txt", "one\n")
		}, false, 0},
		{"a filter that changes nothing, with stale stat data", func(g *gitRepo) {
			g.writeOld(".gitattributes", "*.txt filter=same\n")
			g.run("config", "filter.same.clean", "cat")
			commitAs(g, "w.txt", "one\n")
			stale(g, "w.txt")
		}, false, 1},
		{"safecrlf", func(g *gitRepo) {
			g.run("config", "core.autocrlf", "input")
			commitAs(g, "w.txt", "one\r\ntwo\r\n")
			g.run("config", "core.safecrlf", "true")
			stale(g, "w.txt")
		}, false, 1},
	})
}

func TestDirtySubmodules(t *testing.T) {
	add := func(g *gitRepo) *gitRepo {
		other := g.at("other")
		g.must(os.Mkdir(other.path, 0o755))
		other.run("init", "-q", "-b", "main")
		other.writeOld("s.txt", "s\n")
		other.commit("sub")
		g.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path, "sub")
		sub := g.at(g.file("sub"))
		sub.touch("s.txt", old)
		sub.run("status")
		g.touch(".gitmodules", old)
		g.commit("submodule")
		return sub
	}
	checkStatus(t, []statusCase{
		{"clean", func(g *gitRepo) { add(g) }, false, 0},
		{"another commit", func(g *gitRepo) { add(g).commit("more") }, true, 0},
		{"changes inside", func(g *gitRepo) { add(g).write("s.txt", "longer\n") }, true, 0},
		{"changes staged inside", func(g *gitRepo) {
			sub := add(g)
			sub.writeOld("new", "x")
			sub.run("add", "new")
		}, true, 0},
		{"untracked inside", func(g *gitRepo) { add(g).write("new", "x") }, false, 0},
		{"untracked inside, ignore=untracked", func(g *gitRepo) {
			add(g).write("new", "x")
			g.run("config", "submodule.sub.ignore", "untracked")
		}, false, 0},
		{"not checked out", func(g *gitRepo) {
			add(g)
			g.run("submodule", "deinit", "-q", "-f", "sub")
		}, false, 0},
		{"its folder deleted", func(g *gitRepo) {
			add(g)
			g.must(os.RemoveAll(g.file("sub")))
		}, true, 0},
		{"ignore=all", func(g *gitRepo) {
			sub := add(g)
			g.run("config", "submodule.sub.ignore", "all")
			sub.commit("more")
		}, false, 0},
		{"ignore=dirty", func(g *gitRepo) {
			sub := add(g)
			g.run("config", "submodule.sub.ignore", "dirty")
			sub.write("s.txt", "longer\n")
		}, false, 0},
		{"diff.ignoreSubmodules=all", func(g *gitRepo) {
			sub := add(g)
			g.run("config", "diff.ignoreSubmodules", "all")
			sub.commit("more")
		}, false, 0},
		{"another commit staged", func(g *gitRepo) {
			add(g).commit("more")
			g.run("add", "sub")
		}, true, 0},
		{"a repository in place of a file", func(g *gitRepo) {
			g.must(os.Remove(g.file("a.txt")))
			g.run("init", "-q", "a.txt")
		}, true, 0},
	})
}

// TestDirtySubmoduleUntracked: git counts untracked files in a submodule where ignore is none. compose allows them.
func TestDirtySubmoduleUntracked(t *testing.T) {
	t.Parallel()
	g, _, _ := sample(t)
	other, _, _ := sample(t)
	g.run("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.path, "sub")
	g.commit("submodule")
	g.run("config", "submodule.sub.ignore", "none")
	g.write("sub/new", "x")
	if got := g.status(); !slices.Equal(got, []string{"sub"}) {
		t.Errorf("git lists %q", got)
	}
	if got, err := mustOpen(t, g.path).Dirty(context.Background(), 0); err != nil || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
