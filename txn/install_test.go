package txn

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

const testLock = "the lock\n"

// sample is a small composition: the wanted files, one of them executable, one empty, one below the composer's own folder.
var sample = map[string]string{
	".template-composition/about.txt": "managed\n",
	"README.md":                       "# app\n",
	"bin/run":                         "#!/bin/sh\n",
	"docs/deep/er/x.md":               "x\n",
	"docs/empty":                      "",
}

// stand opens dir as a target and makes an installation of files into it. Those in there already are adopted.
func stand(t *testing.T, dir string, files map[string]string, wrap func(disk) disk) *installation {
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
	real, err := newDisk(root, top, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Close)
	n := &installation{composer: composer{disk: real}, lock: []byte(testLock), above: func() error { return nil }}
	if wrap != nil {
		n.disk = wrap(real)
	}
	for _, destination := range slices.Sorted(maps.Keys(files)) {
		content := files[destination]
		m := &planner.Material{Destination: lockv2.Destination(destination), Digest: sha256.Sum256([]byte(content)), Size: int64(len(content)),
			Executable: strings.HasPrefix(destination, "bin/")}
		kind := planner.Create
		if _, err := os.Lstat(filepath.Join(dir, destination)); err == nil {
			kind = planner.AdoptIdentical
		}
		n.actions = append(n.actions, planner.Action{Kind: kind, Material: m})
	}
	n.source = textSource(func(m *planner.Material) string { return files[string(m.Destination)] })
	return n
}

// memoryDir is t.TempDir on a file system in memory where there is one: thousands of flushes that no disk waits for.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "txn")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// tree returns what is below dir: mode and content by path, "folder" for a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			out[rel] = "folder"
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[rel] = fmt.Sprintf("%v %s", info.Mode(), b)
		default:
			out[rel] = info.Mode().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t *testing.T, got, want map[string]string, when string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("%s:\n got  %q\n want %q", when, got, want)
	}
}

// finished is the tree of an uninterrupted run of sample.
func finished(t *testing.T) (want map[string]string, calls []string) {
	t.Helper()
	dir := memoryDir(t)
	count := &faultDisk{}
	n := stand(t, dir, sample, func(d disk) disk { count.disk = d; return count })
	if err := n.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want = tree(t, dir)
	if len(want) != len(sample)+6 { // the lock and five folders
		t.Fatalf("the finished tree is %q", want)
	}
	return want, count.calls
}

func TestInstallInOrder(t *testing.T) {
	want, calls := finished(t)
	if want["bin/run"] != "-rwxr-xr-x #!/bin/sh\n" || want["README.md"] != "-rw-r--r-- # app\n" || want[lockv2.LockPath] != "-rw-r--r-- "+testLock {
		t.Errorf("modes or bytes: %q", want)
	}
	at := func(call string) int {
		i := slices.Index(calls, call)
		if i < 0 {
			t.Fatalf("no call %q in %q", call, calls)
		}
		return i
	}
	publish := at("link " + lockv2.LockPath)
	for i, destination := range slices.Sorted(maps.Keys(sample)) {
		install := at("install " + destination)
		if at("fsync "+stagingName(i)) > install {
			t.Errorf("%s was installed before its bytes were flushed", destination)
		}
		for folder, _ := split(destination); ; folder, _ = split(folder) {
			if flushed := at("syncfolder " + folder); flushed < install || flushed > publish {
				t.Errorf("folder %q of %s was flushed at %d: not between install %d and lock %d", folder, destination, flushed, install, publish)
			}
			if folder == "" {
				break
			}
		}
	}
	if swept := at("rmdir " + lockv2.StagingFolder); swept > at("syncfolder "+lockv2.StateFolder) {
		t.Error("staging was removed after its folder was flushed")
	}
	if last := calls[len(calls)-1]; last != "syncfolder "+lockv2.StateFolder || publish != len(calls)-2 {
		t.Errorf("after the lock came %q", calls[publish:])
	}
}

// A process that ends at any call leaves an unmanaged target, and the next run makes exactly the finished tree of it.
func TestStoppedAtEveryCall(t *testing.T) {
	want, calls := finished(t)
	for k := 1; k <= len(calls)+1; k++ {
		dir := memoryDir(t)
		stop := &faultDisk{fail: k, stop: true, err: errors.New("the process ended")}
		err := stand(t, dir, sample, func(d disk) disk { stop.disk = d; return stop }).run(t.Context())
		_, locked := tree(t, dir)[lockv2.LockPath]
		if locked {
			// The end came at the flush after the lock, or not at all.
			sameTree(t, tree(t, dir), want, fmt.Sprintf("with a lock, after a stop at call %d of %q", k, stop.calls))
			continue
		}
		if err == nil {
			t.Fatalf("call %d of %q failed, the run did not", k, stop.calls)
		}
		again := stand(t, dir, sample, nil)
		if err := again.run(t.Context()); err != nil {
			t.Fatalf("the run after a stop at call %d of %q: %v", k, stop.calls, err)
		}
		sameTree(t, tree(t, dir), want, fmt.Sprintf("after a stop at call %d of %q and another run", k, stop.calls))
	}
}

// Any call that fails ends the run with a code, no lock and nothing left over; once the fault is gone the same
// run finishes.
func TestFailingAtEveryCall(t *testing.T) {
	want, calls := finished(t)
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EROFS, syscall.EMFILE} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			for k := 1; k <= len(calls); k++ {
				failOnce(t, errno, k, want)
			}
		})
	}
}

func failOnce(t *testing.T, errno syscall.Errno, k int, want map[string]string) {
	t.Helper()
	dir := memoryDir(t)
	fail := &faultDisk{fail: k, err: errno}
	err := stand(t, dir, sample, func(d disk) disk { fail.disk = d; return fail }).run(t.Context())
	when := fmt.Sprintf("after %v at call %d of %q", errno, k, fail.calls)
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodeWriteFailed || !errors.Is(err, errno) {
		t.Fatalf("%s: %v", when, err)
	}
	if strings.Contains(err.Error(), "staging/") {
		t.Errorf("%s: the message names a temporary file: %v", when, err)
	}
	got := tree(t, dir)
	for path := range got {
		if path == lockv2.LockPath || strings.HasPrefix(path, lockv2.StagingFolder) {
			t.Errorf("%s: %s is left", when, path)
		}
		below := func(other string) bool { return strings.HasPrefix(other, path+"/") }
		if got[path] == "folder" && !slices.ContainsFunc(slices.Collect(maps.Keys(got)), below) {
			t.Errorf("%s: the empty folder %s is left", when, path)
		}
	}
	if err := stand(t, dir, sample, nil).run(t.Context()); err != nil {
		t.Fatalf("%s, the next run: %v", when, err)
	}
	sameTree(t, tree(t, dir), want, when+" and another run")
}

// Whatever a consumer puts at a destination between plan and install, its bytes stay, and the run stops.
func TestConsumerBeforeInstall(t *testing.T) {
	for destination := range sample {
		for _, how := range []string{"file", "link", "folder"} {
			dir := t.TempDir()
			watch := &faultDisk{before: func(_ int, op, path string) {
				full := filepath.Join(dir, destination)
				if op != "install" || path != destination {
					return
				}
				switch how {
				case "file":
					_ = os.WriteFile(full, []byte("consumer's"), 0o600)
				case "link":
					_ = os.Symlink("/etc/hostname", full)
				case "folder":
					_ = os.Mkdir(full, 0o755)
				}
			}}
			err := stand(t, dir, sample, func(d disk) disk { watch.disk = d; return watch }).run(t.Context())
			var fault *Error
			if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || fault.Path() != destination {
				t.Errorf("%s at %s: %v", how, destination, err)
			}
			got := tree(t, dir)
			wants := map[string]string{"file": "-rw------- consumer's", "link": "Lrwxrwxrwx", "folder": "folder"}
			if got[destination] != wants[how] || got[lockv2.LockPath] != "" || got[lockv2.StagingFolder] != "" {
				t.Errorf("%s at %s: the tree is %q", how, destination, got)
			}
		}
	}
}

func TestConsumerMadeTheSame(t *testing.T) {
	dir := t.TempDir()
	watch := &faultDisk{before: func(_ int, op, path string) {
		if op == "install" && path == "README.md" {
			_ = os.WriteFile(filepath.Join(dir, path), []byte(sample[path]), 0o600)
		}
	}}
	n := stand(t, dir, sample, func(d disk) disk { watch.disk = d; return watch })
	if err := n.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	created, adopted := n.done()
	if len(created) != len(sample)-1 || !slices.Equal(adopted, []lockv2.Destination{"README.md"}) {
		t.Errorf("created %q, adopted %q", created, adopted)
	}
	if !slices.Contains(watch.calls, "sync README.md") {
		t.Errorf("the file that was found was not flushed: %q", watch.calls)
	}
	if got := tree(t, dir); got["README.md"] != "-rw------- # app\n" || got[lockv2.StagingFolder] != "" {
		t.Errorf("the tree is %q", got)
	}
}

func TestAdoptedFileChanges(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(sample["README.md"]), 0o644); err != nil {
		t.Fatal(err)
	}
	watch := &faultDisk{before: func(_ int, op, path string) {
		if op == "digest" && path == "README.md" {
			_ = os.WriteFile(filepath.Join(dir, path), []byte("edited"), 0o644)
		}
	}}
	err := stand(t, dir, sample, func(d disk) disk { watch.disk = d; return watch }).run(t.Context())
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || fault.Path() != "README.md" {
		t.Fatal(err)
	}
	if got := tree(t, dir); got["README.md"] != "-rw-r--r-- edited" || got[lockv2.LockPath] != "" {
		t.Errorf("the tree is %q", got)
	}
}

func TestFolderBecomesALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	watch := &faultDisk{before: func(_ int, op, path string) {
		if op == "mkdir" && path == "docs" {
			_ = os.Symlink(elsewhere, filepath.Join(dir, path))
		}
	}}
	err := stand(t, dir, sample, func(d disk) disk { watch.disk = d; return watch }).run(t.Context())
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged {
		t.Fatal(err)
	}
	if got := tree(t, elsewhere); len(got) != 0 {
		t.Errorf("behind the link: %q", got)
	}
}

// What is left in staging is removed and never written to: here it shares its data with a consumer's file.
func TestLeftOverStaging(t *testing.T) {
	want, _ := finished(t)
	dir := t.TempDir()
	staging := filepath.Join(dir, lockv2.StagingFolder)
	if err := os.MkdirAll(filepath.Join(staging, "deep", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	precious := filepath.Join(dir, "precious")
	for _, err := range []error{
		os.WriteFile(precious, []byte("precious"), 0o644),
		os.Link(precious, filepath.Join(staging, "0")),
		os.Symlink("../../precious", filepath.Join(staging, "1")),
		os.WriteFile(filepath.Join(staging, "deep", "er", "x"), nil, 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := stand(t, dir, sample, nil).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want["precious"] = "-rw-r--r-- precious"
	sameTree(t, tree(t, dir), want, "over left-over staging")
}

func TestContextEndsAtEveryCall(t *testing.T) {
	want, calls := finished(t)
	for k := 1; k <= len(calls); k++ {
		dir := memoryDir(t)
		ctx, cancel := context.WithCancel(t.Context())
		end := &faultDisk{before: func(n int, _, _ string) {
			if n == k {
				cancel()
			}
		}}
		err := stand(t, dir, sample, func(d disk) disk { end.disk = d; return end }).run(ctx)
		got := tree(t, dir)
		if got[lockv2.LockPath] != "" {
			if err != nil {
				t.Errorf("call %d: a lock and %v", k, err)
			}
			sameTree(t, got, want, fmt.Sprintf("call %d", k))
			continue
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != CodeInterrupted || !errors.Is(err, context.Canceled) {
			t.Fatalf("call %d of %q: %v", k, end.calls, err)
		}
		if got[lockv2.StagingFolder] != "" {
			t.Errorf("call %d: staging is left: %q", k, got)
		}
		if err := stand(t, dir, sample, nil).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		sameTree(t, tree(t, dir), want, fmt.Sprintf("after the context ended at call %d and another run", k))
		cancel()
	}
}

func TestLockAppearsMeanwhile(t *testing.T) {
	dir := t.TempDir()
	watch := &faultDisk{before: func(_ int, op, path string) {
		if op == "link" {
			_ = os.WriteFile(filepath.Join(dir, path), []byte("another"), 0o644)
		}
	}}
	err := stand(t, dir, sample, func(d disk) disk { watch.disk = d; return watch }).run(t.Context())
	var fault *Error
	if !errors.As(err, &fault) || fault.Code() != CodePreconditionChanged || fault.Path() != lockv2.LockPath {
		t.Fatal(err)
	}
	if got := tree(t, dir)[lockv2.LockPath]; got != "-rw-r--r-- another" {
		t.Errorf("the lock is %q", got)
	}
}

// A lock whose folder could not be flushed goes again, unless somebody replaced it.
func TestWithdraw(t *testing.T) {
	for _, edited := range []bool{false, true} {
		dir := t.TempDir()
		published := false
		fail := &faultDisk{err: syscall.EIO}
		fail.before = func(n int, op, path string) {
			if published && op == "syncfolder" && fail.fail == 0 {
				fail.fail = n
				if edited {
					_ = os.WriteFile(filepath.Join(dir, lockv2.LockPath), []byte("edited"), 0o644)
				}
			}
			published = published || op == "link"
		}
		err := stand(t, dir, sample, func(d disk) disk { fail.disk = d; return fail }).run(t.Context())
		code, left := CodeWriteFailed, ""
		if edited {
			code, left = CodePreconditionChanged, "-rw-r--r-- edited"
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != code {
			t.Errorf("edited %v: %v", edited, err)
		}
		if got := tree(t, dir)[lockv2.LockPath]; got != left {
			t.Errorf("edited %v: the lock is %q", edited, got)
		}
	}
}

// lesserDisk is a file system without files that have no name, without folder flushes, and with syncfs as given.
type lesserDisk struct {
	disk
	bulk bool
}

func (lesserDisk) Unnamed(string) (file, error) { return nil, errors.ErrUnsupported }
func (lesserDisk) SyncFolder(string) error      { return errNoFolderSync }
func (d lesserDisk) Bulk() error                { return bulkIf(d.bulk) }

func TestLesserFileSystem(t *testing.T) {
	want, _ := finished(t)
	dir := t.TempDir()
	n := stand(t, dir, sample, func(d disk) disk { return lesserDisk{disk: d} })
	var warnings []string
	n.opt.Warn = func(msg string) { warnings = append(warnings, msg) }
	if err := n.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sameTree(t, tree(t, dir), want, "without unnamed files")
	if len(warnings) != 1 {
		t.Errorf("warnings %q", warnings)
	}
}

func TestManyFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 3 * bulkFrom {
		files[fmt.Sprintf("f%d/%d", i%maxFolderNames, i)] = strings.Repeat("x", i)
	}
	for _, bulk := range []bool{false, true} {
		if bulk && runtime.GOOS != "linux" {
			continue // no syncfs
		}
		dir := t.TempDir()
		watch := &faultDisk{}
		n := stand(t, dir, files, func(d disk) disk { watch.disk = bulkDisk{d, bulk}; return watch })
		var reports []int
		n.opt.Progress = func(done, total int) {
			if total != len(files) {
				t.Errorf("total %d", total)
			}
			reports = append(reports, done)
		}
		if err := n.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := tree(t, dir)
		for path, content := range files {
			if got[path] != "-rw-r--r-- "+content {
				t.Fatalf("%s is %q", path, got[path])
			}
		}
		if used := slices.Contains(watch.calls, "syncall "); used != bulk {
			t.Errorf("bulk %v, syncfs used %v", bulk, used)
		}
		if !slices.IsSorted(reports) || reports[len(reports)-1] != len(files) {
			t.Errorf("progress %d", reports)
		}
	}
}

const maxFolderNames = 90 // more than a disk keeps open

type bulkDisk struct {
	disk
	bulk bool
}

func (d bulkDisk) Bulk() error { return bulkIf(d.bulk) }

// bulkIf is the answer of disk.Bulk.
func bulkIf(trusted bool) error {
	if trusted {
		return nil
	}
	return errors.ErrUnsupported
}

// A syncfs that fails, before the installs or after them, is an error like any other.
func TestBulkFlushFails(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no syncfs")
	}
	files := map[string]string{}
	for i := range bulkFrom {
		files[fmt.Sprintf("f%d/x", i)] = "x"
	}
	for nth := 1; nth <= 2; nth++ {
		dir := t.TempDir()
		seen := 0
		fail := &faultDisk{err: syscall.EIO}
		fail.before = func(n int, op, _ string) {
			if op == "syncall" {
				if seen++; seen == nth {
					fail.fail = n
				}
			}
		}
		err := stand(t, dir, files, func(d disk) disk { fail.disk = bulkDisk{d, true}; return fail }).run(t.Context())
		var fault *Error
		if !errors.As(err, &fault) || fault.Code() != CodeWriteFailed || !errors.Is(err, syscall.EIO) {
			t.Errorf("flush %d fails: %v", nth, err)
		}
		if got := tree(t, dir); got[lockv2.LockPath] != "" || got[lockv2.StagingFolder] != "" || nth == 1 && len(got) != 0 {
			t.Errorf("flush %d fails: left %q", nth, got)
		}
	}
}

func TestSpace(t *testing.T) {
	dir := t.TempDir()
	if _, known := space(dir); !known {
		t.Skip("this system does not say what space is left")
	}
	sizes, paths := created([]planner.Action{
		{Kind: planner.Create, Material: &planner.Material{Size: 1, Destination: "new"}},
		{Kind: planner.AdoptIdentical, Material: &planner.Material{Size: 1 << 60, Destination: "there"}},
	}, 0)
	if !slices.Equal(paths, []string{"new"}) {
		t.Errorf("paths: %q", paths)
	}
	if err := checkSpace(dir, sizes); err != nil {
		t.Error(err)
	}
	var fault *Error
	if err := checkSpace(dir, []int64{1 << 60}); !errors.As(err, &fault) || fault.Code() != CodeWriteFailed {
		t.Errorf("got %v", err)
	}
	if got, want := nearest(filepath.Join(dir, "a", "b")+"/"), dir; got != want {
		t.Errorf("nearest is %q, want %q", got, want)
	}
}

func TestOtherBytesFromTheSource(t *testing.T) {
	dir := t.TempDir()
	n := stand(t, dir, sample, nil)
	n.source = textSource(func(*planner.Material) string { return "other" })
	var fault *Error
	if err := n.run(t.Context()); !errors.As(err, &fault) || fault.Code() != CodeReadFailed {
		t.Error(err)
	}
	if got := tree(t, dir); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
}
