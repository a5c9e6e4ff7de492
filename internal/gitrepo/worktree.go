package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

// workTree compares files with index entries. It is used by one goroutine.
type workTree struct {
	repo *Repository
	top  *workFolder
	ix   *index
	cfg  *gitconfig.Config

	stat     statRules
	fileMode bool // core.fileMode
	symlinks bool // core.symlinks
	fold     bool // core.ignoreCase
	present  bool // a skip-worktree entry whose file is there all the same is looked at

	folder   string // the last folder found to be one, with all its parents; ends in "/"
	attrs    *attributes
	emptyID  ID
	ignoring submoduleRules
}

func newWorkTree(r *Repository, top *workFolder, ix *index, cfg *gitconfig.Config) *workTree {
	checkStat, _ := cfg.Last("core.checkstat")
	return &workTree{
		repo: r, top: top, ix: ix, cfg: cfg,
		stat: statRules{
			trustCtime: cfg.Bool("core.trustctime", true),
			full:       !strings.EqualFold(checkStat, "minimal"),
		},
		fileMode: cfg.Bool("core.filemode", true),
		symlinks: cfg.Bool("core.symlinks", true),
		fold:     cfg.Bool("core.ignorecase", false),
		present:  looksAtPresent(cfg),
		emptyID:  emptyBlob(),
	}
}

// looksAtPresent reports whether git takes back the skip-worktree bit of a file that is in the work tree: it does
// so in a sparse checkout, and not for bits that were set by hand.
func looksAtPresent(cfg *gitconfig.Config) bool {
	return cfg.Bool("core.sparsecheckout", false) && !cfg.Bool("sparse.expectfilesoutsideofpatterns", false)
}

// expandPresent makes sparse folders whole that are in the work tree.
func (r *Repository) expandPresent(ctx context.Context, ix *index, cfg *gitconfig.Config) error {
	if !looksAtPresent(cfg) {
		return nil
	}
	err := r.expand(ctx, ix, func(e *indexEntry) bool {
		_, err := os.Lstat(filepath.Join(r.disk.workTree, filepath.FromSlash(e.name)))
		return err == nil
	})
	if err != nil {
		return r.statusFault("its sparse index can't be expanded", err)
	}
	return nil
}

// check returns the changes of sorted entries, at most limit.
func (w *workTree) check(ctx context.Context, entries []indexEntry, limit int) ([]Change, error) {
	var changes []Change
	for i := range entries {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		e := &entries[i]
		if e.stage != 0 || e.kind() == kindFolder {
			continue // a conflict is a staged change
		}
		reason, err := w.change(ctx, e)
		if err != nil {
			return nil, err
		}
		if reason == "" {
			continue
		}
		changes = append(changes, Change{e.name, reason})
		if len(changes) == limit {
			break
		}
	}
	return changes, nil
}

// change says how the file of an entry differs; "" where it does not.
func (w *workTree) change(ctx context.Context, e *indexEntry) (string, error) {
	switch {
	case e.skipWorktree && !w.present, e.assumeValid && !e.skipWorktree:
		return "", nil
	}
	if e.kind() == kindGitlink && !e.assumeValid {
		if ignore, err := w.submoduleIgnore(ctx, e.name); err != nil || ignore == "all" {
			return "", err // whatever is in its place
		}
	}
	found, err := w.lstat(e.name)
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		if e.skipWorktree {
			return "", nil
		}
		return "deleted", nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", e.name, err)
	}
	switch {
	case e.assumeValid:
		return "", nil
	case e.intentToAdd:
		return "to be added", nil
	case e.kind() == kindGitlink:
		return w.submodule(ctx, e, &found)
	}
	if reason := w.kindChange(e, &found); reason != "" {
		return reason, nil
	}
	verdict := w.stat.compare(e.stat, &found, w.ix.written)
	if verdict == statSame && e.stat.size == 0 && e.id != w.emptyID {
		verdict = statStale
	}
	switch verdict {
	case statSame:
		return "", nil
	case statChanged:
		return "modified", nil
	}
	return w.compare(ctx, e, &found)
}

// lstat is that of the file, and "not there" where a parent is a symlink.
func (w *workTree) lstat(name string) (s fileStat, err error) {
	folder, _ := splitPath(name)
	if !strings.HasPrefix(w.folder, folder) {
		for i := range len(folder) {
			if folder[i] != '/' || strings.HasPrefix(w.folder, folder[:i+1]) {
				continue
			}
			parent, err := w.top.lstat(folder[:i])
			if err != nil {
				return s, err
			}
			if parent.kind() != kindFolder {
				return s, fs.ErrNotExist
			}
		}
		w.folder = folder
	}
	return w.top.lstat(name)
}

func (w *workTree) path(name string) string { return w.top.filePath(name) }

// kindChange compares the kind of file and its owner's x.
func (w *workTree) kindChange(e *indexEntry, found *fileStat) string {
	kind := found.kind()
	switch {
	case kind == kindFolder:
		return "replaced by a folder"
	case e.kind() == kindFile && kind != kindFile,
		e.kind() == kindLink && kind != kindLink && (w.symlinks || kind != kindFile):
		return "replaced by another kind of file"
	case e.kind() == kindFile && w.fileMode && (e.mode^found.mode)&0o100 != 0:
		return "its executable bit changed"
	}
	return ""
}

// compare reads a file whose stat data do not settle it, and hashes it as git would.
func (w *workTree) compare(ctx context.Context, e *indexEntry, found *fileStat) (string, error) {
	if found.kind() == kindLink {
		target, err := os.Readlink(w.path(e.name))
		if err != nil {
			return "", fmt.Errorf("%s: %w", e.name, plainfile.Cause(err))
		}
		if plumbing.ComputeHash(plumbing.BlobObject, []byte(target)) != e.id {
			return "modified", nil
		}
		return "", nil
	}
	attrs, err := w.attributesOf(ctx, e.name)
	if err != nil {
		return "", err
	}
	conv := conversionOf(attrs, w.cfg)
	id, err := w.hashFile(ctx, e, found.size, conv)
	var untold *untoldError
	switch {
	case errors.As(err, &untold):
		return "it can't be told whether it is modified: " + untold.Error(), nil
	case err != nil:
		return "", err
	case id != e.id:
		return "modified", nil
	}
	return "", nil
}

// untoldError says why a file can't be compared, though git might.
type untoldError struct{ err error }

func (e *untoldError) Error() string { return e.err.Error() }

// hashFile returns the id that git would give the file. It holds the file only where there is something to convert.
func (w *workTree) hashFile(ctx context.Context, e *indexEntry, size int64, conv conversion) (ID, error) {
	file, err := w.repo.openFile(w.path(e.name))
	if err != nil {
		// git calls a file that it can't open modified.
		return ID{}, &untoldError{plainfile.Cause(err)}
	}
	defer file.Close()
	if conv.identity() {
		h := plumbing.NewHasher(plumbing.BlobObject, size)
		n, err := io.Copy(h, io.LimitReader(file, size+1))
		if err == nil && n != size {
			err = errors.New("its length changes while it is read")
		}
		if err != nil {
			return ID{}, &untoldError{plainfile.Cause(err)}
		}
		return h.Sum(), nil
	}
	if size > maxHeldBytes {
		return ID{}, &untoldError{fmt.Errorf("it has more than %d bytes to convert", maxHeldBytes)}
	}
	content, err := io.ReadAll(io.LimitReader(file, size+1))
	if err != nil {
		return ID{}, &untoldError{plainfile.Cause(err)}
	}
	var objectErr error
	converted, err := conv.apply(content, func() (bool, error) {
		has, err := w.repo.blobHasCRLF(ctx, e.id)
		objectErr = err
		return has, err
	})
	switch {
	case objectErr != nil:
		return ID{}, objectErr
	case err == nil:
		return plumbing.ComputeHash(plumbing.BlobObject, converted), nil
	case plumbing.ComputeHash(plumbing.BlobObject, content) == e.id:
		// What a filter stored is what is in the work tree: no filter ran on the way out.
		return e.id, nil
	}
	return ID{}, &untoldError{err}
}
