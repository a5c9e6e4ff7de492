package rootfs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"golang.org/x/sys/unix"
)

// readerVariable makes this binary a program that reads one file, or digests many: "FOLDER" of the root, and of where the
// answer goes.
const readerVariable = "ROOTFS_TEST_READ"

func TestMain(m *testing.M) {
	if text := os.Getenv(refusedVariable); text != "" {
		refuseOpenat2(text)
	}
	if dir := os.Getenv(readerVariable); dir != "" {
		answer := readOne
		if len(os.Args) > 2 {
			answer = digestAll
		}
		answer(dir, os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// signs frame what is traced: no program asks for the group of this process.
const sign = 1<<30 - 1

func readOne(dir string, destination []string) {
	answer, err := os.Create(dir + ".answer")
	if err != nil {
		panic(err)
	}
	_, _ = syscall.Getpgid(sign)
	root, err := rootfs.Open(dir)
	var text []byte
	if err == nil {
		text, err = root.ReadFile(lockv2.Destination(destination[0]), 1<<10)
		root.Close()
	}
	_, _ = syscall.Getpgid(sign)
	var fault *rootfs.Error
	switch {
	case err == nil:
		fmt.Fprintf(answer, "%s", text)
	case errors.As(err, &fault):
		fmt.Fprintf(answer, "%s", fault.Reason)
	default:
		fmt.Fprintf(answer, "error %v", err)
	}
}

// A name that is another thing from any system call of a look on is what it was, or what it is, or a fault; never is it followed out of
// the target, and nothing waits for the other end of a FIFO.
func TestSwapAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program many times")
	}
	for _, test := range []struct {
		destination string
		pool        []string // what stands at x
		alone       []string // what a look at each says
	}{
		{"x/f", []string{"pool/0/f = inside", "pool/1 -> outside", "pool/2/f = other", "pool/3 |"},
			[]string{"inside", "symlink", "other", "parent-not-directory"}},
		{"x", []string{"pool/0 = inside", "pool/1 -> outside/f", "pool/2 |", "pool/3 = other"},
			[]string{"inside", "symlink", "not-regular", "other"}},
	} {
		for from := range test.pool {
			for to := range test.pool {
				if from == to || from != 0 && to != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s to %s", test.destination, test.pool[from], test.pool[to]), func(t *testing.T) {
					look := func(at int) (answer string, swapped bool) {
						dir := tree(t, append(test.pool, "outside/f = "+secret)...)
						x := filepath.Join(dir, "x")
						in := func(kind int) string { return filepath.Join(dir, "pool", fmt.Sprint(kind)) }
						must := func(err error) {
							if err != nil {
								t.Fatal(err)
							}
						}
						must(os.Rename(in(from), x))
						n := 0
						traced(t, dir, []string{test.destination}, func(number uint64) {
							if noFiles[number] {
								return
							}
							if n++; n == at {
								must(os.Rename(x, in(from)))
								must(os.Rename(in(to), x))
								swapped = true
							}
						})
						b, err := os.ReadFile(dir + ".answer")
						must(err)
						must(os.Remove(dir + ".answer"))
						return string(b), swapped
					}
					was, _ := look(0)
					is := ""
					for at := 1; ; at++ {
						answer, swapped := look(at)
						if at == 1 {
							is = answer
						}
						if answer == "" || answer == secret || answer[0] == 'e' {
							t.Errorf("at call %d: %q", at, answer)
						}
						if !swapped {
							if at < 5 || answer != was || is != test.alone[to] || was != test.alone[from] {
								t.Errorf("after %d calls: %q, before it was %q, after it is %q", at, answer, was, is)
							}
							break
						}
					}
				})
			}
		}
	}
}

// traced runs the program for the destinations and calls before ahead of each system call of its look, of whichever
// thread, with what number says which call it is.
func traced(t *testing.T, dir string, destinations []string, before func(number uint64)) {
	t.Helper()
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.StartProcess(self, append([]string{self}, destinations...), &os.ProcAttr{
		Env:   append(os.Environ(), readerVariable+"="+dir, "GOMAXPROCS=1"),
		Files: []*os.File{nil, nil, os.Stderr},
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		t.Skip("tracing is not allowed: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Release() }()
	blocked := time.AfterFunc(5*time.Minute, func() { _ = syscall.Kill(p.Pid, syscall.SIGKILL) })
	status, err := trace(p.Pid, before)
	if err != nil {
		_ = syscall.Kill(p.Pid, syscall.SIGKILL)
		t.Skip("tracing does not work: ", err)
	}
	if !blocked.Stop() || status != 0 {
		t.Fatalf("the program was blocked, or failed: %v", status)
	}
}

// trace follows a process that waits at its first instruction to its end, and returns how it ended.
func trace(pid int, before func(number uint64)) (end syscall.WaitStatus, err error) {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WALL, nil); err != nil {
		return 0, err
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		return 0, err
	}
	if err := syscall.PtraceSyscall(pid, 0); err != nil {
		return 0, err
	}
	started, signs := map[int]bool{pid: true}, 0
	for {
		thread, err := syscall.Wait4(-1, &status, syscall.WALL|syscall.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.ECHILD):
			return end, nil
		case err != nil:
			return 0, err
		case !status.Stopped():
			if thread == pid {
				end = status
			}
			continue
		}
		signal := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			number, entered, err := enteredCall(thread)
			switch {
			case err != nil:
				return 0, err
			case !entered:
			case number == syscall.SYS_GETPGID:
				signs++
			case signs == 1:
				before(number)
			}
		case sig == syscall.SIGTRAP && status.TrapCause() > 0:
		case sig == syscall.SIGSTOP && !started[thread]:
			started[thread] = true
		default:
			signal = int(sig)
		}
		_ = syscall.PtraceSyscall(thread, signal)
	}
}

// noFiles are system calls that look at nothing in a file system, which a Go program makes now and then.
var noFiles = map[uint64]bool{
	unix.SYS_CLONE: true, unix.SYS_CLOSE: true, unix.SYS_EPOLL_CREATE1: true, unix.SYS_EPOLL_CTL: true, unix.SYS_EPOLL_PWAIT: true, unix.SYS_EVENTFD2: true,
	unix.SYS_FCNTL: true, unix.SYS_FUTEX: true, unix.SYS_GETPID: true, unix.SYS_GETTID: true, unix.SYS_MADVISE: true, unix.SYS_MMAP: true, unix.SYS_MPROTECT: true,
	unix.SYS_MUNMAP: true, unix.SYS_NANOSLEEP: true, unix.SYS_PRCTL: true, unix.SYS_RT_SIGACTION: true, unix.SYS_RT_SIGPROCMASK: true,
	unix.SYS_RT_SIGRETURN: true, unix.SYS_CLONE3: true, unix.SYS_RSEQ: true, unix.SYS_SET_ROBUST_LIST: true, unix.SYS_SCHED_YIELD: true, unix.SYS_SIGALTSTACK: true, unix.SYS_TGKILL: true, unix.SYS_WRITE: true,
}

// enteredCall returns the number of the system call that a thread enters; not where it leaves one.
func enteredCall(thread int) (number uint64, entered bool, err error) {
	// struct ptrace_syscall_info, for a call that is entered.
	var call struct {
		op     uint8
		_      [3]uint8
		_      uint32
		_      [2]uint64
		number uint64
		_      [8]uint64
	}
	const getSyscallInfo, atEntry = 0x420e, 1
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(call), uintptr(unsafe.Pointer(&call)), 0, 0)
	if errno == syscall.ESRCH {
		return 0, false, nil
	}
	if errno != 0 {
		return 0, false, errno
	}
	return call.number, call.op == atEntry, nil
}
