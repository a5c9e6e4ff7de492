package gitrepo

import (
	"bufio"
	"io/fs"
	"path/filepath"
	"strings"

	"example.org/compose/internal/plainfile"
)

const (
	maxGraftsBytes  = 64 << 20
	maxReplaceNames = 1 << 16 // looked at for one that is a replace ref
	replacePrefix   = "refs/replace/"
)

// Notes returns what people should know who see the repository with git's eyes: what git would show in the place of
// objects, and compose does not. Sorted, the same for every clone, without paths of this machine; nil where there is nothing
// to say, and in memory.
func (r *Repository) Notes() []string {
	if r.disk == nil {
		return nil
	}
	var notes []string
	if r.disk.hasGrafts() {
		notes = append(notes, "the source has grafts (info/grafts), which are ignored: the parents of a commit are those that it names; "+
			"git log shows others")
	}
	if r.disk.hasReplaceRefs() {
		notes = append(notes, "the source has replace refs ("+replacePrefix+"), which are ignored: an object is what its own id says; "+
			"git replace -l lists those that git shows others for, git --no-replace-objects shows what is composed")
	}
	return notes
}

// hasGrafts reports whether git would take a commit's parents from a list.
func (l *location) hasGrafts() bool {
	text, err := plainfile.Read(filepath.Join(l.common, "info", "grafts"), maxGraftsBytes)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		commit, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if lowerHex([]byte(commit)) {
			return true
		}
	}
	return false
}

// hasReplaceRefs reports whether git would show an object in the place of another.
func (l *location) hasReplaceRefs() bool {
	return l.config.Bool("core.usereplacerefs", true) && (l.hasLooseReplaceRef() || l.hasPackedReplaceRef())
}

func (l *location) hasLooseReplaceRef() bool {
	found, seen := false, 0
	_ = filepath.WalkDir(filepath.Join(l.common, filepath.FromSlash(replacePrefix)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be listed, git does not find either
		}
		seen++
		if found = !entry.IsDir() && isReplaceRef(entry.Name()); found || seen > maxReplaceNames {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

func (l *location) hasPackedReplaceRef() bool {
	f, err := plainfile.Open(filepath.Join(l.common, "packed-refs"))
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if id, ref, ok := strings.Cut(lines.Text(), " "); ok && id != "#" && strings.HasPrefix(ref, replacePrefix) && isReplaceRef(ref) {
			return true
		}
	}
	return false
}

// isReplaceRef reports whether the last part of a name is the id of what is replaced.
func isReplaceRef(name string) bool {
	return lowerHex([]byte(name[strings.LastIndexByte(name, '/')+1:]))
}
