package txn

import (
	"errors"
	"io/fs"

	"example.org/compose/lockv2"
)

// attributes are the permission bits, with set-user-id, set-group-id and sticky, and the owner of a file; uid and gid are -1 where
// the system has none.
type attributes struct {
	mode     fs.FileMode
	uid, gid int
}

// keptMode is what a file's mode keeps when other bytes take its place.
const keptMode = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// forMode returns a with the executable bits that the git mode asks for: wherever the file may be read, or nowhere.
func (a attributes) forMode(executable bool) attributes {
	a.mode &^= 0o111
	if executable {
		a.mode |= a.mode & 0o444 >> 2
	}
	return a
}

// unprivileged returns a for a file that can't be given to its owner, whose rights nobody may get either.
func (a attributes) unprivileged() attributes {
	a.mode &^= fs.ModeSetuid | fs.ModeSetgid
	return a
}

// become brings a file that has these attributes to want: the owner first, since the system may clear bits of the mode when the owner changes. Who may not
// give files away keeps them; a file system without owners or modes has nothing to keep.
func (a attributes) become(want attributes, chown func(uid, gid int) error, chmod func(fs.FileMode) error) error {
	if want.uid >= 0 && (a.uid != want.uid || a.gid != want.gid) {
		err := chown(want.uid, want.gid)
		if err != nil && !cantKeep(err) {
			return err
		}
		if err != nil {
			want = want.unprivileged()
		}
	} else if a.mode == want.mode {
		return nil
	}
	if err := chmod(want.mode); err != nil && !cantKeep(err) {
		return err
	}
	return nil
}

// errSticky says that only an owner may take a name out of a folder.
var errSticky = errors.New("a sticky folder lets only the owner of a file, or of the folder, replace or remove it")

// kept is what the new file keeps of the old one.
func (s *place) kept(old attributes) attributes {
	if s.material == nil { // the lock
		return old
	}
	return old.forMode(s.material.Executable)
}

// redress is for a program that changed the old file in the instant before it came out, which had the attributes was then. What
// somebody has changed of the new one since is left alone.
func (t *transaction) redress(s *place, was, new attributes) error {
	now, err := t.disk.Attributes(s.destination)
	if err != nil || now != new {
		return err
	}
	_, err = t.give(string(s.destination), s.kept(was))
	return err
}

// give gives a file attributes as far as the process may, durably, and returns what it has then.
func (t *transaction) give(path string, want attributes) (attributes, error) {
	have, err := t.disk.Attributes(lockv2.Destination(path))
	if err != nil || have == want {
		return have, err
	}
	if err := t.disk.SetAttributes(path, want); err != nil {
		return have, err
	}
	now, err := t.disk.Attributes(lockv2.Destination(path))
	if err != nil || now == have {
		return now, err
	}
	return now, t.disk.SyncFile(path)
}
