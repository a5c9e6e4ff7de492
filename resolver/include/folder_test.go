package include_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/resolver/include"
)

// laid writes files of "path: text" or "path -> target" below a new folder and returns it. A path that ends in / is a folder.
func laid(t testing.TB, files ...string) string {
	t.Helper()
	top := t.TempDir()
	for _, f := range files {
		name, to, isLink := strings.Cut(f, " -> ")
		name, text, _ := strings.Cut(name, ": ")
		full := filepath.Join(top, name)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		switch {
		case isLink:
			must(t, os.Symlink(strings.ReplaceAll(to, "TOP", top), full))
		case strings.HasSuffix(name, "/"):
			must(t, os.MkdirAll(full, 0o755))
		default:
			must(t, os.WriteFile(full, []byte(strings.ReplaceAll(text, "TOP", top)), 0o644))
		}
	}
	return top
}

func TestFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need a privilege here")
	}
	for _, tt := range []struct {
		name  string
		files []string // the start is root/a.md
		want  string   // the text, or CODE and the chain
	}{
		{"a link in the middle, and includes from where it leads", []string{"root/a.md: @<l/x.md>\n", "root/l -> deep/d", "root/deep/d/x.md: @<y.md>\n@<../z.md>\n", "root/deep/d/y.md: y", "root/deep/z.md: z", "root/z.md: !"}, "yz"},
		{"up from a link is up from its end", []string{"root/a.md: @<l/../z.md>\n", "root/l -> deep/d", "root/deep/d/: ", "root/deep/z.md: z", "root/z.md: !"}, "z"},
		{"out and in again", []string{"root/a.md: @<../root/b.md>\n", "root/b.md: b"}, "b"},
		{"a link out and in again", []string{"root/a.md: @<l/b.md>\n", "root/l -> ../root", "root/b.md: b"}, "b"},
		{"an absolute link inside", []string{"root/a.md: @<l.md>\n", "root/l.md -> TOP/root/b.md", "root/b.md: b"}, "b"},
		{"an absolute path inside", []string{"root/a.md: @<TOP/root/b.md>\n", "root/b.md: b"}, "b"},
		{"dots and slashes", []string{"root/a.md: @<.//x/.././b.md>\n", "root/x/: ", "root/b.md: b"}, "b"},
		{"one file by two names is one", []string{"root/a.md: @<l.md>\n", "root/l.md -> a.md"}, "ERR_INCLUDE_CYCLE a.md a.md"},
		{"into the allowed root", []string{"root/a.md: @<l/x.md>\n@<../more/y.md>\n", "root/l -> ../more", "more/x.md: @<y.md>\n", "more/y.md: y"}, "yy"},
		{"from the allowed root to the root", []string{"root/a.md: @<../more/x.md>\n", "more/x.md: @<b.md>\n", "root/b.md: b"}, "b"},
		{"links without end", []string{"root/a.md: @<l/x>\n", "root/l -> l"}, "ERR_INCLUDE_FILESYSTEM_LOOP a.md"},
		{"forty links", append(links(40), "root/a.md: @<l0>\n", "root/l40: end"), "end"},
		{"forty-one links", append(links(41), "root/a.md: @<l0>\n", "root/l41: end"), "ERR_INCLUDE_FILESYSTEM_LOOP a.md"},
		{"a loop that lies outside", []string{"root/a.md: @<../l>\n", "l -> l"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"a link to nowhere", []string{"root/a.md: @<l>\n", "root/l -> none"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a link to nowhere outside", []string{"root/a.md: @<l>\n", "root/l -> ../none"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a link out", []string{"root/a.md: @<b.md>\n", "root/b.md: @<l>\n", "root/l -> ../out.md", "out.md: secret"}, "ERR_INCLUDE_ESCAPE a.md b.md"},
		{"a folder that links out", []string{"root/a.md: @<l/out.md>\n", "root/l -> ..", "out.md: secret"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"an absolute path outside", []string{"root/a.md: @</etc/passwd>\n"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"an absolute path to nothing", []string{"root/a.md: @</none/x>\n"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"a folder with the root's name as its beginning", []string{"root/a.md: @<../root2/x.md>\n", "root2/x.md: secret"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"an escape in the second place", []string{"root/a.md: @<d/b.md>\n", "root/d/b.md: @<../../x.md>\n"}, "ERR_INCLUDE_ESCAPE a.md d/b.md"},
		{"an escape only from the root", []string{"root/a.md: @<d/b.md>\n", "root/d/b.md: @<../x.md>\n"}, "ERR_INCLUDE_ESCAPE a.md d/b.md"},
		{"a file as a folder", []string{"root/a.md: @<b.md/c>\n", "root/b.md: b"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a file with a slash", []string{"root/a.md: @<b.md/>\n", "root/b.md: b"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a file and a dot", []string{"root/a.md: @<b.md/.>\n", "root/b.md: b"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"up from what is not there", []string{"root/a.md: @<x/../b.md>\n", "root/b.md: b"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"the root", []string{"root/a.md: @<.>\n"}, "ERR_INCLUDE_IS_A_DIRECTORY a.md ."},
		{"a folder with a slash", []string{"root/a.md: @<d/>\n", "root/d/: "}, "ERR_INCLUDE_IS_A_DIRECTORY a.md d"},
		{"NUL", []string{"root/a.md: @<b\x00c>\n"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a name that is too long", []string{"root/a.md: @<" + strings.Repeat("x", 5000) + ">\n"}, "ERR_INCLUDE_NOT_FOUND a.md"},
		{"a device", []string{"root/a.md: @<l>\n", "root/l -> /dev/null"}, "ERR_INCLUDE_ESCAPE a.md"},
		{"a backslash", []string{`root/a.md: @<b\c>` + "\n", `root/b\c: x`}, `ERR_CONFIG_READ a.md b\c`},
		{"a control character", []string{"root/a.md: @<b\tc>\n", "root/b\tc: x"}, "ERR_CONFIG_READ a.md b\tc"},
		{"a name that is not UTF-8", []string{"root/a.md: @<l>\n", "root/l -> b\xff", "root/b\xff: x"}, "ERR_CONFIG_READ a.md"},
		{"two files of one name", []string{"root/a.md: @<allowed-root-0/x.md>\n@<../more/x.md>\n", "root/allowed-root-0/x.md: 1", "more/x.md: 2"}, "ERR_CONFIG_READ a.md allowed-root-0/x.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := laid(t, append(tt.files, "more/: ")...)
			c, err := resolve(t, include.FolderOptions{Root: top + "/root", Allowed: []string{top + "/more"}}, "a.md", include.Options{})
			got := ""
			if err != nil {
				code, chain := fault(err)
				got = strings.Join(append([]string{code}, chain...), " ")
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the message tells: %v", err)
				}
			} else {
				got = expansion(t, c)
			}
			if got != tt.want {
				t.Errorf("got %q (%v), want %q", got, err, tt.want)
			}
		})
	}
}

// links are n links, each to the next.
func links(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("root/l%d -> l%d", i, i+1))
	}
	return list
}

func TestFolderStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need a privilege here")
	}
	top := laid(t, "root/d/a.md: @<b.md>\n", "root/d/b.md: b", "root/l.md -> d/a.md", "root/out.md -> ../out.md", "out.md: @<root/d/b.md>\n", "link -> root")
	for start, want := range map[string]string{"l.md": "b", "d/a.md": "b", "out.md": "ERR_INCLUDE_ESCAPE", "../out.md": "ERR_INCLUDE_ESCAPE", "none.md": "ERR_INCLUDE_NOT_FOUND", "../none.md": "ERR_INCLUDE_ESCAPE", "d": "ERR_INCLUDE_IS_A_DIRECTORY d"} {
		for _, root := range []string{"/root", "/link", "/link/", "/root/../link/."} {
			c, err := resolve(t, include.FolderOptions{Root: top + root}, start, include.Options{})
			got := ""
			if code, chain := fault(err); err != nil {
				got = strings.Join(append([]string{code}, chain...), " ")
			} else {
				got = expansion(t, c)
			}
			if got != want {
				t.Errorf("%s in %s: got %q, want %q", start, root, got, want)
			}
		}
	}
	for _, bad := range []include.FolderOptions{{Root: top + "/none"}, {Root: top + "/out.md"}, {Root: top, Allowed: []string{top + "/out.md"}}} {
		if _, err := include.OpenFolder(bad); codeOf(err) != include.CodeConfigRead {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// A path that climbs leads where the system goes, not where its spelling would: the current folder may be known by a symlink.
func TestFolderClimbs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need a privilege here")
	}
	top := laid(t, "real/sub/x: ", "real/t/a.md: right", "t/a.md: wrong", "link -> real/sub")
	t.Chdir(filepath.Join(top, "link"))
	t.Setenv("PWD", filepath.Join(top, "link"))
	for _, c := range []struct{ root, start, want string }{
		{"../t", "../t/a.md", "right"},
		{"../t", top + "/real/t/a.md", "right"},
		{"../t", top + "/t/a.md", "ERR_INCLUDE_ESCAPE"},
		{top, "../t/a.md", "right"},
		{top, top + "/link/../t/a.md", "right"},
		{top + "/link/../t", top + "/real/t/a.md", "right"},
		{".", "../t/a.md", "ERR_INCLUDE_ESCAPE"},
		{"..", "../t/none.md", "ERR_INCLUDE_NOT_FOUND"},
	} {
		folder, err := include.OpenFolder(include.FolderOptions{Root: c.root})
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		start, err := folder.Start(c.start)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if composition, err := include.Resolve(t.Context(), folder, start, include.Options{}); err != nil {
			got = codeOf(err)
		} else {
			got = expansion(t, composition)
		}
		if got != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.start, c.root, got, c.want)
		}
	}
}

func TestFolderWithoutSymlinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need a privilege here")
	}
	top := laid(t, "root/a.md: @<b.md>\n", "root/b.md -> c.md", "root/c.md: c", "root/ok.md: @<partials/x/p.md>\n@<d/e.md>\n", "root/d/e.md: @<c.md>\n", "shared/x/p.md: @<q.md>\n", "shared/q.md: q", "link -> root")
	opt := include.FolderOptions{Root: top + "/link", Allowed: []string{top + "/shared"}, NoSymlinks: true}
	_, err := resolve(t, opt, "a.md", include.Options{Profile: include.Materials})
	if code, chain := fault(err); code != include.CodeInvalidAuthority || !slices.Equal(chain, []string{"a.md"}) {
		t.Errorf("error %v", err)
	}
	c, err := resolve(t, opt, "ok.md", include.Options{Profile: include.Materials})
	must(t, err)
	if got := expansion(t, c); got != "qc" {
		t.Errorf("got %q", got)
	}
}

func TestFolderPermission(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs a user who can be refused")
	}
	top := laid(t, "root/a.md: @<b.md>\n", "root/b.md: b", "root/c.md: @<d/e.md>\n", "root/d/e.md: e")
	must(t, os.Chmod(top+"/root/b.md", 0))
	must(t, os.Chmod(top+"/root/d", 0))
	defer os.Chmod(top+"/root/d", 0o755)
	for start, want := range map[string]string{"a.md": "a.md b.md", "c.md": "c.md"} {
		_, err := resolve(t, include.FolderOptions{Root: top + "/root"}, start, include.Options{})
		if code, chain := fault(err); code != include.CodePermissionDenied || strings.Join(chain, " ") != want {
			t.Errorf("%s: %v with %q", start, err, chain)
		}
	}
}

// A file takes the memory that it has bytes, and one beyond the bound none. The files have no blocks on the disk.
func TestFolderMemory(t *testing.T) {
	for size, code := range map[int64]string{32 << 20: "", 1 << 40: include.CodeTooLarge} {
		root := laid(t, "root.md: ")
		if err := os.Truncate(filepath.Join(root, "root.md"), size); err != nil {
			t.Skip(err)
		}
		folder, err := include.OpenFolder(include.FolderOptions{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = include.Resolve(t.Context(), folder, "root.md", include.Options{})
		runtime.ReadMemStats(&after)
		if err = errNot(err, code); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > 40<<20 {
			t.Errorf("%d bytes took %d MiB", size, took>>20)
		}
	}
}

// FuzzFolder: no line of a file reaches what lies outside.
func FuzzFolder(f *testing.F) {
	if runtime.GOOS == "windows" {
		f.Skip("symlinks need a privilege here")
	}
	const secret = "what lies outside"
	top := laid(f, "root/b.md: b", "root/d/e.md: e", "root/up -> ..", "root/here -> .", "root/away -> ../outside", "root/file -> ../outside/s.md", "root/abs -> TOP/outside", "root/loop -> loop",
		"root/d/far -> ../../outside/../root/up/outside", "outside/s.md: "+secret, "outside/back -> ../root", "allowed/x.md: x", "allowed/out -> ../outside")
	folder, err := include.OpenFolder(include.FolderOptions{Root: top + "/root", Allowed: []string{top + "/allowed"}})
	must(f, err)
	defer folder.Close()
	for _, seed := range []string{"b.md", "up/outside/s.md", "away/s.md", "file", "abs/s.md", "d/far/s.md", "here/here/up/root/b.md", "../allowed/out/s.md", "away/back/b.md", "/", "loop/../away/s.md", "d/../up/./outside//s.md"} {
		f.Add("@<" + seed + ">\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := &overlay{Folder: folder, text: text}
		c, err := include.Resolve(t.Context(), files, "b.md", include.Options{})
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("the message tells: %v", err)
			}
			return
		}
		if c.Check() == nil && strings.Contains(expansion(t, c), secret) && !strings.Contains(text, secret) {
			t.Fatalf("%q reaches it", text)
		}
	})
}

// overlay is a folder whose b.md has another text.
type overlay struct {
	*include.Folder
	text string
}

func (o *overlay) Read(ctx context.Context, place include.Place, limit int64) ([]byte, error) {
	if place.Source() == "b.md" {
		return []byte(o.text), nil
	}
	return o.Folder.Read(ctx, place, limit)
}
