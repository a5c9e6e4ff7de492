package lockv2

import (
	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
)

// CompositionAlgorithm names the rule of Composition in plans and results.
const CompositionAlgorithm = "compose/lock-manifest/v1"

// localPath is the tag of every node: the framing is that of sc-sha/manifest/v1, which also knows URLs.
const localPath = 0

// Composition returns the one value of the whole composition (docs/identities.md). It leaves out
// the source and the configuration digest: equal compositions from two revisions have one value.
//
// l must keep the rules of a lock: files and components in order, every owner resolved.
func (l *Lock) Composition() fingerprint.Composition {
	m := manifest{fingerprint.NewFraming()}
	m.out.Text(CompositionAlgorithm)
	m.out.Byte(1)
	m.out.Uint64(uint64(2 + len(l.Components) + len(l.Files)))

	intent := fingerprint.Of[fingerprint.Intent](strictjson.Encode(l.Intent.Value()))
	m.node("intent", intent[:])
	recipe := "recipe/" + string(l.Intent.Recipe)
	m.node(recipe, l.RecipeDigest[:])
	for i := range l.Components {
		m.node(l.Components[i].ID.node(), l.Components[i].Digest[:])
	}
	for i := range l.Files {
		m.node(l.Files[i].node(), l.Files[i].Digest[:])
	}

	m.out.Uint64(uint64(1 + len(l.Components) + len(l.Files)))
	m.edge("intent", recipe, 0)
	for i := range l.Components {
		m.edge(recipe, l.Components[i].ID.node(), i)
	}
	owned := l.owned()
	for i := range l.Components {
		for k, file := range owned[i] {
			m.edge(l.Components[i].ID.node(), l.Files[file].node(), k)
		}
	}
	return fingerprint.Sum[fingerprint.Composition](m.out)
}

// owned returns the places of each component's files in l.Files, in order.
func (l *Lock) owned() [][]int {
	place := make(map[ComponentID]int, len(l.Components))
	for i, c := range l.Components {
		place[c.ID] = i
	}
	owned := make([][]int, len(l.Components))
	for i := range l.Files {
		if owner, found := place[l.Files[i].Component]; found {
			owned[owner] = append(owned[owner], i)
		}
	}
	return owned
}

// manifest writes nodes and edges in the framing.
type manifest struct {
	out *fingerprint.Framing
}

func (m manifest) node(name string, digest []byte) {
	m.out.Byte(localPath)
	m.out.Text(name)
	m.out.Bytes(digest)
}

func (m manifest) edge(parent, child string, occurrence int) {
	m.out.Byte(localPath)
	m.out.Text(parent)
	m.out.Byte(localPath)
	m.out.Text(child)
	m.out.Uint32(uint32(occurrence))
}

func (id ComponentID) node() string { return "component/" + string(id) }

func (f *File) node() string { return "material/" + string(f.Ownership) + "/" + string(f.Destination) }
