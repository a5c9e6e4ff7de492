package txn

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// Without a power failure a memory is a file system like any other: the same calls in any order, with the same
// outcome, as on a real one.
func TestModelAgainstRealDisk(t *testing.T) {
	paths := []string{"a", "b", "d", "d/a", "d/e", "d/e/a", "d/e/b", "l", "l/a"}
	agreed := map[string]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dir := memoryDir(t)
		real := realDisk(t, dir)
		model := newMemory(traits{})
		if err := os.Symlink("d", filepath.Join(dir, "l")); err != nil {
			t.Fatal(err)
		}
		model.record(nil, write{slot{model.root, "l"}, &inode{kind: fs.ModeSymlink}})
		for step := range 80 {
			a, b := paths[rng.IntN(len(paths))], paths[rng.IntN(len(paths))]
			real.Forget() // the folders that these calls move are not where they were opened
			op, got, want := sameCall(rng, real, model, a, b)
			if class(got) != class(want) {
				t.Fatalf("seed %d, step %d: %s %s %s: the model says %v, the disk %v", seed, step, op, a, b, got, want)
			}
			sameTree(t, model.tree(), described(tree(t, dir)), op+" "+a+" "+b)
			agreed[op+", "+class(got)]++
		}
	}
	t.Log(agreed)
}

// sameCall makes one call on both.
func sameCall(rng *rand.Rand, real disk, model *memory, a, b string) (op string, got, want error) {
	at := lockv2.Destination(a)
	switch rng.IntN(12) {
	case 0:
		return "mkdir", model.mkdir(a), real.Mkdir(a)
	case 1, 2:
		made, err := model.create(a, b == "b")
		f, failed := real.Create(a, b == "b")
		if err == nil && failed == nil {
			made.now.text = b
			_, failed = f.Write([]byte(b))
			if b == "d" {
				made.now.mode = 0o600
				failed = errors.Join(failed, f.Take(attributes{0o600, -1, -1}))
			}
			failed = errors.Join(failed, f.Sync(), f.Close())
		}
		return "create", err, failed
	case 3:
		return "install", model.install(a, b), real.Install(a, b)
	case 4:
		return "exchange", model.exchange(a, b), real.Exchange(a, b)
	case 5:
		return "replace", model.replace(a, b), real.Replace(a, b)
	case 6:
		return "publish", model.publish(a, []byte(b)), published(real, a, b)
	case 7:
		return "unlink", model.unlink(a), real.Unlink(a)
	case 8:
		return "rmdir", model.rmdir(a), real.Rmdir(a)
	case 9:
		one, err := model.digest(at)
		other, failed := real.Digest(context.Background(), at, make([]byte, 100))
		if err == nil && failed == nil && one != other {
			failed = errors.New("another digest")
		}
		return "digest", err, failed
	case 10:
		one, err := model.attributes(at)
		other, failed := real.Attributes(at)
		if err == nil && failed == nil && one.mode != other.mode {
			failed = errors.New("another mode")
		}
		return "attributes", err, failed
	}
	_, err := model.list(a, -1)
	_, failed := real.List(a, -1)
	if err == nil {
		err, failed = model.syncFolder(a), errors.Join(failed, real.SyncFolder(a))
	}
	return "list", err, failed
}

// published is what becomes of a draft.
func published(d disk, path, text string) error {
	folder, _ := split(path)
	f, err := d.Unnamed(folder)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(text))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = d.Link(f, path)
	}
	return errors.Join(err, f.Close())
}

// class is what callers tell errors apart by.
func class(err error) string {
	var fault *rootfs.Error
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
		return "missing"
	case errors.As(err, &fault):
		return "no file"
	case errors.Is(err, fs.ErrExist):
		return "exists"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	}
	return "fails"
}

// described is a tree of a real disk as memory.tree has it.
func described(tree map[string]string) map[string]string {
	for path, what := range tree {
		if what[0] == 'L' {
			tree[path] = "link"
		}
	}
	return tree
}

// realDisk opens dir.
func realDisk(t *testing.T, dir string) disk {
	t.Helper()
	root, err := rootfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	top, err := root.Folder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { top.Close() })
	d, err := newDisk(root, top, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}
