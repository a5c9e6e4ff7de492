package skills

import (
	"os"
	"path/filepath"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
)

// Folder is an installed skill.
type Folder struct {
	Name string // of the folder
	Path string // as it is shown, "/"-separated
	at   string // for the system
	// skill is whether it has a SKILL.md: other folders count only where a record names them.
	skill bool
}

// places are where skills are installed, below the folder of the lock.
var places = []string{".agents/skills", ".claude/skills"}

// Find returns the installed skills: in the usual places below base, which need not be there, and in dirs, which must.
// Folders come place by place, in byte order of their names; one that several names lead to counts once. The error is
// an *Error, READ_FAILED.
func Find(base string, dirs []string) ([]Folder, error) {
	var folders []Folder
	var seen []os.FileInfo
	look := func(dir string, must bool) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			if !must && os.IsNotExist(err) {
				return nil
			}
			return &Error{diag.Wrap(CodeReadFailed, dir, "can't be listed", plainfile.Cause(err))}
		}
	entries:
		for _, entry := range entries {
			at := filepath.Join(dir, entry.Name())
			info, err := os.Stat(at)
			if err != nil || !info.IsDir() {
				continue // a file, or a link that leads nowhere
			}
			for _, other := range seen {
				if os.SameFile(info, other) {
					continue entries
				}
			}
			seen = append(seen, info)
			_, err = os.Lstat(filepath.Join(at, "SKILL.md"))
			folders = append(folders, Folder{Name: entry.Name(), Path: filepath.ToSlash(at), at: at, skill: err == nil})
		}
		return nil
	}
	for _, place := range places {
		if err := look(filepath.Join(base, filepath.FromSlash(place)), false); err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		if err := look(dir, true); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// installedName returns the folder name that installers make of a skill's name, if they change it.
func installedName(name string) string {
	odd := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789._", r) }
	short := strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(name), odd), "-"), ".-")
	if short == "" {
		return "unnamed-skill"
	}
	return short[:min(len(short), 255)]
}
