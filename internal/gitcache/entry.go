package gitcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/compose/internal/filelock"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
)

const (
	fetchLock = "fetch.lock" // held by who adds to an entry
	useLock   = "use.lock"   // shared by who reads an entry, alone by who removes it; its time is that of the last use
)

// entry is the folder of one URL.
type entry struct {
	folder string
	url    giturl.URL
}

func (c *Cache) entry(u giturl.URL) *entry {
	sum := sha256.Sum256([]byte(u.String()))
	return &entry{filepath.Join(c.opts.Folder, hex.EncodeToString(sum[:20])), u}
}

// layOut is make while nobody else does it.
func (e *entry) layOut(ctx context.Context) error {
	if err := e.makeFolders("."); err != nil {
		return err
	}
	lock, err := e.lock(ctx, fetchLock, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock(lock)
	return e.make()
}

// make lays out the entry as far as it is not there yet; the entry is held for fetching.
func (e *entry) make() error {
	if err := e.makeFolders(filepath.Join("objects", "pack"), filepath.Join("objects", "info"), "refs"); err != nil {
		return err
	}
	for _, file := range []struct{ name, text string }{ // HEAD last: with it the folder is a repository
		{"config", "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n" +
			"[remote \"origin\"]\n\turl = " + configText(e.url.String()) + "\n\tpromisor = true\n\tpartialclonefilter = blob:none\n"},
		{"HEAD", "ref: refs/heads/none\n"},
	} {
		if b, err := plainfile.Read(filepath.Join(e.folder, file.name), maxState); err == nil && string(b) == file.text {
			continue
		}
		if err := e.replace(file.name, []byte(file.text)); err != nil {
			return err
		}
	}
	return nil
}

// configText quotes a value for git's configuration.
func configText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// laidOut reports whether make was here.
func (e *entry) laidOut() bool {
	_, err := os.Lstat(filepath.Join(e.folder, "HEAD"))
	return err == nil
}

// name is how messages name the entry.
func (e *entry) name() string {
	if e.url == (giturl.URL{}) {
		return filepath.Base(e.folder)
	}
	return e.url.String()
}

func (e *entry) packs() string { return filepath.Join(e.folder, "objects", "pack") }

// poll is how often a held lock is asked for again.
const poll = 50 * time.Millisecond

// lock waits for a lock of the entry; nil without an error where the folder is not writable, or the file system has no locks:
// then nothing is removed there, or whoever reads finds out by the hashes.
func (e *entry) lock(ctx context.Context, name string, kind filelock.Kind) (*os.File, error) {
	for {
		f, err := e.tryLock(name, kind)
		if !errors.Is(err, filelock.ErrHeld) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// tryLock is lock without waiting.
func (e *entry) tryLock(name string, kind filelock.Kind) (*os.File, error) {
	path := filepath.Join(e.folder, name)
	f, err := e.openLock(name)
	if err != nil {
		return nil, nil
	}
	if err = filelock.Try(f, kind); err == nil && !names(path, f) {
		err = filelock.ErrHeld // by who removes the entry
	}
	if errors.Is(err, filelock.ErrHeld) {
		f.Close()
		return nil, err
	}
	if err != nil {
		f.Close()
		return nil, nil
	}
	return f, nil
}

// names reports whether path still names the open file.
func names(path string, f *os.File) bool {
	at, err := os.Lstat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(at, open)
}

// unlock lets go of a lock; nil is none.
func unlock(f *os.File) {
	if f != nil {
		f.Close()
	}
}
