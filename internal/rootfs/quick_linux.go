//go:build !android && !mips && !mipsle && !mips64 && !mips64le

package rootfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/portable"
)

// The system call openat2 of Linux 5.6 has this number on every architecture but those that are left out above;
// Android kills a process that makes a call which it does not know.
const sysOpenat2 = 437

// openHow is struct open_how.
type openHow struct{ flags, mode, resolve uint64 }

// Bits of openHow.resolve.
const (
	resolveNoMagicLinks = 0x02
	resolveNoSymlinks   = 0x04
	resolveBeneath      = 0x08
)

// quick reads regular files below a folder in four system calls each, and two for each folder on the way: openat2, which walks the whole path and
// refuses every symlink on it, fstat, read and close. It lists folders in the same way.
//
// It answers only where nothing is wrong. Whatever else it meets, from a symlink to a file that changes, is looked
// at again by the way that works everywhere and knows the reasons. The zero value never answers.
type quick struct {
	off atomic.Bool // the kernel, or what stands before it, has no openat2

	mu     sync.RWMutex // held where folder is in use, so that close can't give its number to another file
	opened bool
	folder int // the file descriptor of the folder, where opened

	asked    sync.RWMutex
	readable map[string]bool // the folders on the way that may be read
}

// open makes q read below the folder at path, if that is still the one that info describes.
func (q *quick) open(path string, info fs.FileInfo) {
	// An os.Root does not show its file descriptor, and an os.File of it would start the runtime's poller.
	const oPath = 0x200000 // package syscall has no O_PATH
	fd, err := syscall.Open(path, oPath|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var got syscall.Stat_t
	want, known := info.Sys().(*syscall.Stat_t)
	if !known || syscall.Fstat(fd, &got) != nil || got.Dev != want.Dev || got.Ino != want.Ino {
		syscall.Close(fd)
		return
	}
	q.opened, q.folder = true, fd
}

func (q *quick) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.opened {
		syscall.Close(q.folder)
		q.opened = false
	}
}

// openat opens what stands at path, if no symlink is there or on the way. The caller closes fd where ok.
func (q *quick) openat(path string, flags uint64) (fd int, ok bool) {
	var name [portable.MaxPath + 1]byte // ends in NUL
	if len(path) >= len(name) || !fs.ValidPath(path) || strings.IndexByte(path, 0) >= 0 || q.off.Load() {
		return 0, false
	}
	copy(name[:], path)
	how := openHow{
		// Without O_NONBLOCK a FIFO would wait for its other end; without O_NOCTTY a terminal would become this process's.
		flags:   flags | syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC | syscall.O_NOCTTY | syscall.O_LARGEFILE,
		resolve: resolveBeneath | resolveNoSymlinks | resolveNoMagicLinks,
	}
	q.mu.RLock()
	defer q.mu.RUnlock()
	if !q.opened {
		return 0, false
	}
	r, _, errno := syscall.Syscall6(sysOpenat2, uintptr(q.folder), uintptr(unsafe.Pointer(&name)), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno == syscall.ENOSYS || errno == syscall.EPERM { // an older kernel; a sandbox
		q.off.Store(true)
	}
	return int(r), errno == 0
}

// passes reports whether each folder on the way to path may be read, asking each once. openat2 needs no more than the right to
// search them; os.Root reads them, and what a target is must not depend on which of the two looked.
func (q *quick) passes(path string) bool {
	folder := path[:max(0, strings.LastIndexByte(path, '/'))]
	if folder == "" {
		return true
	}
	q.asked.RLock()
	known := q.readable[folder]
	q.asked.RUnlock()
	if known {
		return true
	}
	if !q.passes(folder) {
		return false
	}
	q.asked.Lock()
	defer q.asked.Unlock()
	if q.readable[folder] {
		return true // another goroutine was faster
	}
	fd, ok := q.openat(folder, syscall.O_DIRECTORY)
	if !ok {
		return false
	}
	syscall.Close(fd)
	if q.readable == nil {
		q.readable = map[string]bool{}
	}
	q.readable[folder] = true
	return true
}

// forget makes q ask for the folders on the way anew.
func (q *quick) forget() {
	q.asked.Lock()
	defer q.asked.Unlock()
	clear(q.readable)
}

// openFile opens the regular file at path. The caller closes fd where ok.
func (q *quick) openFile(path string) (fd int, size int64, ok bool) {
	if !q.passes(path) {
		return 0, 0, false
	}
	fd, ok = q.openat(path, 0)
	if !ok {
		return 0, 0, false
	}
	var stat syscall.Stat_t
	if syscall.Fstat(fd, &stat) != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		syscall.Close(fd)
		return 0, 0, false
	}
	return fd, stat.Size, true
}

// digest is Root.Digest and Root.DigestWith; second may be nil.
func (q *quick) digest(ctx context.Context, path string, buf []byte, second Second) (sum Sum, ok bool) {
	fd, size, ok := q.openFile(path)
	if !ok {
		return Sum{}, false
	}
	defer syscall.Close(fd)
	if second != nil {
		second.Begin(size)
	}
	var pieces hash.Hash // of a file that does not come in one
	for ctx.Err() == nil {
		n, err := syscall.Read(fd, buf)
		if sum.Size += int64(n); err != nil || sum.Size > size {
			return Sum{}, false
		}
		if second != nil && n > 0 {
			second.Add(buf[:n])
		}
		// A file that had grown would have filled more of the buffer, so a buffer with room left shows the end.
		if end := n == 0 || sum.Size == size && n < len(buf); !end {
			if pieces == nil {
				pieces = sha256.New()
			}
			pieces.Write(buf[:n])
			continue
		}
		if pieces == nil {
			sum.Digest = sha256.Sum256(buf[:n])
		} else {
			pieces.Write(buf[:n])
			sum.Digest = fingerprint.Material(pieces.Sum(nil))
		}
		return sum, sum.Size == size
	}
	return Sum{}, false
}

// read is Root.ReadFile.
func (q *quick) read(path string, limit int64) (b []byte, ok bool) {
	fd, size, ok := q.openFile(path)
	if !ok {
		return nil, false
	}
	defer syscall.Close(fd)
	if size > limit {
		return nil, false
	}
	b = make([]byte, size+1) // room for the byte that tells that it has grown
	for at := 0; ; {
		n, err := syscall.Read(fd, b[at:])
		at += n
		switch {
		case err != nil || int64(at) > size:
			return nil, false
		case int64(at) == size:
			return b[:size:size], true
		case n == 0:
			return nil, false
		}
	}
}

// equal is Root.Equal.
func (q *quick) equal(path string, want, buf []byte) (same, ok bool) {
	fd, size, ok := q.openFile(path)
	if !ok {
		return false, false
	}
	defer syscall.Close(fd)
	if size != int64(len(want)) {
		return false, false
	}
	for {
		n, err := syscall.Read(fd, buf)
		switch {
		case err != nil || n > len(want) || n == 0 && len(want) > 0:
			return false, false
		case !bytes.Equal(buf[:n], want[:n]):
			return false, true
		case n == len(want) && n < len(buf): // as in digest
			return true, true
		}
		want = want[n:]
	}
}

// names is Root.Names, without a memory.
func (q *quick) names(path string) (names []string, ok bool) {
	if path == "" {
		path = "."
	}
	if !q.passes(path) {
		return nil, false
	}
	fd, ok := q.openat(path, syscall.O_DIRECTORY)
	if !ok {
		return nil, false
	}
	defer syscall.Close(fd)
	buf := make([]byte, 8<<10)
	for {
		n, err := syscall.ReadDirent(fd, buf)
		if err != nil {
			return nil, false
		}
		if n == 0 {
			slices.Sort(names)
			return names, true
		}
		_, _, names = syscall.ParseDirent(buf[:n], -1, names)
	}
}
