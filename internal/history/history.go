// Package history finds the revision of a catalog that last changed a file.
//
// Start with Open and Last. The answer is that of `git log -1 -- PATH...`, whose rule for merges is kept exactly: a
// merge that has the files as one of its parents has them changed nothing, and the walk goes on with the first such
// parent; a merge that has them as no parent does is itself the answer. A change of the mode is a change, as it is
// for git, and nothing is followed across a rename.
//
// Only what is in the repository counts, and nothing is fetched. Where the walk gets to what is not here, as in a
// shallow or partial clone or in the cache of a URL, which holds the files of composed revisions alone, the error is
// HISTORY_UNAVAILABLE: git takes the edge of a shallow clone for the beginning of its history, this package says that
// it does not know. Replace refs and grafts are ignored.
package history

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/lockv2"
)

// CodeUnavailable is the code of an *Error: what would tell is not here.
const CodeUnavailable = "HISTORY_UNAVAILABLE"

// MaxCommits bounds the commits that are looked at for one answer.
const MaxCommits = 250_000

// Error says why a history can't tell.
type Error struct{ diag.Base }

// File is a file of a revision.
type File struct {
	Path string // relative to the top of the repository

	// Part returns the part of the contents that counts, nil for none; the nil Part is the whole file, its mode included.
	Part func(contents []byte) []byte
}

// Log answers questions about the history of one repository. It is used by one goroutine.
type Log struct {
	repo    *gitrepo.Repository
	reader  *gitrepo.Commits
	commits map[gitrepo.ID]gitrepo.Commit // read lately
	trees   trees
}

// maxKept bounds the commits that are kept for the next question.
const maxKept = 1 << 16

// Open returns a log of repo, which stays the caller's. READ_FAILED: the list of a shallow clone's boundary can't be read.
func Open(repo *gitrepo.Repository) (*Log, error) {
	reader, err := repo.Commits()
	if err != nil {
		return nil, err
	}
	return &Log{repo: repo, reader: reader, commits: map[gitrepo.ID]gitrepo.Commit{}, trees: trees{repo: repo}}, nil
}

// Last returns the revision that last changed any of the files, on the way from tip: tip or an ancestor of it. It is nil
// where none of them ever was. Where a folder is in the place of a file, the whole folder counts.
//
// HISTORY_UNAVAILABLE: a commit, a tree or a file that would tell is not here, or it would take more than MaxCommits
// commits. Other errors are those of gitrepo for objects that are damaged, and ctx's.
func (l *Log) Last(ctx context.Context, tip lockv2.Revision, files []File) (*Change, error) {
	var id gitrepo.ID
	if _, err := hex.Decode(id[:], []byte(tip)); err != nil || !tip.Valid() {
		return nil, fmt.Errorf("internal: %q is no revision", string(tip))
	}
	w := &walk{Log: l, wanted: newFolder(files)}
	for range MaxCommits {
		next, err := w.step(ctx, id)
		if err != nil {
			return nil, err
		}
		switch next {
		case id:
			return l.change(ctx, id)
		case gitrepo.ID{}:
			return nil, nil
		}
		id = next
	}
	return nil, &Error{diag.New(CodeUnavailable, id.String(),
		fmt.Sprintf("none of the %d commits up to this one changed it, and compose looks at no more", MaxCommits))}
}

// walk is the search for one answer.
type walk struct {
	*Log
	wanted *folder
}

// step returns the parent of a commit with which the walk goes on; the commit itself where that is the answer, and
// the zero ID where the history ends without one.
func (w *walk) step(ctx context.Context, id gitrepo.ID) (gitrepo.ID, error) {
	commit, err := w.commit(ctx, id)
	if err != nil {
		return gitrepo.ID{}, err
	}
	if len(commit.Parents) == 0 {
		none, err := w.same(ctx, w.wanted, commit.Tree, gitrepo.ID{})
		if err != nil || none {
			return gitrepo.ID{}, err
		}
		return id, nil
	}
	if w.reader.Boundary(id) {
		return gitrepo.ID{}, w.unavailable("the repository is a shallow clone, whose history ends at "+id.String()+"; fetch the rest", "fetch --unshallow")
	}
	for _, parent := range commit.Parents {
		before, err := w.commit(ctx, parent)
		if err != nil {
			return gitrepo.ID{}, err
		}
		same, err := w.same(ctx, w.wanted, commit.Tree, before.Tree)
		if err != nil {
			return gitrepo.ID{}, err
		}
		if same {
			return parent, nil
		}
	}
	return id, nil
}

// commit reads a commit.
func (l *Log) commit(ctx context.Context, id gitrepo.ID) (gitrepo.Commit, error) {
	if c, found := l.commits[id]; found {
		return c, ctx.Err()
	}
	c, err := l.reader.Read(ctx, id)
	if err != nil {
		return c, l.unreadable(ctx, id, err)
	}
	c.Parents = append([]gitrepo.ID(nil), c.Parents...)
	if len(l.commits) == maxKept {
		clear(l.commits)
	}
	l.commits[id] = c
	return c, nil
}

// unreadable tells, of an object that can't be read, one that is not here from one that is damaged.
func (l *Log) unreadable(ctx context.Context, id gitrepo.ID, err error) error {
	var fault *gitrepo.Error
	if !errors.As(err, &fault) {
		return err
	}
	if _, found, lost := l.repo.KindOf(ctx, id); found || lost != nil {
		return err
	}
	if l.repo.GitCommand("") == "" {
		return l.unavailable("", "")
	}
	return &Error{diag.Wrap(CodeUnavailable, "", "the history is not here", err).WithHint(fault.Hint())}
}

// unavailable says that the history is not here; why, and the git command that helps, of a repository on disk.
func (l *Log) unavailable(why, command string) error {
	if l.repo.GitCommand("") == "" {
		return &Error{diag.New(CodeUnavailable, "", "the history is not here: of a URL compose fetches what it composes from; a clone of the catalog has it all")}
	}
	return &Error{diag.New(CodeUnavailable, "", "the history is not here: "+why).WithHint(l.repo.GitCommand(command))}
}
