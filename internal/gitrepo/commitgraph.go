package gitrepo

import (
	"path/filepath"
	"strings"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

const (
	maxGraphBytes      = 1 << 30
	maxGraphChainBytes = 64 << 10
	graphNoParent      = 0x70000000
	graphMoreParents   = 0x80000000 // in a second parent: an index into edges; in an edge: the last one
	graphMaxLevel      = 0x3FFFFFFF // a level that is this or more
)

// commitGraph is what git's commit-graph files say of a history: the parents and the topological level of each
// commit. It is one file, or a chain of layers. It holds all parents of what it holds. Positions count through
// the layers from the lowest on, and are sound: see addLayer.
//
// Format: gitformat-commit-graph(5). Of the two kinds of generation numbers the levels are read, which are in
// every file; corrected dates (GDA2) are one more bound, and give no other answer.
type commitGraph struct {
	layers []graphLayer
	first  []uint32 // parent of each position, or graphNoParent
	second []uint32 // the same, or graphMoreParents and an index into edges
	edges  []uint32
	level  []uint32
	levels bool // every level is known, and above those of the parents
}

// graphLayer is where the ids of one file are.
type graphLayer struct {
	base   uint32 // position of its first commit
	fanout [256]uint32
	ids    []byte
	id     ID // of the file: its checksum
}

// loadCommitGraph returns the commit-graph of the repository or of one of its alternates; nil where there is none
// that is sound, or where the configuration has it off.
func (r *Repository) loadCommitGraph() *commitGraph {
	f, ok := r.objects.(*folders)
	if !ok || r.disk == nil || !r.disk.config.Bool("core.commitgraph", true) {
		return nil
	}
	for _, folder := range f.paths {
		if g := f.loadGraphFile(filepath.Join(folder, "info", "commit-graph")); g != nil {
			return g
		}
		if g := f.loadGraphChain(filepath.Join(folder, "info", "commit-graphs")); g != nil {
			return g
		}
	}
	return nil
}

func (f *folders) loadGraphFile(path string) *commitGraph {
	content, err := plainfile.Read(path, maxGraphBytes)
	if err != nil {
		return nil
	}
	g := &commitGraph{levels: true}
	if g.addLayer(content) != nil {
		return nil
	}
	return g
}

// loadGraphChain reads the layers that a chain file lists, from the lowest on; each may be in any of the object
// folders. Layers above one that is not sound are left out: what is below stands alone.
func (f *folders) loadGraphChain(folder string) *commitGraph {
	text, err := plainfile.Read(filepath.Join(folder, "commit-graph-chain"), maxGraphChainBytes)
	if err != nil {
		return nil
	}
	g := &commitGraph{levels: true}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !lowerHex([]byte(line)) || !f.addGraphLayer(g, plumbing.NewHash(line)) {
			break
		}
	}
	if len(g.layers) == 0 {
		return nil
	}
	return g
}

func (f *folders) addGraphLayer(g *commitGraph, id ID) bool {
	for _, folder := range f.paths {
		content, err := plainfile.Read(filepath.Join(folder, "info", "commit-graphs", "graph-"+id.String()+".graph"), maxGraphBytes)
		if err == nil && len(content) >= len(id) && ID(content[len(content)-len(id):]) == id && g.addLayer(content) == nil {
			return true
		}
	}
	return false
}

// position returns where a commit is. A nil graph has none.
func (g *commitGraph) position(id ID) (uint32, bool) {
	if g == nil {
		return 0, false
	}
	for n := range g.layers {
		l := &g.layers[n]
		from := uint32(0)
		if id[0] > 0 {
			from = l.fanout[id[0]-1]
		}
		if i, ok := searchIDs(l.ids[int(from)*len(id):int(l.fanout[id[0]])*len(id)], id); ok {
			return l.base + from + uint32(i), true
		}
	}
	return 0, false
}

// graphSearch finds out from which commits of a graph one is reached. What one call has visited, the next ones
// need not visit again.
type graphSearch struct {
	graph *commitGraph
	old   uint32
	seen  []uint64 // a bit for each position
	stack []uint32
}

func newGraphSearch(g *commitGraph, old uint32) *graphSearch {
	return &graphSearch{graph: g, old: old, seen: make([]uint64, len(g.first)/64+1)}
}

// reaches reports whether old is the commit at a position or one of its ancestors.
func (s *graphSearch) reaches(from uint32) bool {
	g := s.graph
	if s.visit(from) {
		return true
	}
	for len(s.stack) > 0 {
		at := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		second := g.second[at]
		switch {
		case second == graphNoParent:
		case second&graphMoreParents == 0:
			if s.visit(second) {
				return true
			}
		default:
			for i := second &^ graphMoreParents; ; i++ {
				if s.visit(g.edges[i] &^ graphMoreParents) {
					return true
				}
				if g.edges[i]&graphMoreParents != 0 {
					break
				}
			}
		}
		if first := g.first[at]; first != graphNoParent && s.visit(first) {
			return true
		}
	}
	return false
}

// visit queues a position that may lead to old, and reports whether it is old: a level is above those of all
// ancestors.
func (s *graphSearch) visit(at uint32) bool {
	if at == s.old {
		return true
	}
	if s.seen[at/64]&(1<<(at%64)) == 0 && (!s.graph.levels || s.graph.level[at] > s.graph.level[s.old]) {
		s.seen[at/64] |= 1 << (at % 64)
		s.stack = append(s.stack, at)
	}
	return false
}
