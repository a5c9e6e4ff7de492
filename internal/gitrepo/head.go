package gitrepo

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/compose/internal/plainfile"
	"example.org/compose/lockv2"
)

const (
	maxRefBytes       = 64 << 10
	maxSymbolicRefs   = 5 // git's own SYMREF_MAXDEPTH
	symbolicRefPrefix = "ref:"
)

// errNoRef says that a ref is not there: an unborn branch.
var errNoRef = errors.New("no such ref")

// Head returns the revision that HEAD names, whether or not its commit is there (see Commit).
//
// INVALID_REVISION: HEAD names a branch without a commit. READ_FAILED: a ref can't be read.
func (r *Repository) Head() (lockv2.Revision, error) {
	if r.disk == nil {
		if !r.head.Valid() {
			return "", fault(CodeInvalidRevision, "HEAD", "there is no commit yet")
		}
		return r.head, nil
	}
	name := "HEAD"
	for range maxSymbolicRefs + 1 {
		text, err := r.disk.readRef(name)
		if errors.Is(err, errNoRef) {
			return "", fault(CodeInvalidRevision, r.name(), "HEAD names "+strconv.Quote(name)+
				", which has no commit; commit first, name a revision, or point HEAD at a branch with git symbolic-ref")
		}
		if err != nil {
			return "", faultOf(CodeReadFailed, r.name(), "the ref "+strconv.Quote(name)+" can't be read; restore it, or name a revision", plainfile.Cause(err))
		}
		target, symbolic := strings.CutPrefix(text, symbolicRefPrefix)
		if !symbolic {
			rev := lockv2.Revision(text)
			if !rev.Valid() {
				return "", fault(CodeReadFailed, r.name(), "the ref "+strconv.Quote(name)+" holds no commit id; restore it, or name a revision")
			}
			return rev, nil
		}
		name = strings.TrimSpace(target)
		if !safeRefName(name) {
			return "", fault(CodeReadFailed, r.name(), "HEAD names "+strconv.Quote(name)+", which is no name of a ref; correct it with git symbolic-ref, or name a revision")
		}
	}
	return "", fault(CodeReadFailed, r.name(), "its symbolic refs lead to one another without end; point HEAD at a branch with git symbolic-ref, or name a revision")
}

// readRef returns the text of a ref: an id, or "ref: NAME". errNoRef where there is none.
func (l *location) readRef(name string) (string, error) {
	folder := l.common
	if name == "HEAD" || strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/worktree/") ||
		strings.HasPrefix(name, "refs/rewritten/") {
		folder = l.git
	}
	file := filepath.Join(folder, filepath.FromSlash(name))
	// HEAD was once a symbolic link to its branch.
	if target, err := os.Readlink(file); err == nil && strings.HasPrefix(filepath.ToSlash(target), "refs/") {
		return symbolicRefPrefix + filepath.ToSlash(target), nil
	}
	text, err := plainfile.Read(file, maxRefBytes)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if name == "HEAD" {
		return "", err // packed-refs never holds it
	}
	if info, statErr := os.Stat(file); errors.Is(err, fs.ErrNotExist) || isNotFolder(err) || statErr == nil && info.IsDir() {
		return l.readPackedRef(name)
	}
	return "", err
}

// readPackedRef looks a ref up in packed-refs: lines "ID NAME", with "#" comments and "^" peeled tags between.
func (l *location) readPackedRef(name string) (string, error) {
	f, err := os.Open(filepath.Join(l.common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoRef
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && ref == name && id != "#" {
			return id, nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", errNoRef
}

// safeRefName refuses names that would leave the git folder or that git would not take.
func safeRefName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.ContainsAny(name, "\\\x00 ~^:?*[\x7f") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.Contains(part, "..") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
