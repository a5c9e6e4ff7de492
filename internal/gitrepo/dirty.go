package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/plainfile"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// maxSubmoduleDepth bounds submodules in submodules.
const maxSubmoduleDepth = 16

// Change is a tracked path that differs from HEAD.
type Change struct {
	Path   string
	Reason string // in words, such as "staged", "modified", "deleted"
}

// Dirty returns, sorted and each once, the tracked paths that differ from HEAD in the index or in the work tree:
// what `git status --porcelain --untracked-files=no` lists, both names of a rename included. At most limit paths;
// 0 means all. A bare repository has none. The rules are in docs/sources.md.
//
// It reads no file of the work tree whose stat data match the index, racily clean ones excepted, and runs nothing.
// READ_FAILED: the index, the configuration or an object can't be read.
func (r *Repository) Dirty(ctx context.Context, limit int) ([]string, error) {
	changes, err := r.Changes(ctx, limit)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, nil
}

// Changes is Dirty with a reason for each path.
func (r *Repository) Changes(ctx context.Context, limit int) ([]Change, error) {
	if r.Bare() {
		return nil, nil
	}
	ix, err := readIndex(r.disk.git)
	if err != nil {
		return nil, r.statusFault("its index can't be read", err)
	}
	cfg, err := r.checkConfig()
	if err != nil {
		return nil, err
	}
	staged, err := r.staged(ctx, ix, cfg)
	if err != nil {
		return nil, err
	}
	unstaged, err := r.unstaged(ctx, ix, cfg, limit)
	if err != nil {
		return nil, err
	}
	// The staged change of a path is the one that is kept.
	changes := append(staged, unstaged...)
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	changes = slices.CompactFunc(changes, func(a, b Change) bool { return a.Path == b.Path })
	if limit > 0 && len(changes) > limit {
		changes = changes[:limit]
	}
	return changes, nil
}

func (r *Repository) statusFault(msg string, err error) error {
	var e *Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return faultOf(CodeReadFailed, r.name(), msg, plainfile.Cause(err))
}

// checkConfig is the configuration that git status would have: of system and user, then of the repository and the
// worktree, with what they include.
func (r *Repository) checkConfig() (*gitconfig.Config, error) {
	cfg := &gitconfig.Config{}
	inc := includesOf(r.opts.Home, r.disk.git)
	files := slices.Concat(r.opts.ConfigFiles, []string{filepath.Join(r.disk.common, "config")})
	if r.disk.config.Bool("extensions.worktreeconfig", false) {
		files = append(files, filepath.Join(r.disk.git, "config.worktree"))
	}
	for i, file := range files {
		err := cfg.AddFile(file, inc)
		if errors.Is(err, fs.ErrPermission) && i < len(r.opts.ConfigFiles) {
			continue // as in git: a home that can't be read is one without configuration
		}
		if err != nil {
			return nil, faultOf(CodeReadFailed, r.name(), "the git configuration "+strconv.Quote(file)+" can't be read", plainfile.Cause(err))
		}
	}
	return cfg, nil
}

// headTree returns the tree of HEAD; zero for an unborn branch.
func (r *Repository) headTree(ctx context.Context) (ID, error) {
	var unborn *Error
	head, err := r.Head()
	if errors.As(err, &unborn) && unborn.Code() == CodeInvalidRevision {
		return ID{}, nil
	}
	if err != nil {
		return ID{}, err
	}
	return r.Commit(ctx, head)
}

// staged compares the index with HEAD, and makes sparse folders whole where that or the work tree needs it.
func (r *Repository) staged(ctx context.Context, ix *index, cfg *gitconfig.Config) ([]Change, error) {
	tree, err := r.headTree(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.expandPresent(ctx, ix, cfg); err != nil {
		return nil, err
	}
	if ix.root == tree && !tree.IsZero() {
		return nil, nil
	}
	head := headWalk{repo: r, sparse: map[string]ID{}}
	for i := range ix.entries {
		if e := &ix.entries[i]; e.kind() == kindFolder {
			head.sparse[e.name] = e.id
		}
	}
	if !tree.IsZero() {
		if err := head.walk(ctx, tree, ""); err != nil {
			return nil, err
		}
	}
	if err := r.expand(ctx, ix, func(e *indexEntry) bool { _, differs := head.sparse[e.name]; return differs }); err != nil {
		return nil, err
	}
	return compareStaged(head.entries, ix.entries), nil
}

// headEntry is one file of HEAD, with an index's mode.
type headEntry struct {
	path string
	mode uint32
	id   ID
}

// headWalk lists a tree by path. Folders that a sparse index holds whole, and with the same id, are left out, and
// taken from sparse.
type headWalk struct {
	repo    *Repository
	sparse  map[string]ID
	entries []headEntry
	trees   int
}

const (
	// maxPathBytes bounds paths in trees, and so their depth.
	maxPathBytes = 16 << 10
	// A few small trees that name one another many times stand for more paths than any machine can list.
	maxHeadTrees   = 1 << 18
	maxHeadEntries = 16 << 20
)

func (h *headWalk) walk(ctx context.Context, tree ID, prefix string) error {
	if h.trees++; h.trees > maxHeadTrees || len(h.entries) > maxHeadEntries || len(prefix) > maxPathBytes {
		return fault(CodeSourceTooLarge, tree.String(), fmt.Sprintf(
			"the tree is one of more than %d folders or %d files, or is too deep, to be compared with the index", maxHeadTrees, maxHeadEntries))
	}
	entries, err := h.repo.ReadTree(ctx, tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := prefix + e.Name
		if e.Mode != Tree {
			h.entries = append(h.entries, headEntry{path, indexMode(e.Mode), e.ID})
			continue
		}
		if id, ok := h.sparse[path+"/"]; ok && id == e.ID {
			delete(h.sparse, path+"/")
			continue
		}
		if err := h.walk(ctx, e.ID, path+"/"); err != nil {
			return err
		}
	}
	return nil
}

func indexMode(m Mode) uint32 {
	switch m {
	case Executable:
		return kindFile | 0o755
	case Symlink:
		return kindLink
	case Submodule:
		return kindGitlink
	case Tree:
		return kindFolder
	}
	return kindFile | 0o644
}

// compareStaged lists what differs between two lists that are sorted by path.
func compareStaged(head []headEntry, entries []indexEntry) []Change {
	var changes []Change
	h := 0
	for i := range entries {
		e := &entries[i]
		if e.kind() == kindFolder || e.intentToAdd {
			// A sparse folder that is left is one of HEAD; a file that is only meant to be added is not staged.
			continue
		}
		for h < len(head) && head[h].path < e.name {
			changes = append(changes, Change{head[h].path, "its removal is staged"})
			h++
		}
		found := h < len(head) && head[h].path == e.name
		switch {
		case e.stage != 0:
			changes = append(changes, Change{e.name, "in conflict"})
		case !found:
			changes = append(changes, Change{e.name, "its addition is staged"})
		case head[h].mode != e.mode || head[h].id != e.id:
			changes = append(changes, Change{e.name, "its change is staged"})
		}
		// The stages of a conflict have one path.
		if found && (i+1 == len(entries) || entries[i+1].name != e.name) {
			h++
		}
	}
	for ; h < len(head); h++ {
		changes = append(changes, Change{head[h].path, "its removal is staged"})
	}
	return changes
}

// expand replaces the sparse folders that want says by the files of their trees, as git does where it needs them.
func (r *Repository) expand(ctx context.Context, ix *index, want func(*indexEntry) bool) error {
	if !slices.ContainsFunc(ix.entries, func(e indexEntry) bool { return e.kind() == kindFolder && want(&e) }) {
		return nil
	}
	var entries []indexEntry
	for i := range ix.entries {
		e := &ix.entries[i]
		if e.kind() != kindFolder || !want(e) {
			entries = append(entries, *e)
			continue
		}
		folder := headWalk{repo: r}
		if err := folder.walk(ctx, e.id, e.name); err != nil {
			return err
		}
		for _, f := range folder.entries {
			entries = append(entries, indexEntry{name: f.path, mode: f.mode, id: f.id, skipWorktree: true})
		}
	}
	ix.entries = entries
	return ix.checkOrder()
}

// unstaged compares the work tree with the index, on all cores: lstat for each entry is most of the work.
func (r *Repository) unstaged(ctx context.Context, ix *index, cfg *gitconfig.Config, limit int) ([]Change, error) {
	const size = 256 // entries in a row that one worker takes, most of them of one folder
	parts := slices.Collect(slices.Chunk(ix.entries, size))
	changes := make([][]Change, len(parts))
	errs := make([]error, len(parts))
	top := openWorkFolder(r.disk.workTree)
	defer top.close()
	var next atomic.Int64
	var failed atomic.Bool
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		running.Go(func() {
			w := newWorkTree(r, top, ix, cfg)
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(parts) {
					return
				}
				if changes[i], errs[i] = w.check(ctx, parts[i], limit); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	running.Wait()
	// Parts are begun in their order and ended once begun, so this is the first error that there is.
	for _, err := range errs {
		if err != nil {
			return nil, r.statusFault("the work tree can't be compared with the index", err)
		}
	}
	return slices.Concat(changes...), nil
}

// blobHasCRLF reports whether the blob of an index entry is text with CRLF.
func (r *Repository) blobHasCRLF(ctx context.Context, id ID) (bool, error) {
	blob, err := r.read(ctx, id, plumbing.BlobObject, maxHeldBytes)
	return err == nil && hasTextCRLF(blob), err
}

// headOf is the head of a submodule; "" for an unborn branch.
func headOf(sub *Repository) (lockv2.Revision, error) {
	head, err := sub.Head()
	var e *Error
	if errors.As(err, &e) && e.Code() == CodeInvalidRevision {
		return "", nil
	}
	return head, err
}
