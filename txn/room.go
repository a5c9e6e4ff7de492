package txn

import (
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// checkRoom looks for space for what is to be staged, and for permission in every folder that gets or loses an entry.
func (t *transaction) checkRoom(path string, wanted func(i int) bool) error {
	var sizes []int64
	if !t.marked {
		sizes = append(sizes, int64(len(t.text)))
	}
	for i := range t.places {
		switch m := t.places[i].material; {
		case !wanted(i):
		case m != nil:
			sizes = append(sizes, m.Size)
		case t.places[i].isLock():
			sizes = append(sizes, int64(len(t.lock)))
		}
	}
	if err := checkSpace(path, sizes); err != nil {
		return err
	}
	var touched, taken []string // those that get or lose an entry, those whose entry goes or is exchanged
	for i := range t.places {
		if s := &t.places[i]; !t.found[i] {
			touched = append(touched, string(s.destination))
			if s.kind != planner.Create {
				taken = append(taken, string(s.destination))
			}
		}
	}
	if !t.marked { // a folder that may not be removed is no reason never to finish
		emptied := t.emptied()
		touched, taken = append(touched, emptied...), append(taken, emptied...)
	}
	if err := checkFolders(t.disk, touched); err != nil {
		return err
	}
	return checkSticky(t.disk, taken)
}

// emptied returns the folders that the removals will leave empty, as far as that can be seen now. However much else is in a folder, no more
// of it is listed than shows that something stays.
func (t *transaction) emptied() []string {
	gone := map[string]int{} // by folder: how many files below it are removed
	for i := range t.actions() {
		if t.places[i].kind != planner.Remove {
			continue
		}
		for folder, _ := split(string(t.places[i].destination)); folder != "" && folder != lockv2.StateFolder; folder, _ = split(folder) {
			gone[folder]++
		}
	}
	left := map[string]map[string]bool{} // by folder: the names in it that stay
	var list []string
	var drop func(path string)
	drop = func(path string) {
		folder, name := split(path)
		if gone[folder] == 0 {
			return
		}
		stay := left[folder]
		if stay == nil {
			names, err := t.disk.List(folder, gone[folder]+1)
			if err != nil {
				return
			}
			stay = make(map[string]bool, len(names))
			for _, n := range names {
				stay[n] = true
			}
			left[folder] = stay
		}
		if delete(stay, name); len(stay) == 0 {
			list = append(list, folder)
			drop(folder)
		}
	}
	for i := range t.actions() {
		if t.places[i].kind == planner.Remove {
			drop(string(t.places[i].destination))
		}
	}
	return list
}
