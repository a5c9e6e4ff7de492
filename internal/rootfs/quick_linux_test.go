package rootfs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"golang.org/x/sys/unix"
)

// refusedVariable is the number of the error that this binary is to get from openat2: it makes the kernel an old one,
// or puts a sandbox around the process.
const refusedVariable = "ROOTFS_TEST_REFUSED"

// refuseOpenat2 installs a filter for all threads of this process, and of those that it starts.
func refuseOpenat2(number string) {
	errno, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		os.Exit(notRefused)
	}
	_, _, e := syscall.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		os.Exit(notRefused)
	}
}

// notRefused is the exit status where there are no such filters.
const notRefused = 77

// Every test of this package holds where the kernel has no openat2, or a sandbox refuses it, as well.
func TestWithoutOpenat2(t *testing.T) {
	if os.Getenv(refusedVariable) != "" {
		t.Skip("refused already")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, errno := range map[string]syscall.Errno{"ENOSYS": syscall.ENOSYS, "EPERM": syscall.EPERM} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), self, fmt.Sprintf("-test.short=%t", testing.Short()))
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", refusedVariable, errno))
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() == notRefused {
				t.Skip("no system call filters here")
			}
			if err != nil || strings.Contains(string(out), "no tests to run") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// digestAll digests every destination between two signs.
func digestAll(dir string, destinations []string) {
	_, _ = syscall.Getpgid(sign)
	root, err := rootfs.Open(dir)
	buf := make([]byte, rootfs.BufferSize)
	for _, d := range destinations {
		if err == nil {
			_, err = root.Digest(context.Background(), lockv2.Destination(d), buf)
		}
	}
	root.Close()
	_, _ = syscall.Getpgid(sign)
	if err != nil {
		panic(err)
	}
}

// ofFiles are the system calls that a look at a file may consist of. What else is made, the runtime makes for itself.
var ofFiles = map[uint64]bool{
	unix.SYS_OPENAT: true, unix.SYS_OPENAT2: true, unix.SYS_NEWFSTATAT: true, unix.SYS_FSTAT: true, unix.SYS_STATX: true, unix.SYS_READ: true,
	unix.SYS_PREAD64: true, unix.SYS_LSEEK: true, unix.SYS_GETDENTS64: true, unix.SYS_CLOSE: true, unix.SYS_FCNTL: true, unix.SYS_EPOLL_CTL: true,
}

// What a file costs: four system calls, one more for each further piece, and two for each folder on the way that was not passed before.
func TestSystemCallsOfAFile(t *testing.T) {
	if os.Getenv(refusedVariable) != "" {
		t.Skip("the other way asks more often")
	}
	dir := tree(t, "a/b/c/1 = one", "a/b/c/2 = two", "a/b/4 = four", "d/3 = ", "d/e/5 = five", "long = "+strings.Repeat("x", 3*rootfs.BufferSize))
	count := func(destinations ...string) map[uint64]int {
		calls := map[uint64]int{}
		traced(t, dir, destinations, func(number uint64) {
			if ofFiles[number] {
				calls[number]++
			}
		})
		return calls
	}
	least := count("a/b/c/1", "a/b/c/2")
	if least[unix.SYS_OPENAT2] == 0 {
		t.Skip("no openat2 here")
	}
	for _, test := range []struct {
		file    string
		reads   int
		folders int
	}{{"a/b/c/1", 1, 0}, {"a/b/c/2", 1, 0}, {"a/b/4", 1, 0}, {"d/3", 1, 1}, {"d/e/5", 1, 2}, {"long", 4, 0}} {
		got := count("a/b/c/1", "a/b/c/2", test.file)
		want := map[uint64]int{unix.SYS_OPENAT2: 1 + test.folders, unix.SYS_FSTAT: 1, unix.SYS_READ: test.reads, unix.SYS_CLOSE: 1 + test.folders}
		for number, n := range got {
			if n -= least[number]; n != want[number] {
				t.Errorf("%s: call %d is made %d times, want %d", test.file, number, n, want[number])
			}
		}
	}
}

// A folder on the way that may be searched but not read is a fault on every system, though openat2 would pass it.
func TestSearchOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		asNobody(t, "TestSearchOnlyFolder")
		return
	}
	dir := tree(t, "d/deep/x = text", "e/x = text")
	if err := os.Chmod(filepath.Join(dir, "d"), 0o311); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "d"), 0o755) })
	r := open(t, dir)
	buf := make([]byte, 64)
	for range 2 { // the second time the folder is known
		if _, err := r.Digest(t.Context(), "d/deep/x", buf); reasonOf(t, err) != rootfs.Unreadable || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Names("d/deep"); reasonOf(t, err) != rootfs.Unreadable {
			t.Errorf("listed: %v", err)
		}
		if _, err := r.Digest(t.Context(), "e/x", buf); err != nil {
			t.Error(err)
		}
	}
}

// asNobody runs a test of this program once more, as a user without privileges.
func asNobody(t *testing.T, name string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rootfs") // which others may pass
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	copied := filepath.Join(dir, "test")
	if err := errors.Join(os.Chmod(dir, 0o777), os.WriteFile(copied, program, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), copied, "-test.run", "^"+name+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("this process may not become another user: ", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+name) {
		t.Errorf("%v\n%s", err, out)
	}
}

// A file that comes in one piece costs no memory.
func TestAllocationsOfAFile(t *testing.T) {
	if os.Getenv(refusedVariable) != "" {
		t.Skip("the other way allocates")
	}
	dir := tree(t, "a/b/c = text")
	if fd, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(dir, "a"), &unix.OpenHow{Flags: unix.O_PATH}); err != nil {
		t.Skip("no openat2 here")
	} else {
		unix.Close(fd)
	}
	r, buf := open(t, dir), make([]byte, 64)
	if n := testing.AllocsPerRun(100, func() { _, _ = r.Digest(t.Context(), "a/b/c", buf) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDigest(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 7<<10), 0o644); err != nil {
		b.Fatal(err)
	}
	r, err := rootfs.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	buf := make([]byte, rootfs.BufferSize)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Digest(b.Context(), "f", buf); err != nil {
			b.Fatal(err)
		}
	}
}
