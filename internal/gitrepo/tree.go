package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxCommitBytes = 16 << 20
	maxTreeBytes   = 64 << 20
)

// Commit returns the tree of a revision.
//
// INVALID_REVISION: rev is no full commit id, the object is not there, or it is no commit. READ_FAILED: the
// commit is damaged.
func (r *Repository) Commit(ctx context.Context, rev lockv2.Revision) (tree ID, err error) {
	if !rev.Valid() {
		return ID{}, r.revisionFault(rev, "is no revision; a revision is a full commit id, 40 lower-case hexadecimal digits and not all zero",
			"rev-parse "+diag.Quote(string(rev)+"^{commit}"))
	}
	if err := ctx.Err(); err != nil {
		return ID{}, err
	}
	id := plumbing.NewHash(string(rev))
	kind, err := r.kindOf(ctx, id, plumbing.CommitObject)
	switch {
	case errors.Is(err, errMissing):
		return ID{}, r.noSuchRevision(rev)
	case err != nil:
		return ID{}, err
	case kind == plumbing.TagObject:
		return ID{}, r.revisionFault(rev, "is the id of an annotated tag; name the commit that it stands for", "rev-parse "+diag.Quote(string(rev)+"^{commit}"))
	case kind != plumbing.CommitObject:
		return ID{}, r.revisionFault(rev, "is the id of a "+kind.String()+", not of a commit; name a commit", "log --format=%H")
	}
	content, err := r.read(ctx, id, plumbing.CommitObject, maxCommitBytes)
	if err != nil {
		return ID{}, err
	}
	tree, err = parseCommit(content)
	if err != nil {
		return ID{}, malformed(id, plumbing.CommitObject, err)
	}
	return tree, nil
}

// revisionFault says what is wrong with a revision, and which git command helps.
func (r *Repository) revisionFault(rev lockv2.Revision, msg, command string) *Error {
	e := fault(CodeInvalidRevision, string(rev), msg)
	if rev == "" {
		e = fault(CodeInvalidRevision, "", "the revision is empty; it is a full commit id, 40 lower-case hexadecimal digits")
		command = "rev-parse HEAD"
	}
	return e.withHint(r.GitCommand(command))
}

func (r *Repository) noSuchRevision(rev lockv2.Revision) error {
	switch {
	case r.disk == nil:
		return fault(CodeInvalidRevision, string(rev), "there is no such commit in this catalog")
	case r.disk.shallow:
		return r.revisionFault(rev, "there is no such commit here, and the repository is a shallow clone; fetch the rest of its history", "fetch --unshallow")
	case r.disk.partial:
		return r.revisionFault(rev, "there is no such commit here, and the repository is a partial clone; fetch it first", "fetch origin "+string(rev))
	}
	return r.revisionFault(rev, "there is no such commit in this repository; fetch it if it is elsewhere", "fetch --all")
}

// parseCommit returns the tree of a commit: its first line is "tree ID".
func parseCommit(content []byte) (tree ID, err error) {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	hex, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok || !lowerHex(hex) {
		return ID{}, errors.New("it has no tree")
	}
	for bytes.HasPrefix(rest, []byte("parent ")) {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !lowerHex(line[len("parent "):]) {
			return ID{}, errors.New("a parent of it is no id")
		}
	}
	if !bytes.HasPrefix(rest, []byte("author ")) {
		return ID{}, errors.New("it has no author")
	}
	return plumbing.NewHash(string(hex)), nil
}

func lowerHex(text []byte) bool {
	if len(text) != 2*len(ID{}) {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ReadTree returns the entries of a tree in git's order: by name, a tree as if its name ended in "/". No two
// have the same name, and no name is empty or holds "/" or NUL; what else a name may be is up to the reader.
//
// READ_FAILED: the object is missing, is no tree, or is damaged or malformed. SOURCE_TOO_LARGE: it has more than 64 MiB.
func (r *Repository) ReadTree(ctx context.Context, id ID) ([]Entry, error) {
	var entries []Entry
	err := r.use(ctx, id, plumbing.TreeObject, maxTreeBytes, func(content []byte) (err error) {
		if entries, err = parseTree(content); err != nil {
			return malformed(id, plumbing.TreeObject, err)
		}
		return nil
	})
	return entries, err
}

// parseTree reads entries "MODE NAME NUL ID".
func parseTree(content []byte) ([]Entry, error) {
	// Two allocations, however many entries there are: the names are parts of one text.
	text := string(content)
	const shortest = len("40000 a\x00") + len(ID{})
	entries := make([]Entry, 0, min(bytes.Count(content, []byte{0}), len(content)/shortest))
	for len(text) > 0 {
		head, rest, ok := strings.Cut(text, "\x00")
		mode, name, spaced := strings.Cut(head, " ")
		if !ok || !spaced || len(rest) < len(ID{}) {
			return nil, errors.New("it ends inside an entry")
		}
		e := Entry{Name: name}
		if e.Mode, ok = parseMode(mode); !ok {
			return nil, fmt.Errorf("its entry %q has the mode %q", name, mode)
		}
		if len(name) == 0 || strings.IndexByte(name, '/') >= 0 {
			return nil, fmt.Errorf("an entry has the name %q", name)
		}
		copy(e.ID[:], rest)
		text = rest[len(ID{}):]
		if n := len(entries); n > 0 && compareInTree(&entries[n-1], &e) >= 0 || e.Mode == Tree && hasFile(entries, e.Name) {
			return nil, fmt.Errorf("its entry %q is out of order or there twice", name)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseMode reads an octal mode as git does: of a file's permissions only the owner's x counts.
func parseMode(text string) (Mode, bool) {
	if len(text) == 0 || len(text) > 7 {
		return 0, false
	}
	mode := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '7' {
			return 0, false
		}
		mode = mode<<3 | int(c-'0')
	}
	switch mode & 0o170000 {
	case 0o040000:
		return Tree, true
	case 0o120000:
		return Symlink, true
	case 0o160000:
		return Submodule, true
	case 0o100000:
		if mode&0o100 != 0 {
			return Executable, true
		}
		return Regular, true
	}
	return 0, false
}

// compareInTree is git's order: by name, a tree as if its name ended in "/".
func compareInTree(a, b *Entry) int {
	n := min(len(a.Name), len(b.Name))
	if order := strings.Compare(a.Name[:n], b.Name[:n]); order != 0 {
		return order
	}
	return cmp.Compare(a.behind(n), b.behind(n))
}

// behind is the byte of a name behind n of them, as the order has it; no name holds a zero.
func (e *Entry) behind(n int) byte {
	switch {
	case n < len(e.Name):
		return e.Name[n]
	case e.Mode == Tree:
		return '/'
	}
	return 0
}

// hasFile reports whether a file of that name is among the entries: "a" and "a/" need not be neighbours.
func hasFile(sorted []Entry, name string) bool {
	_, found := slices.BinarySearchFunc(sorted, Entry{Name: name}, func(a, b Entry) int { return compareInTree(&a, &b) })
	return found
}
