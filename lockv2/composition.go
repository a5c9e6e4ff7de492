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
	m.node(intent[:], "intent")
	m.node(l.RecipeDigest[:], "recipe/", string(l.Intent.Recipe))
	for i := range l.Components {
		m.node(l.Components[i].Digest[:], "component/", string(l.Components[i].ID))
	}
	for i := range l.Files {
		f := &l.Files[i]
		m.node(f.Digest[:], "material/", string(f.Ownership), "/", string(f.Destination))
	}

	m.out.Uint64(uint64(1 + len(l.Components) + len(l.Files)))
	m.name("intent")
	m.name("recipe/", string(l.Intent.Recipe))
	m.out.Uint32(0)
	for i := range l.Components {
		m.name("recipe/", string(l.Intent.Recipe))
		m.name("component/", string(l.Components[i].ID))
		m.out.Uint32(uint32(i))
	}
	first, next := l.owned()
	for i := range l.Components {
		occurrence := uint32(0)
		for file := first[i]; file >= 0; file = next[file] {
			f := &l.Files[file]
			m.name("component/", string(l.Components[i].ID))
			m.name("material/", string(f.Ownership), "/", string(f.Destination))
			m.out.Uint32(occurrence)
			occurrence++
		}
	}
	return fingerprint.Sum[fingerprint.Composition](m.out)
}

// owned chains the files of each component, by their places in l.Files: the first, and the next after each; -1 ends a chain.
func (l *Lock) owned() (first, next []int32) {
	place := make(map[ComponentID]int, len(l.Components))
	first = make([]int32, len(l.Components))
	for i, c := range l.Components {
		place[c.ID], first[i] = i, -1
	}
	next = make([]int32, len(l.Files))
	for i := len(l.Files) - 1; i >= 0; i-- { // so that a chain goes forward
		if owner, found := place[l.Files[i].Component]; found {
			next[i], first[owner] = first[owner], int32(i)
		}
	}
	return first, next
}

// manifest writes nodes and edges in the framing.
type manifest struct {
	out *fingerprint.Framing
}

func (m manifest) node(digest []byte, name ...string) {
	m.name(name...)
	m.out.Bytes(digest)
}

// name writes what a node is called, given in pieces.
func (m manifest) name(pieces ...string) {
	m.out.Byte(localPath)
	m.out.Text(pieces...)
}
