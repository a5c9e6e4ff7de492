package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/plainfile"
)

// location is where the parts of a repository are. Its paths are absolute or relative as the caller's path was.
type location struct {
	path     string // as the caller gave it
	git      string // HEAD, index
	common   string // config, objects, refs; git itself but for a linked worktree
	workTree string // "" for a bare repository

	config  *gitconfig.Config // the repository's own, the worktree's part included
	shallow bool
	partial bool
}

// locate finds the repository whose top folder or git folder is path, and refuses formats that this package
// would misread.
func locate(path string) (*location, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault(CodeInvalidSource, path, "there is no such folder; name the top folder of a git repository")
	case err != nil:
		return nil, faultOf(CodeInvalidSource, path, "the folder can't be looked at", plainfile.Cause(err))
	case !info.IsDir():
		return nil, fault(CodeInvalidSource, path, "is a file; name the top folder of a git repository")
	}

	l := &location{path: path}
	dotGit := filepath.Join(path, ".git")
	switch info, err := os.Stat(dotGit); {
	case err == nil && info.IsDir() && isGitFolder(dotGit):
		l.git, l.workTree = dotGit, path
	case err == nil && !info.IsDir():
		if l.git, err = readGitFile(dotGit); err != nil {
			return nil, err
		}
		if !isGitFolder(l.git) {
			return nil, fault(CodeInvalidSource, path, "its .git file names "+strconv.Quote(l.git)+
				", where no git repository is; was the repository moved? See git worktree repair")
		}
		l.workTree = path
	case isGitFolder(path):
		l.git = path
	default:
		return nil, notARepository(path)
	}
	l.common = commonFolder(l.git)
	if err := l.readFormat(); err != nil {
		return nil, err
	}
	return l, nil
}

// notARepository names the repository around path, if there is one, because that is the usual slip.
func notARepository(path string) error {
	msg := "is no git repository"
	if abs, err := filepath.Abs(path); err == nil {
		for parent := filepath.Dir(abs); ; parent = filepath.Dir(parent) {
			if _, err := os.Stat(filepath.Join(parent, ".git")); err == nil {
				return fault(CodeInvalidSource, path, msg+" but a folder inside one; name its top folder, "+strconv.Quote(parent))
			}
			if parent == filepath.Dir(parent) {
				break
			}
		}
	}
	return fault(CodeInvalidSource, path, msg+"; name the top folder of one, or a bare repository")
}

// isGitFolder applies git's own test: a HEAD, an objects folder and a refs folder.
func isGitFolder(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil {
		return false
	}
	common := commonFolder(path)
	for _, name := range [...]string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// readGitFile returns the git folder that a .git file names.
func readGitFile(path string) (string, error) {
	text, err := plainfile.Read(path, 64<<10)
	if err != nil {
		return "", faultOf(CodeInvalidSource, path, "the .git file can't be read", plainfile.Cause(err))
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok || target == "" || strings.ContainsRune(target, 0) {
		return "", fault(CodeInvalidSource, path, `the .git file does not have the form "gitdir: FOLDER"`)
	}
	return below(filepath.Dir(path), target), nil
}

// commonFolder returns the folder that a linked worktree's git folder shares with the others.
func commonFolder(git string) string {
	text, err := plainfile.Read(filepath.Join(git, "commondir"), 64<<10)
	target := strings.TrimRight(string(text), "\r\n")
	if err != nil || target == "" || strings.ContainsRune(target, 0) {
		return git
	}
	return below(git, target)
}

// below returns target as seen from the folder base.
func below(base, target string) string {
	target = filepath.FromSlash(target)
	if filepath.IsAbs(target) {
		return filepath.Clean(target)
	}
	return filepath.Join(base, target)
}

// readFormat reads the configuration, settles the work tree, and refuses what this package can't read.
func (l *location) readFormat() error {
	l.config = &gitconfig.Config{}
	if err := l.config.AddFile(filepath.Join(l.common, "config"), gitconfig.Includes{}); err != nil {
		return faultOf(CodeInvalidSource, l.path, "its configuration can't be read", plainfile.Cause(err))
	}
	if err := l.checkFormat(); err != nil {
		return err
	}
	// A linked worktree takes core.bare and core.worktree only from where they were written for it.
	own := l.common == l.git
	if l.config.Bool("extensions.worktreeconfig", false) {
		own = true
		if err := l.config.AddFile(filepath.Join(l.git, "config.worktree"), gitconfig.Includes{}); err != nil {
			return faultOf(CodeInvalidSource, l.path, "its config.worktree can't be read", plainfile.Cause(err))
		}
	}
	l.settleWorkTree(own)
	if info, err := os.Stat(filepath.Join(l.common, "shallow")); err == nil && info.Size() > 0 {
		l.shallow = true
	}
	_, l.partial = l.config.Last("extensions.partialclone")
	l.partial = l.partial || l.config.AnyTrue("remote.", ".promisor")
	return nil
}

func (l *location) settleWorkTree(own bool) {
	if l.workTree == "" && filepath.Base(l.git) == ".git" {
		l.workTree = filepath.Dir(l.git)
	}
	if l.workTree == "" && l.common != l.git {
		// The git folder of a linked worktree names the .git file of its checkout.
		if text, err := plainfile.Read(filepath.Join(l.git, "gitdir"), 64<<10); err == nil {
			l.workTree = filepath.Dir(below(l.git, strings.TrimRight(string(text), "\r\n")))
		}
	}
	if !own {
		return
	}
	if l.config.Bool("core.bare", false) {
		l.workTree = ""
	} else if path, ok := l.config.Last("core.worktree"); ok && path != "" {
		l.workTree = below(l.git, path)
	}
}

// checkFormat follows gitrepository-layout: version 0 ignores extensions, version 1 refuses unknown ones.
// The two that change how objects and refs are stored are refused in any version.
func (l *location) checkFormat() error {
	if format, ok := l.config.Last("extensions.objectformat"); ok && !strings.EqualFold(format, "sha1") {
		return fault(CodeInvalidSource, l.path, "its object ids are in the "+strconv.Quote(format)+
			" format, which is not supported; use a repository with SHA-1 ids (git init --object-format=sha1)")
	}
	if format, ok := l.config.Last("extensions.refstorage"); ok && !strings.EqualFold(format, "files") {
		return fault(CodeInvalidSource, l.path, "its refs are stored as "+strconv.Quote(format)+
			", which is not supported; convert them with git refs migrate --ref-format=files")
	}
	version, ok := l.config.Last("core.repositoryformatversion")
	if !ok {
		return nil
	}
	switch strings.TrimSpace(version) {
	case "0":
		return nil
	case "1":
	default:
		return fault(CodeInvalidSource, l.path, "its format has version "+strconv.Quote(version)+", which is not supported; versions 0 and 1 are")
	}
	for _, name := range l.config.Names("extensions.") {
		switch name {
		case "noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "objectformat", "refstorage", "relativeworktrees":
		default:
			return fault(CodeInvalidSource, l.path, "it uses the extension "+strconv.Quote(name)+", which is not supported")
		}
	}
	return nil
}
