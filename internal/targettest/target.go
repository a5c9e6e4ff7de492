// Package targettest makes targets for tests: folders with a lock and the files that it lists, then bent in
// one way each, with the verdict that a validation must give.
//
// Start with Cases. The validator and the consumer's generated validator are both held against the same
// table, so that they can't come to differ.
package targettest

import (
	"crypto/sha256"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// The files of a Target, by destination: ownership, a space, contents.
var files = map[lockv2.Destination]string{
	".template-composition/about.txt": "managed managed by compose\n",
	"README.md":                       "seed # app\n",
	"contracts/manifest.json":         "generated {}\n",
	"docs/guide/deep.md":              "managed one\ntwo\n",
	"a.txt":                           "managed a\n",
}

// Lock returns the lock of the target that Write makes.
func Lock() *lockv2.Lock {
	digest := func(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }
	l := &lockv2.Lock{
		Source:              lockv2.Source{Repository: "example/catalog", Revision: lockv2.Revision(strings.Repeat("1", 40))},
		Intent:              lockv2.Intent{Recipe: "app", Parameters: strictjson.Obj()},
		RecipeDigest:        fingerprint.Recipe(digest("recipe")),
		ConfigurationDigest: fingerprint.Configuration(digest("configuration")),
		Components: []lockv2.Component{
			{ID: "artifact.app-core", Version: 1, Digest: fingerprint.Descriptor(digest("app"))},
			{ID: lockv2.StateComponent, Version: 1, Digest: fingerprint.Descriptor(digest("state"))},
		},
	}
	for _, d := range slices.Sorted(maps.Keys(files)) {
		ownership, text, _ := strings.Cut(files[d], " ")
		f := lockv2.File{Destination: d, Component: "artifact.app-core", Ownership: lockv2.Ownership(ownership), Digest: fingerprint.Material(digest(text))}
		if strings.HasPrefix(string(d), lockv2.StateFolder) {
			f.Component = lockv2.StateComponent
		}
		l.Files = append(l.Files, f)
	}
	return l
}

// Write makes a valid target in the folder dir.
func Write(t testing.TB, dir string) {
	t.Helper()
	for d, file := range files {
		_, text, _ := strings.Cut(file, " ")
		File(t, dir, string(d), text)
	}
	b, err := lockv2.Encode(Lock())
	if err != nil {
		t.Fatal(err)
	}
	File(t, dir, lockv2.LockPath, string(b))
}

// File writes a file below dir, and the folders on its way.
func File(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Remove takes away what is at name below dir, whatever it is.
func Remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// Symlink puts a symlink in the place of name below dir.
func Symlink(t testing.TB, dir, name, to string) {
	t.Helper()
	Remove(t, dir, name)
	if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Skip("no symlinks here: ", err)
	}
}

// FIFO puts a FIFO in the place of name below dir.
func FIFO(t testing.TB, dir, name string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no FIFOs here")
	}
	Remove(t, dir, name)
	if err := mkfifo(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}
