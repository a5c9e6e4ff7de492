package planner

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// StagingName reports whether compose gives files in staging this name: the place of an action in its plan, or "lock",
// each perhaps with ".part" after it, or "marker". Whatever has another name is a consumer's.
func StagingName(name string) bool {
	if name == "marker" {
		return true
	}
	name = strings.TrimSuffix(name, ".part")
	if name == "lock" {
		return true
	}
	const most = 2 * catalog.MaxMaterials // an upgrade may remove as many as it creates
	i, err := strconv.Atoi(name)
	return err == nil && i >= 0 && i < most && strconv.Itoa(i) == name
}

// stagingConflicts looks whether staging can be where it belongs, and for what is not compose's in it. What an
// interrupted run left there is no conflict: the next one clears it.
func stagingConflicts(root target) []Conflict {
	names, err := root.Names(lockv2.StateFolder)
	if err != nil {
		return nil // the lock was read from it a moment ago; Reconcile looks again
	}
	e := wants{{name: strings.TrimPrefix(lockv2.StagingFolder, lockv2.StateFolder+"/")}}.in(names)[0]
	if e.other != "" {
		return []Conflict{*spelled(lockv2.StagingFolder, "", join(lockv2.StateFolder, e.other), lockv2.StagingFolder)}
	}
	if !e.exact {
		return nil
	}
	return strangers(root)
}

// strangers are the conflicts with what stands in place of the staging folder, or in it and is not compose's, by name.
func strangers(root target) []Conflict {
	names, err := root.Names(lockv2.StagingFolder)
	if err != nil {
		if missing(err) {
			return nil
		}
		return []Conflict{*reserved(lockv2.StagingFolder, whatStands(err))}
	}
	var all []Conflict
	for _, name := range names {
		at := lockv2.Destination(join(lockv2.StagingFolder, name))
		if what := stranger(root, at, name); what != "" {
			all = append(all, *conflictAt(at, "", ReasonReservedMetadata, string(at), fmt.Sprintf(
				"what is there %s, so it is not compose's, which keeps its new files in this folder; compose left it alone: move it away", what)))
		}
	}
	return all
}

// stranger says what makes an entry of staging another's; "" for one of compose's own, or one that went away.
func stranger(root target, at lockv2.Destination, name string) string {
	if !StagingName(name) {
		return "has a name that compose does not give"
	}
	info, err := root.Stat(at)
	switch {
	case missing(err):
		return ""
	case err != nil:
		return "can't be looked at"
	}
	switch rootfs.KindReason(info.Mode()) {
	case "":
		return ""
	case rootfs.Symlink:
		return "is a symlink"
	case rootfs.IsDirectory:
		return "is a folder"
	}
	return "is no regular file"
}
