package lockv2

import (
	"fmt"
	"strings"

	"example.org/compose/internal/portable"
)

// Collision is a pair of destinations that can't both exist on every system.
type Collision struct {
	First, Second int // places in the list, First before Second
	Kind          CollisionKind
}

// CollisionKind says how two destinations meet.
type CollisionKind uint8

// The kinds of collision; all compare with ASCII case folded.
const (
	SameFile       CollisionKind = iota // equal
	FileIsFolder                        // one of them is a folder of the other
	FolderSpelling                      // a folder of one is a folder of the other in another spelling
)

// Describe says in words how the two meet; list is the one that was given to Collisions.
func (c Collision) Describe(list []Destination) string {
	first, second := list[c.First], list[c.Second]
	switch {
	case c.Kind == FileIsFolder:
		return fmt.Sprintf("%q and %q meet: a file can't be a folder of another", first, second)
	case c.Kind == FolderSpelling:
		return fmt.Sprintf("%q and %q spell one folder in two ways; a system that ignores case has room for one", first, second)
	case first == second:
		return fmt.Sprintf("%q stands twice", second)
	}
	return fmt.Sprintf("%q and %q differ in case alone; a system that ignores case has room for one", first, second)
}

// Collisions returns where the destinations of list meet, by Second; at most one for each destination.
// Equal entries are a collision too. The time is near-linear in the bytes of list, least when it is
// in byte order. The list is not changed.
func Collisions(list []Destination) []Collision {
	var found []Collision
	collide(list, func(c Collision) bool {
		found = append(found, c)
		return true
	})
	return found
}

// FirstCollision returns the first of Collisions, or nil.
func FirstCollision(list []Destination) *Collision {
	var first *Collision
	collide(list, func(c Collision) bool {
		first = &c
		return false
	})
	return first
}

// collide calls report for each collision until it returns false.
func collide(list []Destination, report func(Collision) bool) {
	var tree folders
	for _, d := range list {
		tree.add(d)
	}
	if tree.apart() {
		return
	}
	seen := places{list: list, at: make(map[string]place, 2*len(list))}
	for i := range list {
		if c, found := seen.add(i); found && !report(c) {
			return
		}
	}
}

// place is what stands at a folded path.
type place struct {
	by     int32 // the destination that put it there first
	folder bool
}

// places holds every folded path that is taken, files and folders.
type places struct {
	list []Destination
	at   map[string]place
	last string // the folder of the destination added last, as spelled
}

// add takes the place of destination i and of its folders. It returns the first thing in the way.
func (p *places) add(i int) (Collision, bool) {
	spelled := string(p.list[i])
	folded := portable.Fold(spelled)
	folder := spelled[:max(0, strings.LastIndexByte(spelled, '/'))]
	if folder != p.last {
		if c, found := p.addFolders(i, folder, folded); found {
			return c, true
		}
		p.last = folder
	}
	if old, taken := p.at[folded]; taken {
		kind := SameFile
		if old.folder {
			kind = FileIsFolder
		}
		return Collision{First: int(old.by), Second: i, Kind: kind}, true
	}
	p.at[folded] = place{by: int32(i)}
	return Collision{}, false
}

// addFolders takes the places of folder and its parents, but for those shared with the last one.
func (p *places) addFolders(i int, folder, folded string) (Collision, bool) {
	for end := sharedFolders(folder, p.last); end < len(folder); {
		end = segmentEnd(folder, end)
		old, taken := p.at[folded[:end]]
		switch {
		case !taken:
			p.at[folded[:end]] = place{by: int32(i), folder: true}
		case !old.folder:
			return Collision{First: int(old.by), Second: i, Kind: FileIsFolder}, true
		case string(p.list[old.by][:end]) != folder[:end]:
			return Collision{First: int(old.by), Second: i, Kind: FolderSpelling}, true
		}
	}
	return Collision{}, false
}

// sharedFolders returns the length of the longest path of whole segments with which both begin.
func sharedFolders(a, b string) int {
	shared := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			shared = i
		}
		if i+1 == len(a) && (i+1 == len(b) || b[i+1] == '/') || i+1 == len(b) && i+1 < len(a) && a[i+1] == '/' {
			shared = i + 1
		}
	}
	return shared
}
