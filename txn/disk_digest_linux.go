package txn

import (
	"context"
	"crypto/sha256"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"golang.org/x/sys/unix"
)

// stamp tells whether a file was written to. Whatever changes a file, its name, mode or times too, sets the time of change, which nobody can set
// otherwise, to the time of a clock that ticks every few milliseconds.
type stamp struct {
	inode        uint64
	size         int64
	ctime, mtime unix.Timespec
}

// known is a digest and what the file was like when its bytes were read.
type known struct {
	stamp
	sum   rootfs.Sum
	moved bool // by this process since, which changed the time of change: good for one look, that goes by the rest
}

// settledAt reports whether any change after now, by the clock that file systems take their times from, gives another stamp. What was changed in
// the same tick as now, or, where whole seconds are counted (ext4 with small inodes), in the same second, may be changed again with no trace.
func (s stamp) settledAt(now unix.Timespec) bool {
	if now.Sec != s.ctime.Sec || s.ctime.Nsec == 0 {
		return now.Sec > s.ctime.Sec
	}
	return now.Nsec > s.ctime.Nsec
}

// sameBut compares all but the time of change.
func (s stamp) sameBut(other stamp) bool {
	other.ctime = s.ctime
	return s == other
}

func stampOf(s *unix.Stat_t) stamp {
	return stamp{inode: s.Ino, size: s.Size, ctime: s.Ctim, mtime: s.Mtim}
}

// tick notes the time. Digests of files that were changed before it are remembered, if file systems of this kind take their times from
// this clock, and two files can exchange their names: else the last look before a rename is all that saves a consumer's bytes.
func (d *linuxDisk) tick() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = unix.Timespec{}
	if d.local {
		_ = unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &d.now) // without it nothing is settled
	}
}

func (d *linuxDisk) Digest(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, error) {
	sum, _, ok := d.quickLook(ctx, path, buf)
	if !ok {
		return d.Root.Digest(ctx, path, buf)
	}
	return sum, nil
}

func (d *linuxDisk) Look(ctx context.Context, path lockv2.Destination, buf []byte) (rootfs.Sum, attributes, error) {
	sum, a, ok := d.quickLook(ctx, path, buf)
	if !ok {
		return lookTwice(ctx, d.Root, path, buf)
	}
	return sum, a, nil
}

// quickLook reads a file through the folders that are open already. A file that nobody changed since it was read last is not read again. Whatever
// is not as it should be is false, for rootfs to explain.
func (d *linuxDisk) quickLook(ctx context.Context, path lockv2.Destination, buf []byte) (sum rootfs.Sum, a attributes, ok bool) {
	var stat unix.Stat_t
	parent, name := split(string(path))
	err := d.in(parent, func(at int) error {
		k, now, found := d.known(string(path))
		if found && unix.Fstatat(at, name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG {
			is := stampOf(&stat)
			if k.stamp == is || k.moved && k.sameBut(is) {
				sum, ok = k.sum, true
				return nil
			}
		}
		fd, err := openAt(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
			return unix.EINVAL
		}
		if sum, ok = hashDescriptor(ctx, fd, stat.Size, buf); !ok {
			return unix.EINVAL
		}
		if is := stampOf(&stat); is.settledAt(now) {
			d.remember(string(path), known{stamp: is, sum: sum})
		}
		return nil
	})
	return sum, attributesIn(&stat), ok && err == nil
}

// hashDescriptor reads size bytes, which the file had when it was opened; false where there are less. What is written at its end
// meanwhile is as if it came later.
func hashDescriptor(ctx context.Context, fd int, size int64, buf []byte) (rootfs.Sum, bool) {
	hash := sha256.New()
	sum := rootfs.Sum{Size: size}
	for left := size; left > 0; {
		n, err := unix.Read(fd, buf[:min(left, int64(len(buf)))])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 || ctx.Err() != nil {
			return rootfs.Sum{}, false
		}
		hash.Write(buf[:n])
		left -= int64(n)
	}
	hash.Sum(sum.Digest[:0])
	return sum, true
}

// moved lets the next look at to go by what was read at from, whose file it is now, if it still has the inode, the size and the time of the last write.
// Who writes and then sets that time back is found out when the file is read the time after, for which nothing is remembered.
func (d *linuxDisk) moved(from, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, found := d.digests[from]
	delete(d.digests, from)
	delete(d.digests, to)
	if found && !k.moved {
		k.moved = true
		d.digests[to] = k
	}
}

// known returns what is remembered of path, and forgets it where it is good for one look; and the time of the tick.
func (d *linuxDisk) known(path string) (known, unix.Timespec, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, found := d.digests[path]
	if k.moved {
		delete(d.digests, path)
	}
	return k, d.now, found
}

func (d *linuxDisk) remember(path string, k known) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.digests == nil {
		d.digests = map[string]known{}
	}
	d.digests[path] = k
}

// forgetDigests makes every later look read, from now on.
func (d *linuxDisk) forgetDigests() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.local, d.now, d.digests = false, unix.Timespec{}, nil
}
