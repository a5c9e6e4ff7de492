package lockv2

import (
	"cmp"
	"slices"
	"strings"

	"example.org/compose/internal/portable"
)

// folders finds out, mostly by comparing neighbours, that the destinations of a list in byte order do
// not meet. Add all of them, then ask apart.
//
// Two destinations meet where two children of one folder, each a file or a folder, have names that fold to the
// same: a file that is a folder is two children of one name. In byte order all that lies below a folder stands
// together. So the children of a folder are complete when the list leaves it, while those of the folders around it wait
// on a stack. Where the folded names of children ascend, they are distinct. Where they do not, as README before docs, or
// docs.md before the folder docs, they are sorted first.
type folders struct {
	last   Destination
	folder string   // of last
	names  []string // the children so far of the folders on the way to last
	open   []opened // the root and those folders
	meet   bool     // two destinations meet, or are not in order
}

// opened is a folder that more may come from.
type opened struct {
	end      int // of its path in that of last
	children int // where they begin in names
	jumbled  bool
}

// add takes the next destination.
func (t *folders) add(d Destination) {
	switch {
	case t.open == nil:
		t.open = append(t.open, opened{})
	case d <= t.last:
		t.meet = true
	}
	if t.meet {
		return
	}
	path := string(d)
	folder := path[:max(0, strings.LastIndexByte(path, '/'))]
	if folder != t.folder {
		t.enter(folder)
	}
	t.last, t.folder = d, folder
	t.child(path[len(folder):])
}

// enter goes from one folder to another.
func (t *folders) enter(folder string) {
	end := sharedFolders(folder, t.folder)
	t.leave(end)
	for end < len(folder) {
		from := end
		end = segmentEnd(folder, end)
		t.child(folder[from:end])
		t.open = append(t.open, opened{end: end, children: len(t.names)})
	}
}

// child adds a name to the innermost open folder.
func (t *folders) child(name string) {
	folder := &t.open[len(t.open)-1]
	if n := len(t.names); n > folder.children && foldCompare(t.names[n-1], name) >= 0 {
		folder.jumbled = true
	}
	t.names = append(t.names, name)
}

// leave closes the folders whose path is longer than end.
func (t *folders) leave(end int) {
	for len(t.open) > 0 && t.open[len(t.open)-1].end > end {
		t.close()
	}
}

func (t *folders) close() {
	folder := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	children := t.names[folder.children:]
	t.names = t.names[:folder.children]
	if !folder.jumbled {
		return
	}
	slices.SortFunc(children, foldCompare)
	for i := 1; i < len(children); i++ {
		if foldCompare(children[i-1], children[i]) == 0 {
			t.meet = true
		}
	}
}

// apart reports that no two destinations meet; false that some may. It ends the list.
func (t *folders) apart() bool {
	t.leave(-1)
	return !t.meet
}

// foldCompare compares two names with ASCII case folded.
func foldCompare(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			if c := cmp.Compare(portable.FoldByte(a[i]), portable.FoldByte(b[i])); c != 0 {
				return c
			}
		}
	}
	return cmp.Compare(len(a), len(b))
}

// segmentEnd returns where the segment of path that begins at from, or after the slash there, ends.
func segmentEnd(path string, from int) int {
	if next := strings.IndexByte(path[from+1:], '/'); next >= 0 {
		return from + 1 + next
	}
	return len(path)
}
