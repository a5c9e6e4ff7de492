package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"example.org/compose/internal/plainfile"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

const maxShallowBytes = 64 << 20

// IsAncestor reports whether the commit old is of itself or is reached from it through parents, as the commits
// name them: replace refs and grafts are ignored. A commit-graph is used where there is a sound one; it changes
// no answer.
//
// OLD_SOURCE_REVISION_UNAVAILABLE: old is not there or is no commit, or the history ends at the boundary of a
// shallow clone or at a missing commit before the answer is known; there is never a false "no".
// INVALID_REVISION: of is not there or is no commit. READ_FAILED: a commit that matters can't be read.
// The answer needs memory for each commit that was read.
func (r *Repository) IsAncestor(ctx context.Context, old, of lockv2.Revision) (bool, error) {
	if old == of {
		return true, nil
	}
	if err := r.checkOld(ctx, old); err != nil {
		return false, err
	}
	if _, err := r.Commit(ctx, of); err != nil {
		return false, err
	}
	shallow, err := r.shallowCommits()
	if err != nil {
		return false, err
	}
	w := &ancestryWalk{
		repo: r, commits: newCommitReader(r), shallow: shallow,
		old: plumbing.NewHash(string(old)), of: plumbing.NewHash(string(of)),
		numbers: map[ID]int32{},
	}
	if len(shallow) == 0 && !r.opts.NoCommitGraph {
		w.useGraph(r.loadCommitGraph())
	}
	return w.run(ctx)
}

// checkOld makes sure that old is a commit that is there.
func (r *Repository) checkOld(ctx context.Context, old lockv2.Revision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !old.Valid() {
		return unavailable(old, "is no revision; a revision is a full commit id, 40 lower-case hexadecimal digits")
	}
	id := plumbing.NewHash(string(old))
	kind, err := r.kindOf(ctx, id, plumbing.CommitObject)
	switch {
	case errors.Is(err, errMissing):
		return r.oldMissing(old)
	case err != nil:
		return err
	case kind != plumbing.CommitObject:
		return unavailable(old, "is the id of a "+kind.String()+", not of a commit, so no history holds it")
	}
	_, err = r.Commit(ctx, old)
	return err
}

func unavailable(old lockv2.Revision, msg string) *Error {
	return fault(CodeOldSourceRevisionUnavailable, string(old), msg)
}

func (r *Repository) oldMissing(old lockv2.Revision) error {
	const notHere = "the old revision is not here"
	switch {
	case r.disk == nil:
		return unavailable(old, notHere+"; use a compose whose catalog has it")
	case r.disk.shallow:
		return unavailable(old, notHere+": the repository is a shallow clone; fetch the rest of its history").withHint(r.GitCommand("fetch --unshallow"))
	case r.disk.partial:
		return unavailable(old, notHere+": the repository is a partial clone, and compose fetches nothing; fetch it first").withHint(r.GitCommand("fetch origin " + string(old)))
	}
	return unavailable(old, notHere+"; fetch it, or use the repository that it was taken from").withHint(r.GitCommand("fetch --all"))
}

// cutOff says that the history ends, at commit, before it is known whether old is in it.
func (r *Repository) cutOff(old lockv2.Revision, commit ID, boundary bool) error {
	const unknown = "whether the source's revision descends from it can't be told: "
	switch {
	case boundary:
		return unavailable(old, unknown+"the repository is a shallow clone, whose history ends at "+commit.String()+
			"; fetch the rest").withHint(r.GitCommand("fetch --unshallow"))
	case r.disk == nil:
		return unavailable(old, unknown+"the catalog's history lacks "+commit.String())
	case r.disk.partial:
		return unavailable(old, unknown+"the commit "+commit.String()+" is not in this partial clone; fetch it first").withHint(r.GitCommand("fetch origin " + commit.String()))
	}
	return unavailable(old, unknown+"the commit "+commit.String()+" is missing; the repository is damaged").withHint(r.GitCommand("fsck --connectivity-only"))
}

// shallowCommits returns the commits whose parents a shallow clone does not have; empty for a full one. git
// writes them to the common folder, also from a linked worktree.
func (r *Repository) shallowCommits() (map[ID]bool, error) {
	if r.disk == nil {
		return nil, nil
	}
	text, err := plainfile.Read(filepath.Join(r.disk.common, "shallow"), maxShallowBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, faultOf(CodeReadFailed, r.name(), "the list of a shallow clone's boundary can't be read", plainfile.Cause(err))
	}
	ids := map[ID]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if !lowerHex([]byte(line)) {
			return nil, fault(CodeReadFailed, r.name(), "the list of a shallow clone's boundary has a line that is no commit id")
		}
		ids[plumbing.NewHash(line)] = true
	}
	return ids, nil
}
