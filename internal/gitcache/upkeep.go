package gitcache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/compose/internal/filelock"
	"example.org/compose/internal/gitpack"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// Entry is what the cache holds of one URL.
type Entry struct {
	URL       string // "" where the entry can't be read
	Revisions []lockv2.Revision
	Bytes     int64
	Fault     error // of Check; else nil
	folder    string
	removed   bool
}

// Removed reports whether Check or Prune removed the entry.
func (e *Entry) Removed() bool { return e.removed }

// List returns the entries by URL. Errors: READ_FAILED.
func (c *Cache) List(ctx context.Context) ([]*Entry, error) {
	names, err := os.ReadDir(c.opts.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, faultOf(CodeReadFailed, c.opts.Folder, "the cache can't be listed", plainfile.Cause(err))
	}
	var list []*Entry
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &Entry{folder: filepath.Join(c.opts.Folder, name.Name())}
		if !isEntry(e.folder) {
			continue
		}
		e.Bytes = size(e.folder)
		if raw, err := plainfile.Read(filepath.Join(e.folder, stateName), maxState); err == nil {
			if s, sound := parseState(raw); sound {
				e.URL, e.Revisions = s.url, s.revisions
			}
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b *Entry) int { return strings.Compare(a.URL, b.URL) })
	return list, nil
}

// isEntry tells an entry from what somebody else keeps in the folder: by its name, and by a file that is made in each.
func isEntry(folder string) bool {
	name := filepath.Base(folder)
	if len(name) != 40 || strings.Trim(name, "0123456789abcdef") != "" {
		return false
	}
	dir, err := os.Lstat(folder)
	if err != nil || !dir.IsDir() {
		return false
	}
	for _, name := range []string{fetchLock, stateName} {
		if file, err := os.Lstat(filepath.Join(folder, name)); err == nil && file.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// size returns the bytes of the files below a folder, as far as they can be looked at.
func size(folder string) (total int64) {
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// Check reads every object of every entry and looks for all that is said to be whole, in folders of each revision. A Fault says what is
// wrong with an entry; with remove, such an entry is removed unless it is in use. The error is for a context that ended, or List's.
func (c *Cache) Check(ctx context.Context, folders []string, remove bool) ([]*Entry, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Fault = c.checkEntry(ctx, e, folders); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.Fault != nil && remove {
			if e.removed, err = e.remove(); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func (c *Cache) checkEntry(ctx context.Context, e *Entry, folders []string) error {
	if _, err := os.Lstat(filepath.Join(e.folder, stateName)); errors.Is(err, fs.ErrNotExist) {
		return nil // the first fetch is under way, or was stopped: nothing is said to be here
	}
	u, remote, err := giturl.Parse(e.URL)
	if err != nil || !remote || c.entry(u).folder != e.folder {
		return fault(CodeReadFailed, filepath.Base(e.folder), "what it holds can't be told")
	}
	inner := &entry{e.folder, u}
	use, err := inner.lock(ctx, useLock, filelock.Shared)
	if err != nil {
		return err
	}
	s := &Source{cache: New(Options{Offline: true}), entry: inner, use: use}
	defer s.Close()
	indexes, err := filepath.Glob(filepath.Join(escapeGlob(inner.packs()), "pack-*.idx"))
	if err != nil {
		return faultOf(CodeReadFailed, e.URL, "the packs can't be listed", plainfile.Cause(err))
	}
	for _, index := range indexes {
		if err := gitpack.Check(ctx, strings.TrimSuffix(index, ".idx"), c.opts.Limits); err != nil {
			return inPack(e.URL, index, err)
		}
	}
	if err := s.reopen(); err != nil {
		return err
	}
	for _, revision := range s.state.revisions {
		missing, err := s.missingBlobs(ctx, revision, folders)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return fault(CodeReadFailed, e.URL, "the revision %s lacks %d files, %s among them", revision, len(missing), missing[0])
		}
	}
	missing, err := s.missingOf(ctx, slices.Concat(s.state.history, s.state.whole), nil)
	if err == nil && missing != (plumbing.Hash{}) {
		err = fault(CodeReadFailed, e.URL, "the history lacks the commit %s", missing)
	}
	return err
}

// inPack names what is wrong with a pack without the place of the cache, which is another on every machine.
func inPack(url, index string, err error) error {
	pack := strings.TrimSuffix(index, ".idx")
	text := err.Error()
	for _, path := range []string{pack + ".pack: ", index + ": ", pack + ": "} {
		text = strings.TrimPrefix(text, path)
	}
	return fault(CodeReadFailed, url, "%s: %s", filepath.Base(pack), text)
}

// escapeGlob makes a path a pattern that names it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}

// Prune removes entries that were not used for so long (0: all) and are not in use, and returns all entries.
func (c *Cache) Prune(ctx context.Context, unused time.Duration) ([]*Entry, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, err
	}
	before := time.Now().Add(-unused)
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := os.Stat(filepath.Join(e.folder, useLock))
		if err == nil && info.ModTime().After(before) && unused > 0 {
			continue
		}
		if e.removed, err = e.remove(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// remove removes an entry; false where it is in use, or may be because there are no locks.
func (e *Entry) remove() (bool, error) {
	inner := &entry{folder: e.folder}
	for _, name := range []string{useLock, fetchLock} {
		lock, err := inner.tryLock(name, filelock.Exclusive)
		if lock == nil || err != nil {
			return false, nil
		}
		defer unlock(lock)
	}
	return true, inner.remove()
}
