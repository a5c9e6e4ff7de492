package gitrepo

import (
	"path/filepath"
	"strings"

	"example.org/compose/internal/gitconfig"
)

// includesOf follows the includes of git's configuration as for the repository at a git folder.
func includesOf(home, git string) gitconfig.Includes {
	return gitconfig.Includes{Follow: true, Home: home, Holds: func(condition, folder string) bool {
		return includeHolds(condition, folder, home, git)
	}}
}

// includeHolds reports whether the condition of an includeIf in a file of folder holds: gitdir and gitdir/i, which
// look at where the git folder is. Other conditions never hold.
func includeHolds(condition, folder, home, git string) bool {
	pattern, fold := strings.CutPrefix(condition, "gitdir/i:")
	if !fold {
		var ok bool
		if pattern, ok = strings.CutPrefix(condition, "gitdir:"); !ok {
			return false
		}
	}
	pattern = gitconfig.ExpandHome(pattern, home)
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = filepath.ToSlash(folder) + "/" + rest
	}
	if pattern == "" {
		return false
	}
	if !filepath.IsAbs(pattern) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(condition, "/") {
		pattern = strings.TrimSuffix(pattern, "/") + "/**"
	}
	absolute, err := filepath.Abs(git)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(absolute)
	return err == nil && wildmatch(pattern, filepath.ToSlash(real), true, fold) ||
		wildmatch(pattern, filepath.ToSlash(absolute), true, fold)
}
