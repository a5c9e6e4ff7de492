package planner

import (
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
)

// Root is a target that is open for reading. Nothing in it is followed out of it. The nil *Root is an absent target.
type Root = rootfs.Root

// Value is one JSON value: the documents that plans and results are printed as.
type Value = strictjson.Value

// OpenRoot opens the folder at path for reading: nil, nil where nothing is there. The error is INVALID_TARGET for a symlink, a
// file, or a folder that can't be read. Close the root.
func OpenRoot(path string) (*Root, error) {
	state, err := rootfs.Probe(path)
	switch {
	case state == rootfs.Absent:
		return nil, nil
	case state == rootfs.Folder:
		return rootfs.Open(path)
	}
	return nil, err
}

// EncodeJSON returns a document in the one form in which compose prints it (docs/json.md).
func EncodeJSON(document Value) []byte { return strictjson.Encode(document) }
