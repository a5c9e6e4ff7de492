package txn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// sweep removes staging. The old files in it are read a last time: a program that had one open while it went there may have written
// to it since, and its bytes go back to where they belong. Nothing that this transaction did not put there is removed. With the removal
// the new lock is made durable.
func (t *transaction) sweep(ctx context.Context) error {
	names, err := t.disk.List(lockv2.StagingFolder, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return t.flushFolders(lockv2.StateFolder)
	}
	if err != nil {
		return entryFault(lockv2.StagingFolder, "listing what is staged", err)
	}
	slices.Sort(names)
	own := t.byStaging()
	strays := make([]bool, len(names))
	err = each(ctx, len(names), runtime.GOMAXPROCS(0), rootfs.BufferSize, func(ctx context.Context, i int, buf []byte) (err error) {
		strays[i], err = t.discard(ctx, names[i], own, buf)
		return err
	})
	buf := make([]byte, rootfs.BufferSize)
	for i := range names {
		if strays[i] {
			return t.sweepOne(ctx, names[i], own, buf)
		}
	}
	if err != nil {
		return err
	}
	if err := t.disk.Rmdir(lockv2.StagingFolder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return writeFault(lockv2.StagingFolder, "removing the staging folder", err)
	}
	return t.flushFolders(lockv2.StateFolder)
}

// sweepOne removes one name from staging, or gives a consumer's bytes back. It makes folders, so one call is made at a time.
func (t *transaction) sweepOne(ctx context.Context, name string, own map[string]*place, buf []byte) error {
	stray, err := t.discard(ctx, name, own, buf)
	if err != nil || !stray {
		return err
	}
	path := lockv2.StagingFolder + "/" + name
	s := own[path]
	ctx = context.WithoutCancel(ctx)
	at, err := s.look(ctx, t.disk, path, buf)
	if err != nil || at.condition == absent {
		return err
	}
	return t.putBack(ctx, s, at, buf)
}

// discard removes one name from staging, but for what is a consumer's: stray says so.
func (t *transaction) discard(ctx context.Context, name string, own map[string]*place, buf []byte) (stray bool, err error) {
	path := lockv2.StagingFolder + "/" + name
	if s := own[path]; s != nil {
		ctx := context.WithoutCancel(ctx)
		at, err := s.look(ctx, t.disk, path, buf)
		switch {
		case err != nil:
			return false, err
		case at.condition == absent:
			return false, nil
		case at.condition == unreadable:
			return false, readFault(ctx, string(s.destination), at.err)
		case at.condition == holdOther:
			return true, nil
		}
	} else if !isPart(path, own) {
		return false, t.stop(foreign(path))
	}
	if err := t.disk.Unlink(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, writeFault(lockv2.StagingFolder, "removing what was staged", err)
	}
	return false, nil
}

// part is the end of a name under which staging is written anew: whatever has it may be torn.
const part = ".part"

// isPart reports whether the path is one of this transaction's that holds nothing of a consumer's.
func isPart(path string, own map[string]*place) bool {
	whole, isPart := strings.CutSuffix(path, part)
	return path == stagedMarker || isPart && own[whole] != nil && own[whole].kind != planner.Remove
}

func foreign(path string) Blocked {
	return Blocked{Destination: lockv2.Destination(path), At: path, Message: "is not compose's, and was left alone: move it away from there"}
}

// byStaging returns the places by their place in staging.
func (t *transaction) byStaging() map[string]*place {
	own := make(map[string]*place, len(t.places))
	for i := range t.places {
		own[t.places[i].staging] = &t.places[i]
	}
	return own
}

// noStaging describes what is no folder where staging is.
func noStaging() Blocked {
	return Blocked{Destination: lockv2.StagingFolder, At: lockv2.StagingFolder,
		Message: "is no folder, but compose keeps files there until an update is done: put the folder itself there, or move what is there away"}
}

// foreignParts returns the files under names of torn stagings that hold something else than a torn staging: other bytes than the new
// ones, as far as they came, or zeros in their place.
func (t *transaction) foreignParts(ctx context.Context, names []string) (stops []Blocked, err error) {
	own := t.byStaging()
	for _, name := range names {
		path := lockv2.StagingFolder + "/" + name
		if !isPart(path, own) {
			continue
		}
		whole, limit, err := t.wholeOf(ctx, own[strings.TrimSuffix(path, part)])
		if err != nil {
			return nil, coded(ctx, path, err)
		}
		b, err := t.disk.ReadFile(lockv2.Destination(path), limit)
		var fault *rootfs.Error
		switch {
		case errors.As(err, &fault) && fault.Reason == rootfs.Unreadable:
			return nil, readFault(ctx, path, err)
		case errors.As(err, &fault) && fault.Reason == rootfs.TooLarge, err == nil && !isTorn(b, whole):
			stops = append(stops, foreign(path))
		}
		if closed := whole.Close(); closed != nil {
			return nil, coded(ctx, path, closed)
		}
	}
	return stops, nil
}

// wholeOf returns what a torn staging of the place is torn from, and how much that is; of no place the marker.
func (t *transaction) wholeOf(ctx context.Context, s *place) (io.ReadCloser, int64, error) {
	switch {
	case s == nil:
		return io.NopCloser(bytes.NewReader(t.text)), int64(len(t.text)), nil
	case s.isLock():
		return io.NopCloser(bytes.NewReader(t.lock)), int64(len(t.lock)), nil
	}
	whole, err := t.source.Open(ctx, s.material)
	return whole, s.material.Size, err
}

// isTorn reports whether each byte of b is that of whole, or zero, as after a power failure.
func isTorn(b []byte, whole io.Reader) bool {
	want := make([]byte, 32<<10)
	for len(b) > 0 {
		n, err := io.ReadFull(whole, want[:min(len(want), len(b))])
		for i := range n {
			if b[i] != 0 && b[i] != want[i] {
				return false
			}
		}
		b = b[n:]
		if err != nil {
			break
		}
	}
	return len(b) == 0
}
