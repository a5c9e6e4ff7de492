package targettest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

// Case is one target and the verdict on it.
type Case struct {
	Name   string
	Bend   func(t testing.TB, dir string) // changes the valid target at dir
	Root   string                         // what to validate, "/"-separated below dir; "" for dir itself
	State  string
	Errors []string // "CODE" or "CODE destination", in order
}

// Cases returns the table. Each case is to be built in a folder of its own.
func Cases() []Case {
	cases := slices.Concat(fileCases(), stateCases(), policyCases(), rootCases())
	locks := BadLocks()
	for _, name := range slices.Sorted(maps.Keys(locks)) {
		text := locks[name]
		code := "INVALID_LOCK"
		switch {
		case strings.HasPrefix(name, "JSON: "):
			code = "INVALID_JSON"
		case strings.HasPrefix(name, "version: "):
			code = "UNSUPPORTED_LOCK_VERSION"
		}
		cases = append(cases, Case{
			Name:   "lock, " + name,
			Bend:   func(t testing.TB, dir string) { File(t, dir, lockv2.LockPath, text) },
			State:  "managed-invalid",
			Errors: []string{code},
		})
	}
	return cases
}

func fileCases() []Case {
	text := func(name, text string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { File(t, dir, name, text) }
	}
	gone := func(name string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { Remove(t, dir, name) }
	}
	fifo := func(name string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { FIFO(t, dir, name) }
	}
	link := func(name, to string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { Symlink(t, dir, name, to) }
	}
	folder := func(name string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { Remove(t, dir, name); File(t, dir, name+"/x", "x") }
	}
	const valid, invalid = "managed-valid", "managed-invalid"
	return []Case{
		{"valid", func(testing.TB, string) {}, "", valid, nil},
		{"extra files", text("extra/file", "mine"), "", valid, nil},
		{"managed, edited", text("a.txt", "b\n"), "", invalid, []string{"MATERIAL_MODIFIED a.txt"}},
		{"managed, emptied", text("a.txt", ""), "", invalid, []string{"MATERIAL_MODIFIED a.txt"}},
		{"managed, CRLF", text("docs/guide/deep.md", "one\r\ntwo\r\n"), "", invalid, []string{"MATERIAL_MODIFIED docs/guide/deep.md"}},
		{"managed, some CRLF", text("docs/guide/deep.md", "one\ntwo\r\n"), "", invalid, []string{"MATERIAL_MODIFIED docs/guide/deep.md"}},
		{"managed, CR alone", text("docs/guide/deep.md", "one\rtwo\r"), "", invalid, []string{"MATERIAL_MODIFIED docs/guide/deep.md"}},
		{"managed, missing", gone("a.txt"), "", invalid, []string{"MATERIAL_MISSING a.txt"}},
		{"managed, a FIFO", fifo("a.txt"), "", invalid, []string{"MATERIAL_NOT_REGULAR a.txt"}},
		{"managed, a folder", folder("a.txt"), "", invalid, []string{"MATERIAL_NOT_REGULAR a.txt"}},
		{"managed, a symlink to the same bytes", func(t testing.TB, dir string) {
			File(t, dir, "copy", "a\n")
			Symlink(t, dir, "a.txt", "copy")
		}, "", invalid, []string{"MATERIAL_SYMLINK a.txt"}},
		{"managed, a symlink to nothing", link("a.txt", "none"), "", invalid, []string{"MATERIAL_SYMLINK a.txt"}},
		{"managed, a symlink to itself", link("a.txt", "a.txt"), "", invalid, []string{"MATERIAL_SYMLINK a.txt"}},
		{"generated, edited", text("contracts/manifest.json", "{ }"), "", invalid, []string{"MATERIAL_MODIFIED contracts/manifest.json"}},
		{"seed, edited", text("README.md", "mine\n"), "", valid, nil},
		{"seed, empty", text("README.md", ""), "", valid, nil},
		{"seed, missing", gone("README.md"), "", invalid, []string{"MATERIAL_MISSING README.md"}},
		{"seed, a symlink", link("README.md", "a.txt"), "", invalid, []string{"MATERIAL_SYMLINK README.md"}},
		{"seed, a FIFO", fifo("README.md"), "", invalid, []string{"MATERIAL_NOT_REGULAR README.md"}},
		{"seed, a folder", folder("README.md"), "", invalid, []string{"MATERIAL_NOT_REGULAR README.md"}},
		{"parent, a symlink inside", func(t testing.TB, dir string) {
			if err := os.Rename(filepath.Join(dir, "docs"), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			Symlink(t, dir, "docs", "moved")
		}, "", invalid, []string{"MATERIAL_SYMLINK docs/guide/deep.md"}},
		{"parent, a symlink outside", link("docs/guide", ".."), "", invalid, []string{"MATERIAL_SYMLINK docs/guide/deep.md"}},
		{"parent, a file", func(t testing.TB, dir string) { Remove(t, dir, "docs"); File(t, dir, "docs", "x") }, "", invalid, []string{"MATERIAL_MISSING docs/guide/deep.md"}},
		{"parent, a FIFO", fifo("docs/guide"), "", invalid, []string{"MATERIAL_MISSING docs/guide/deep.md"}},
		{"parent, missing", gone("docs"), "", invalid, []string{"MATERIAL_MISSING docs/guide/deep.md"}},
		{"several faults", func(t testing.TB, dir string) {
			FIFO(t, dir, "README.md")
			Remove(t, dir, ".template-composition/about.txt")
			File(t, dir, "docs/guide/deep.md", "one\r\ntwo\n")
			Symlink(t, dir, "contracts/manifest.json", "../a.txt")
			File(t, dir, "a.txt", "b")
		}, "", invalid, []string{
			"MATERIAL_MISSING .template-composition/about.txt", "MATERIAL_NOT_REGULAR README.md", "MATERIAL_MODIFIED a.txt",
			"MATERIAL_SYMLINK contracts/manifest.json", "MATERIAL_MODIFIED docs/guide/deep.md",
		}},
		{"permission bits", func(t testing.TB, dir string) {
			for _, name := range []string{"a.txt", "README.md", lockv2.LockPath} {
				if err := os.Chmod(filepath.Join(dir, filepath.FromSlash(name)), 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}, "", valid, nil},
	}
}

func stateCases() []Case {
	marker := func(text string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { File(t, dir, lockv2.MarkerPath, text) }
	}
	const interrupted, invalid = "managed-interrupted", "managed-invalid"
	recovery := []string{"RECOVERY_REQUIRED"}
	return []Case{
		{"marker", marker("{}"), "", interrupted, recovery},
		{"marker, empty", marker(""), "", interrupted, recovery},
		{"marker, a folder", func(t testing.TB, dir string) { File(t, dir, lockv2.MarkerPath+"/x", "") }, "", interrupted, recovery},
		{"marker, a symlink to nothing", func(t testing.TB, dir string) { Symlink(t, dir, lockv2.MarkerPath, "none") }, "", interrupted, recovery},
		{"marker, a FIFO", func(t testing.TB, dir string) { FIFO(t, dir, lockv2.MarkerPath) }, "", interrupted, recovery},
		{"marker, and files in between", func(t testing.TB, dir string) {
			File(t, dir, lockv2.MarkerPath, "{}")
			File(t, dir, "a.txt", "new")
		}, "", interrupted, recovery},
		{"marker, no lock", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.LockPath)
			File(t, dir, lockv2.MarkerPath, "{}")
		}, "", interrupted, []string{"RECOVERY_REQUIRED", "LOCK_MISSING"}},
		{"marker, bad lock", func(t testing.TB, dir string) {
			File(t, dir, lockv2.LockPath, "{}")
			File(t, dir, lockv2.MarkerPath, "{}")
		}, "", interrupted, []string{"RECOVERY_REQUIRED", "INVALID_LOCK"}},
		{"no lock", func(t testing.TB, dir string) { Remove(t, dir, lockv2.LockPath) }, "", "unmanaged", []string{"LOCK_MISSING"}},
		{"left-over staging, no lock", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.LockPath)
			File(t, dir, lockv2.StagingFolder+"/0", "x")
		}, "", "unmanaged", []string{"LOCK_MISSING"}},
		{"no state folder", func(t testing.TB, dir string) { Remove(t, dir, lockv2.StateFolder) }, "", "unmanaged", []string{"LOCK_MISSING"}},
		{"state folder, a symlink", func(t testing.TB, dir string) {
			if err := os.Rename(filepath.Join(dir, lockv2.StateFolder), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			Symlink(t, dir, lockv2.StateFolder, "moved")
		}, "", invalid, []string{"INVALID_LOCK"}},
		{"state folder, a symlink to nothing", func(t testing.TB, dir string) { Symlink(t, dir, lockv2.StateFolder, "none") }, "", invalid, []string{"INVALID_LOCK"}},
		{"state folder, a file", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.StateFolder)
			File(t, dir, lockv2.StateFolder, "")
		}, "", invalid, []string{"INVALID_LOCK"}},
		{"state folder, a FIFO", func(t testing.TB, dir string) { FIFO(t, dir, lockv2.StateFolder) }, "", invalid, []string{"INVALID_LOCK"}},
		{"lock, a symlink to a good one", func(t testing.TB, dir string) {
			if err := os.Rename(filepath.Join(dir, filepath.FromSlash(lockv2.LockPath)), filepath.Join(dir, "moved")); err != nil {
				t.Fatal(err)
			}
			Symlink(t, dir, lockv2.LockPath, "../moved")
		}, "", invalid, []string{"INVALID_LOCK"}},
		{"lock, a folder", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.LockPath)
			File(t, dir, lockv2.LockPath+"/x", "")
		}, "", invalid, []string{"INVALID_LOCK"}},
		{"lock, a FIFO", func(t testing.TB, dir string) { FIFO(t, dir, lockv2.LockPath) }, "", invalid, []string{"INVALID_LOCK"}},
		{"lock, past the bound", func(t testing.TB, dir string) {
			if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(lockv2.LockPath)), lockv2.MaxSize+1); err != nil {
				t.Fatal(err)
			}
		}, "", invalid, []string{"INVALID_LOCK"}},
		{"lock, CRLF", func(t testing.TB, dir string) {
			File(t, dir, lockv2.LockPath, strings.ReplaceAll(encoded(), "\n", "\r\n"))
		}, "", "managed-valid", nil},
	}
}

func policyCases() []Case {
	const path = lockv2.PolicyPath
	write := func(text string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { File(t, dir, path, text) }
	}
	const allows, forbids = `{"schema_version":1,"repositories":["example/catalog"]}`, `{"schema_version":1,"repositories":["example/other"]}`
	const valid, invalid = "managed-valid", "managed-invalid"
	bad := []string{"INVALID_POLICY"}
	return []Case{
		{"policy, empty", write(`{"schema_version":1}`), "", valid, nil},
		{"policy, allowed", write(allows), "", valid, nil},
		{"policy, of signers and sources", write(`{"$schema":"x","schema_version":1,"sources":["local"],"signers":["a@example.org ssh-ed25519 AAAA"]}`), "", valid, nil},
		{"policy, not allowed", write(forbids), "", invalid, []string{"SOURCE_IDENTITY_NOT_ALLOWED"}},
		{"policy, not allowed, and a file edited", func(t testing.TB, dir string) {
			File(t, dir, path, forbids)
			File(t, dir, "a.txt", "b")
		}, "", invalid, []string{"SOURCE_IDENTITY_NOT_ALLOWED", "MATERIAL_MODIFIED a.txt"}},
		{"policy, no JSON", write(`{`), "", invalid, bad},
		{"policy, no bytes", write(""), "", invalid, bad},
		{"policy, an unknown field", write(`{"schema_version":1,"repository":"example/catalog"}`), "", invalid, bad},
		{"policy, nobody allowed", write(`{"schema_version":1,"signers":[]}`), "", invalid, bad},
		{"policy, past the bound", write(`{"schema_version":1}` + strings.Repeat("\n", 1<<20)), "", invalid, bad},
		{"policy, a folder", func(t testing.TB, dir string) { File(t, dir, path+"/x", "") }, "", invalid, bad},
		{"policy, a FIFO", func(t testing.TB, dir string) { FIFO(t, dir, path) }, "", invalid, bad},
		{"policy, a symlink to a good one", func(t testing.TB, dir string) {
			File(t, dir, "moved", allows)
			Symlink(t, dir, path, "../moved")
		}, "", invalid, bad},
		{"policy, a symlink to nothing", func(t testing.TB, dir string) { Symlink(t, dir, path, "none") }, "", invalid, bad},
		{"policy, misspelled", func(t testing.TB, dir string) { File(t, dir, lockv2.StateFolder+"/Policy.json", "{") }, "", invalid, bad},
		{"policy, bad, and no lock", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.LockPath)
			File(t, dir, path, "{}")
		}, "", "unmanaged", []string{"LOCK_MISSING", "INVALID_POLICY"}},
		{"policy, and no lock", func(t testing.TB, dir string) {
			Remove(t, dir, lockv2.LockPath)
			File(t, dir, path, forbids)
		}, "", "unmanaged", []string{"LOCK_MISSING"}},
		{"policy, bad, and a bad lock", func(t testing.TB, dir string) {
			File(t, dir, lockv2.LockPath, "{}")
			File(t, dir, path, "{}")
		}, "", invalid, []string{"INVALID_LOCK", "INVALID_POLICY"}},
		{"policy, bad, and a marker", func(t testing.TB, dir string) {
			File(t, dir, lockv2.MarkerPath, "{}")
			File(t, dir, path, "{}")
		}, "", "managed-interrupted", []string{"RECOVERY_REQUIRED", "INVALID_POLICY"}},
		{"policy, not allowed, and a marker", func(t testing.TB, dir string) {
			File(t, dir, lockv2.MarkerPath, "{}")
			File(t, dir, path, forbids)
		}, "", "managed-interrupted", []string{"RECOVERY_REQUIRED", "SOURCE_IDENTITY_NOT_ALLOWED"}},
	}
}

func rootCases() []Case {
	plain := func(testing.TB, string) {}
	linked := func(t testing.TB, dir string) {
		Symlink(t, dir, "link", ".")
		FIFO(t, dir, "fifo")
	}
	return []Case{
		{"root, with a slash", plain, "./", "managed-valid", nil},
		{"root, with a dot", plain, ".", "managed-valid", nil},
		{"root, absent", plain, "none", "absent", []string{"INVALID_TARGET"}},
		{"root, a file", plain, "a.txt", "invalid", []string{"INVALID_TARGET"}},
		{"root, below a file", plain, "a.txt/x", "invalid", []string{"INVALID_TARGET"}},
		{"root, an empty folder", func(t testing.TB, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "empty", "unmanaged", []string{"LOCK_MISSING"}},
		{"root, a symlink", linked, "link", "invalid", []string{"INVALID_TARGET"}},
		{"root, a symlink with a slash", linked, "link/", "invalid", []string{"INVALID_TARGET"}},
		{"root, a FIFO", linked, "fifo", "invalid", []string{"INVALID_TARGET"}},
		{"root, below a symlink", func(t testing.TB, dir string) {
			linked(t, dir)
			if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, "link/empty", "unmanaged", []string{"LOCK_MISSING"}},
	}
}
