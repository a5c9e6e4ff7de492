package gitrepo

import (
	"crypto/sha1"
	"fmt"
)

// CommitGraph returns how many commits the commit-graph has, and whether its levels are all known.
func (r *Repository) CommitGraph() (commits int, leveled bool) {
	g := r.loadCommitGraph()
	if g == nil {
		return 0, false
	}
	return len(g.first), g.levels
}

// GraphReaches reads a commit-graph file, whatever its checksum is, and reports for each pair of its positions
// whether the second is reached from the first, and the parents of each position.
func GraphReaches(content []byte, most int) (parents [][]uint32, reaches func(from, old uint32) bool, err error) {
	if n := len(content) - len(ID{}); n >= 0 {
		sum := sha1.Sum(content[:n])
		content = append(content[:n:n], sum[:]...)
	}
	g := &commitGraph{levels: true}
	if err := g.addLayer(content); err != nil {
		return nil, nil, err
	}
	for at := range min(len(g.first), most) {
		var list []uint32
		if g.first[at] != graphNoParent {
			list = append(list, g.first[at])
		}
		switch second := g.second[at]; {
		case second == graphNoParent:
		case second&graphMoreParents == 0:
			list = append(list, second)
		default:
			for i := second &^ graphMoreParents; ; i++ {
				list = append(list, g.edges[i]&^graphMoreParents)
				if g.edges[i]&graphMoreParents != 0 {
					break
				}
			}
		}
		parents = append(parents, list)
		var id ID
		copy(id[:], g.layers[0].ids[at*len(id):])
		if position, ok := g.position(id); !ok || position != uint32(at) {
			return nil, nil, fmt.Errorf("position %d is found at %d, %v", at, position, ok)
		}
	}
	return parents, func(from, old uint32) bool { return newGraphSearch(g, old).reaches(from) }, nil
}

// Inflate inflates a zlib stream of n bytes.
func Inflate(stream []byte, n int) ([]byte, bool) {
	content := make([]byte, n)
	var f inflater
	_, ok := f.inflate(content, stream)
	return content, ok
}

// ParseParents returns the parents and the date of a commit.
func ParseParents(content []byte) ([]ID, int64, error) { return parseParents(nil, content) }
