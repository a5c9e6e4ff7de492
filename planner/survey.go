package planner

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/portable"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// target is what a survey looks at: a *rootfs.Root, or one that counts.
type target interface {
	Names(path string) ([]string, error)
	Stat(d lockv2.Destination) (fs.FileInfo, error)
	Digest(ctx context.Context, d lockv2.Destination, buf []byte) (rootfs.Sum, error)
	DigestWith(ctx context.Context, d lockv2.Destination, buf []byte, second rootfs.Second) (rootfs.Sum, error)
	DigestLF(ctx context.Context, d lockv2.Destination, buf []byte) (rootfs.Sum, error)
}

// finding is what the survey saw at one destination: nothing, for the zero value.
type finding struct {
	present  bool // the exact name is there
	conflict *Conflict
}

// survey looks at every destination in a target.
type survey struct {
	root      target
	materials []Material // by destination, so that those below one folder are neighbours
	found     []finding  // of the material at the same index
}

// entry is a name that the survey looks for in one folder: the materials from lo to hi lie at it or below it.
type entry struct {
	name   string
	lo, hi int
	file   bool   // a material's own name, not a folder on the way
	exact  bool   // found in this spelling
	other  string // found in this one, the first in byte order; "" for none
}

// folder looks for the materials from lo to hi, all of them below the folder at path, which is listed once.
func (s *survey) folder(ctx context.Context, path string, lo, hi int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	names, err := s.root.Names(path)
	if err != nil {
		s.closed(lo, hi, err)
		return nil
	}
	for _, e := range s.wanted(path, lo, hi).in(names) {
		at := join(path, e.name)
		switch {
		case e.other != "":
			for i := e.lo; i < e.hi; i++ {
				m := &s.materials[i]
				s.found[i].conflict = spelled(m.Destination, m.Component, join(path, e.other), at)
			}
		case !e.exact:
		case e.file:
			s.found[e.lo].present = true
		default:
			if err := s.folder(ctx, at, e.lo, e.hi); err != nil {
				return err
			}
		}
	}
	return nil
}

// closed records, for the materials from lo to hi, that a folder on the way can't be listed. A folder that
// is not there, or went away since its name was seen, stands in nobody's way.
func (s *survey) closed(lo, hi int, err error) {
	var fault *rootfs.Error
	if !errors.As(err, &fault) || fault.Reason == rootfs.Missing {
		return
	}
	for i := lo; i < hi; i++ {
		m := &s.materials[i]
		s.found[i].conflict = blocked(m.Destination, m.Component, fault)
	}
}

// wants is what is looked for in one folder: in byte order, no two the same when case is folded.
type wants []entry

// wanted returns the names that the materials from lo to hi have directly below path.
func (s *survey) wanted(path string, lo, hi int) wants {
	skip := len(path)
	if skip > 0 {
		skip++ // the slash
	}
	var list wants
	for lo < hi {
		name, _, deeper := strings.Cut(string(s.materials[lo].Destination)[skip:], "/")
		e := entry{name: name, lo: lo, hi: lo + 1, file: !deeper}
		prefix := string(s.materials[lo].Destination)[:skip] + name + "/"
		for deeper && e.hi < hi && strings.HasPrefix(string(s.materials[e.hi].Destination), prefix) {
			e.hi++
		}
		list = append(list, e)
		lo = e.hi
	}
	return list
}

// in marks those of the list that are among the names of their folder. However long the listing, it holds only
// what is wanted.
func (list wants) in(names []string) wants {
	byFold := make(map[string]*entry, len(list))
	for i := range list {
		byFold[portable.Fold(list[i].name)] = &list[i]
	}
	for _, name := range names {
		switch e := byFold[portable.Fold(name)]; {
		case e == nil:
		case e.name == name:
			e.exact = true
		case e.other == "":
			e.other = name
		}
	}
	return list
}

// compare reads the files that stand at a destination, on all cores.
func (s *survey) compare(ctx context.Context) error {
	var present []int
	for i := range s.found {
		if s.found[i].present {
			present = append(present, i)
		}
	}
	return rootfs.Each(ctx, len(present), func(k int, buf []byte) {
		i := present[k]
		s.found[i] = s.compareOne(ctx, &s.materials[i], buf)
	})
}

func (s *survey) compareOne(ctx context.Context, m *Material, buf []byte) finding {
	info, err := s.root.Stat(m.Destination)
	if err == nil && info.Mode().IsRegular() && info.Size() > 2*catalog.MaxMaterial {
		return finding{conflict: differs(m, nil)} // too long to be one, whatever its line ends: not read
	}
	read := s.root.DigestLF
	if err == nil && info.Size() == m.Size {
		read = s.root.Digest // most likely the same: CRLF made LF would be shorter
	}
	sum, err := read(ctx, m.Destination, buf)
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
		return finding{}
	case errors.As(err, &fault):
		return finding{conflict: blocked(m.Destination, m.Component, fault)}
	case err != nil: // the context ended, which Each reports
		return finding{}
	case sum.Digest == m.Digest:
		return finding{present: true}
	}
	return finding{conflict: differs(m, &sum)}
}

// reservedConflicts looks at the composer's own places: its folder, and in it lock and staging.
func reservedConflicts(root target) []Conflict {
	var all []Conflict
	add := func(c *Conflict) { all = append(all, *c) }
	names, err := root.Names("")
	if err != nil {
		return nil // nothing there, or the survey reported it for every material
	}
	state := wants{{name: lockv2.StateFolder}}.in(names)[0]
	if state.other != "" {
		add(spelled(lockv2.StateFolder, "", state.other, lockv2.StateFolder))
	}
	if !state.exact {
		return all
	}
	if names, err = root.Names(lockv2.StateFolder); err != nil {
		if state.other == "" && !missing(err) {
			add(reserved(lockv2.StateFolder, whatStands(err)))
		}
		return all
	}
	for _, own := range []lockv2.Destination{lockv2.LockPath, lockv2.StagingFolder, lockv2.MarkerPath} {
		name := strings.TrimPrefix(string(own), lockv2.StateFolder+"/")
		e := wants{{name: name}}.in(names)[0]
		switch {
		case e.other != "":
			add(spelled(own, "", join(lockv2.StateFolder, e.other), string(own)))
		case !e.exact:
		case own == lockv2.StagingFolder:
			all = append(all, strangers(root)...)
		default: // CheckUnmanaged refused a file here
			if _, err := root.Stat(own); err != nil && !missing(err) {
				add(reserved(own, whatStands(err)))
			} else if err == nil {
				add(reserved(own, "is no regular file"))
			}
		}
	}
	return all
}

// whatStands says, after "what is there", what was found instead of a folder that can be listed.
func whatStands(err error) string {
	var fault *rootfs.Error
	if errors.As(err, &fault) {
		switch fault.Reason {
		case rootfs.Symlink:
			return "is a symlink"
		case rootfs.ParentNotDirectory:
			return "is no folder"
		}
	}
	return "can't be read"
}

func missing(err error) bool {
	var fault *rootfs.Error
	return errors.As(err, &fault) && fault.Reason == rootfs.Missing
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}
