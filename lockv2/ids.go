package lockv2

import (
	"strings"

	"example.org/compose/internal/portable"
)

// The places below a target that are the composer's own.
const (
	StateFolder   = ".template-composition"
	LockPath      = StateFolder + "/lock.json"
	MarkerPath    = StateFolder + "/transaction.json"
	StagingFolder = StateFolder + "/staging"
	PolicyPath    = StateFolder + "/policy.json" // a person's, not compose's: it says what compose may do here
)

// StateComponent is the component that every artifact requires, at any depth.
const StateComponent ComponentID = "lifecycle.composition-state"

// Revision is a full git commit id: 40 lower-case hexadecimal digits, not all zero.
type Revision string

// Valid reports whether r is in that form.
func (r Revision) Valid() bool {
	if len(r) != 40 || strings.Trim(string(r), "0") == "" {
		return false
	}
	for i := 0; i < len(r); i++ {
		if c := r[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// ComponentID names a component: a role, a dot, a name.
type ComponentID string

// Role is the part of a component's id before the dot.
type Role string

// The roles.
const (
	Foundation Role = "foundation"
	Artifact   Role = "artifact"
	Capability Role = "capability"
	Lifecycle  Role = "lifecycle"
	Topology   Role = "topology"
	Workspace  Role = "workspace"
)

// Role returns the part before the dot; "" where there is none.
func (id ComponentID) Role() Role {
	role, _, found := strings.Cut(string(id), ".")
	if !found {
		return ""
	}
	return Role(role)
}

// Valid reports whether id is one of the six roles, a dot, and a name such as composition-state.
func (id ComponentID) Valid() bool {
	switch id.Role() {
	case Foundation, Artifact, Capability, Lifecycle, Topology, Workspace:
		_, name, _ := strings.Cut(string(id), ".")
		return validName(name)
	}
	return false
}

// Selectable reports whether a consumer may name the component in include or exclude:
// capability, lifecycle, topology and workspace only.
func (id ComponentID) Selectable() bool {
	switch id.Role() {
	case Capability, Lifecycle, Topology, Workspace:
		return id.Valid()
	}
	return false
}

// RecipeID names a recipe, such as skill.
type RecipeID string

// Valid reports whether id is a name in the form [a-z][a-z0-9]*(-[a-z0-9]+)*.
func (id RecipeID) Valid() bool { return validName(string(id)) }

// validName reports whether s is [a-z][a-z0-9]*(-[a-z0-9]+)*.
func validName(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' || s[len(s)-1] == '-' || strings.Contains(s, "--") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// Destination is the place of a material below the target: a portable path (docs/paths.md).
type Destination string

// Check returns nil for a portable path, else a *portable.Error that names the segment.
func (d Destination) Check() error { return portable.Check(string(d)) }

// Fold returns the form in which destinations are compared: ASCII case folded.
func (d Destination) Fold() string { return portable.Fold(string(d)) }

// Reserved reports whether d is, in any ASCII case, a place that no catalog may write: the lock, the marker, staging, the
// target's policy, anything below one of these, or a parent of them as a file. So is all that Misspelled reports.
func (d Destination) Reserved() bool {
	if d == "" || d[0] != StateFolder[0] {
		return false // the common case, without a copy
	}
	if d.Misspelled() {
		return true
	}
	folded := d.Fold()
	for _, own := range [...]string{LockPath, MarkerPath, StagingFolder, PolicyPath} {
		if folded == own || below(folded, own) || below(own, folded) {
			return true
		}
	}
	return false
}

// Misspelled reports whether d lies in the composer's folder, or is it, in another spelling of its name: where case
// matters a second folder would stand beside it, and elsewhere the first one to come would name it wrongly.
func (d Destination) Misspelled() bool {
	if len(d) < len(StateFolder) || d[0] != StateFolder[0] || len(d) > len(StateFolder) && d[len(StateFolder)] != '/' {
		return false
	}
	folder := d[:len(StateFolder)]
	return folder != StateFolder && folder.Fold() == StateFolder
}

// below reports whether path lies in folder, at any depth.
func below(path, folder string) bool {
	return len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}
