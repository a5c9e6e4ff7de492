package validator_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
)

// Random trees against a model that looks at one path at a time and knows nothing of cores or open folders.
func TestModel(t *testing.T) {
	rounds := 120
	if testing.Short() {
		rounds = 30
	}
	for seed := range uint64(rounds) {
		random := rand.New(rand.NewPCG(seed, 0))
		dir := t.TempDir()
		lock := randomTarget(t, random, dir)
		var bends []string
		for range random.IntN(6) {
			bends = append(bends, bend(t, random, dir, lock))
		}
		report := validate(t, dir)
		var got []string
		for _, f := range report.Faults {
			got = append(got, fmt.Sprint(f.Code, " ", f.Destination, " ", f.LineEndingsOnly))
		}
		var want []string
		for _, f := range lock.Files {
			if code := model(dir, f); code != "" {
				want = append(want, code)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d, %v: got %v, want %v", seed, bends, got, want)
		}
	}
}

// randomTarget writes a valid target of a few files, some deep, with text of LF lines.
func randomTarget(t *testing.T, random *rand.Rand, dir string) *lockv2.Lock {
	lock := targettest.Lock()
	lock.Files = lock.Files[:1]
	targettest.File(t, dir, string(lock.Files[0].Destination), "managed by compose\n")
	seen := map[string]bool{}
	for range 1 + random.IntN(12) {
		name := "f" + fmt.Sprint(random.IntN(100))
		for range random.IntN(4) {
			name = string("abc"[random.IntN(3)]) + "/" + name
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		text := strings.Repeat("line\n", random.IntN(5))
		targettest.File(t, dir, name, text)
		lock.Files = append(lock.Files, lockv2.File{
			Destination: lockv2.Destination(name), Component: "artifact.app-core", Digest: digest([]byte(text)),
			Ownership: []lockv2.Ownership{lockv2.Managed, lockv2.Generated, lockv2.Seed}[random.IntN(3)],
		})
	}
	slices.SortFunc(lock.Files, func(a, b lockv2.File) int { return strings.Compare(string(a.Destination), string(b.Destination)) })
	b, err := lockv2.Encode(lock)
	if err != nil {
		t.Fatal(err)
	}
	targettest.File(t, dir, lockv2.LockPath, string(b))
	return lock
}

// bend changes what is at a file of the lock or at one of its folders, not at the state folder, and says how.
func bend(t *testing.T, random *rand.Rand, dir string, lock *lockv2.Lock) string {
	segments := strings.Split(string(lock.Files[random.IntN(len(lock.Files))].Destination), "/")
	if segments[0] == lockv2.StateFolder {
		return ""
	}
	name := strings.Join(segments[:1+random.IntN(len(segments))], "/")
	at := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Lstat(filepath.Dir(at)); err != nil || !plainFolders(dir, name) {
		return "" // an earlier bend took the place away
	}
	switch kind := random.IntN(6); kind {
	case 0:
		targettest.Remove(t, dir, name)
	case 1:
		targettest.Symlink(t, dir, name, []string{"none", ".", filepath.Base(at)}[random.IntN(3)])
	case 2:
		targettest.FIFO(t, dir, name)
	case 3:
		targettest.Remove(t, dir, name)
		targettest.File(t, dir, name, "other\n")
	case 4:
		targettest.Remove(t, dir, name)
		targettest.File(t, dir, name+"/inside", "")
	default:
		if !regular(at) {
			return ""
		}
		b, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		targettest.File(t, dir, name, strings.Replace(string(b), "\n", "\r\n", 1+random.IntN(3)))
	}
	return name
}

func regular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// plainFolders reports whether everything above name is a folder.
func plainFolders(dir, name string) bool {
	for parent := filepath.Dir(name); parent != "."; parent = filepath.Dir(parent) {
		if info, err := os.Lstat(filepath.Join(dir, parent)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// model returns "CODE destination line-endings-only" or "".
func model(dir string, f lockv2.File) string {
	fault := func(code string) string { return fmt.Sprint(code, " ", f.Destination, " ", false) }
	at := dir
	segments := strings.Split(string(f.Destination), "/")
	for i, segment := range segments {
		at = filepath.Join(at, segment)
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			return fault("MATERIAL_MISSING")
		case info.Mode()&os.ModeSymlink != 0:
			return fault("MATERIAL_SYMLINK")
		case i < len(segments)-1 && !info.IsDir():
			return fault("MATERIAL_MISSING")
		case i == len(segments)-1 && !info.Mode().IsRegular():
			return fault("MATERIAL_NOT_REGULAR")
		}
	}
	if f.Ownership == lockv2.Seed {
		return ""
	}
	b, err := os.ReadFile(at)
	switch {
	case err != nil:
		return fault("READ_FAILED")
	case digest(b) == f.Digest:
		return ""
	}
	lf := digest(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))) == f.Digest
	return fmt.Sprint("MATERIAL_MODIFIED ", f.Destination, " ", lf)
}

// Any bytes as a lock: an answer, in both forms, and the same bytes again.
func FuzzLock(f *testing.F) {
	f.Add(strictjson.Encode(targettest.Lock().Value()))
	for _, text := range targettest.BadLocks() {
		if len(text) < 1<<16 {
			f.Add([]byte(text))
		}
	}
	dir := f.TempDir()
	targettest.Write(f, dir)
	f.Fuzz(func(t *testing.T, lock []byte) {
		targettest.File(t, dir, lockv2.LockPath, string(lock))
		report := validate(t, dir)
		for _, document := range []strictjson.Value{report.Document(), report.InspectDocument(strictjson.Value{}, report.Next())} {
			b := strictjson.Encode(document)
			again, err := strictjson.Parse(b, 0)
			if err != nil || !bytes.Equal(strictjson.Encode(again), b) {
				t.Errorf("no document: %v\n%s", err, b)
			}
		}
		var text bytes.Buffer
		if err := report.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(text.Bytes(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x202e }); i >= 0 {
			t.Errorf("%q is not for a terminal", text.Bytes())
		}
		if _, err := lockv2.Parse(lock); (err == nil) != (report.Lock != nil) {
			t.Errorf("Parse says %v, the report %v", err, report.Lock)
		}
	})
}
