package gitlocal

import (
	"bytes"
	"context"
	"fmt"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/gitwire"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxObjects   = 20_000_000 // about 2 GB of memory while they are listed
	maxTreeBytes = 64 << 20
)

// lister finds the objects of a pack, in the order of the pack: commits, the newest first, then trees and blobs.
type lister struct {
	ctx    context.Context
	remote *remote
	ask    gitwire.Request

	ids     []gitrepo.ID
	seen    map[gitrepo.ID]struct{} // ids, and what is on the other side
	commits []gitrepo.ID            // wanted, in the order of the request
	trees   []gitrepo.ID            // a stack of what is still to be read
}

// list returns the ids of what a request asks for: every want, and what it leads to as far as the filter lets it and it
// isn't reached from a have. As in git a filter leaves out nothing that is asked for by its id.
func (r *remote) list(ctx context.Context, ask gitwire.Request) ([]gitrepo.ID, error) {
	switch ask.Filter {
	case gitwire.AllObjects, gitwire.NoBlobs, gitwire.NoTrees:
	default:
		return nil, fmt.Errorf("gitlocal: there is no filter %q", ask.Filter)
	}
	if ask.Depth != 0 && ask.Depth != 1 {
		return nil, fmt.Errorf("gitlocal: there is no depth %d", ask.Depth)
	}
	l := &lister{ctx: ctx, remote: r, ask: ask, seen: map[gitrepo.ID]struct{}{}}
	for _, want := range ask.Wants {
		if err := l.want(want); err != nil {
			return nil, err
		}
	}
	h, err := newHistory(l)
	if err != nil {
		return nil, err
	}
	trees, others, err := h.walk(l.commits, ask.Haves, ask.Depth)
	if err != nil {
		return nil, err
	}
	// What the other side has is most of the trees.
	for _, tree := range others {
		if err := l.exclude(tree); err != nil {
			return nil, err
		}
	}
	for _, tree := range trees {
		if err := l.walk(tree); err != nil {
			return nil, err
		}
	}
	return l.ids, nil
}

// want adds an object that is asked for by its id, with the tags on the way to what it leads to. Commits are left to
// the walk of the history; anything else is sent whether or not a have leads to it: a partial clone asks so for what it
// lacks.
func (l *lister) want(id gitrepo.ID) error {
	chain, err := l.remote.repo.Peel(l.ctx, id)
	if err != nil {
		return err
	}
	for i, id := range chain {
		kind, found, err := l.remote.repo.KindOf(l.ctx, id)
		switch {
		case err != nil:
			return err
		case !found && i == 0 && l.promised(id):
			return l.remote.missing(l.ctx, id)
		case !found && i == 0:
			return fault(CodeInvalidRevision, id.String(), fmt.Sprintf("there is no such object in %q; name a revision that is there", l.remote.path))
		case !found:
			return fault(CodeInvalidRevision, chain[0].String(), fmt.Sprintf("the tag names %s, which is not in %q; name another revision", id, l.remote.path))
		case kind == plumbing.CommitObject:
			l.commits = append(l.commits, id)
		case kind == plumbing.TreeObject:
			err = l.walk(id)
		default:
			err = l.add(id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// promised reports whether a tree that was given out names a blob.
func (l *lister) promised(id gitrepo.ID) bool {
	_, promised := l.remote.named[id]
	return promised
}

// missing says why an object that should be there is not: the repository is damaged, or a partial clone.
func (r *remote) missing(ctx context.Context, id gitrepo.ID) error {
	o, err := r.repo.Object(ctx, id)
	if err != nil {
		return err
	}
	o.Close()
	return fault(gitrepo.CodeReadFailed, id.String(), "the object came while it was looked for; run the command again")
}

// add adds an object that was not seen yet.
func (l *lister) add(id gitrepo.ID) error {
	if !l.mark(id) {
		return nil
	}
	if len(l.ids) == maxObjects {
		return fault(CodeTooLarge, l.remote.path, fmt.Sprintf("more than %d objects are asked for; name a smaller source", maxObjects))
	}
	l.ids = append(l.ids, id)
	return nil
}

// mark reports whether an object is seen for the first time.
func (l *lister) mark(id gitrepo.ID) bool {
	if _, seen := l.seen[id]; seen {
		return false
	}
	l.seen[id] = struct{}{}
	return true
}

// walk adds a tree and what is below it, as far as the filter lets it.
func (l *lister) walk(root gitrepo.ID) error {
	below := func(entry entry) error {
		switch {
		case entry.tree && l.ask.Filter != gitwire.NoTrees:
			l.trees = append(l.trees, entry.id)
		case !entry.tree && l.ask.Filter == gitwire.AllObjects:
			return l.add(entry.id)
		case !entry.tree && l.ask.Filter == gitwire.NoBlobs && len(l.remote.named) < maxObjects:
			l.remote.named[entry.id] = struct{}{}
		}
		return nil
	}
	l.trees = append(l.trees[:0], root)
	for len(l.trees) > 0 {
		id := l.trees[len(l.trees)-1]
		l.trees = l.trees[:len(l.trees)-1]
		if _, seen := l.seen[id]; seen {
			continue
		}
		if err := l.add(id); err != nil {
			return err
		}
		if id == root && l.ask.Filter == gitwire.NoTrees {
			continue
		}
		if err := l.entries(id, below); err != nil {
			return err
		}
	}
	return nil
}

// exclude marks a tree and what is below it as being on the other side. What can't be read is no reason to stop: it is
// sent, if it is wanted.
func (l *lister) exclude(root gitrepo.ID) error {
	l.trees = append(l.trees[:0], root)
	for len(l.trees) > 0 {
		id := l.trees[len(l.trees)-1]
		l.trees = l.trees[:len(l.trees)-1]
		if !l.mark(id) {
			continue
		}
		if len(l.seen) > 2*maxObjects {
			return nil // the rest is sent
		}
		err := l.entries(id, func(entry entry) error {
			if entry.tree {
				l.trees = append(l.trees, entry.id)
			} else if l.ask.Filter == gitwire.AllObjects {
				l.mark(entry.id)
			}
			return nil
		})
		if err != nil && l.ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// entry is one entry of a tree.
type entry struct {
	tree bool
	id   gitrepo.ID
}

// entries calls each with the entries of a tree, but for submodules.
func (l *lister) entries(id gitrepo.ID, each func(entry) error) error {
	kind, content, err := l.remote.repo.ReadObject(l.ctx, id, maxTreeBytes)
	if err != nil {
		return err
	}
	if kind != plumbing.TreeObject {
		return malformed(id, "is a "+kind.String()+", where a tree is wanted")
	}
	for len(content) > 0 {
		mode, e, rest, problem := nextEntry(content)
		if problem != "" {
			return malformed(id, "is a malformed tree: "+problem)
		}
		content = rest
		if mode == modeSubmodule {
			continue
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

func malformed(id gitrepo.ID, text string) error {
	return fault(gitrepo.CodeReadFailed, id.String(), text+"; whoever wrote it has to write it anew, with git")
}

const (
	modeKind      = 0o170000
	modeFolder    = 0o040000
	modeSubmodule = 0o160000
)

// nextEntry reads "MODE NAME NUL ID". How a tree is ordered and what its names are is up to who reads it: git gives out
// what its writers made.
func nextEntry(content []byte) (mode int, e entry, rest []byte, problem string) {
	digits, rest, ok := bytes.Cut(content, []byte(" "))
	end := bytes.IndexByte(rest, 0)
	if !ok || end < 0 || len(rest)-end-1 < len(e.id) {
		return 0, e, nil, "it ends inside an entry"
	}
	for _, c := range digits {
		if c < '0' || c > '7' || mode > 0o777777 {
			return 0, e, nil, "an entry's mode is no octal number"
		}
		mode = mode<<3 | int(c-'0')
	}
	mode &= modeKind
	copy(e.id[:], rest[end+1:])
	e.tree = mode == modeFolder
	return mode, e, rest[end+1+len(e.id):], ""
}
