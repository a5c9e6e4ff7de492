package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
)

const (
	graphHeaderBytes = 8
	graphChunkBytes  = 12
	graphCommitBytes = len(ID{}) + 16
)

// addLayer adds a commit-graph file above the layers that g has; on an error g is as it was. The file's checksum
// is verified, and each number of it: a graph that is accepted has sorted ids and sound positions, and where
// levels stays true each level is above those of the parents, so that no parent leads back.
func (g *commitGraph) addLayer(content []byte) error {
	sum := len(content) - len(ID{})
	if sum < graphHeaderBytes || string(content[:6]) != "CGPH\x01\x01" || int(content[7]) != len(g.layers) {
		return damaged("no commit-graph of version 1 with %d layers below", len(g.layers))
	}
	if sha1.Sum(content[:sum]) != ID(content[sum:]) {
		return damaged("a commit-graph whose checksum is another")
	}
	chunks, err := graphChunks(content[:sum], int(content[6]))
	if err != nil {
		return err
	}
	layer := graphLayer{base: uint32(len(g.first)), id: ID(content[sum:]), ids: chunks["OIDL"]}
	if err := layer.readIDs(chunks["OIDF"]); err != nil {
		return err
	}
	if !g.isAbove(chunks["BASE"]) {
		return damaged("a commit-graph for other layers than those below it")
	}
	grown := *g
	if err := grown.addCommits(len(layer.ids)/len(ID{}), chunks["CDAT"], chunks["EDGE"]); err != nil {
		return err
	}
	grown.layers = append(grown.layers, layer)
	*g = grown
	return nil
}

// graphChunks splits a file as its table of contents says.
func graphChunks(body []byte, count int) (map[string][]byte, error) {
	table := graphHeaderBytes
	end := table + (count+1)*graphChunkBytes
	if end > len(body) {
		return nil, damaged("a commit-graph without its table of contents")
	}
	chunks := make(map[string][]byte, count)
	from := uint64(end)
	for i := 0; i <= count; i++ {
		row := body[table+i*graphChunkBytes:]
		name, offset := string(row[:4]), binary.BigEndian.Uint64(row[4:])
		if offset < from || offset > uint64(len(body)) || chunks[name] != nil || (name == "\x00\x00\x00\x00") != (i == count) {
			return nil, damaged("a commit-graph with a wrong table of contents")
		}
		if i < count {
			next := binary.BigEndian.Uint64(row[graphChunkBytes+4:])
			if next < offset || next > uint64(len(body)) {
				return nil, damaged("a commit-graph with a wrong table of contents")
			}
			chunks[name] = body[offset:next:next]
		}
		from = offset
	}
	return chunks, nil
}

// readIDs checks the fan-out, which counts the ids up to each first byte, and that the ids are sorted and unique.
func (l *graphLayer) readIDs(fanout []byte) error {
	if len(fanout) != 4*len(l.fanout) {
		return damaged("a commit-graph without a fan-out")
	}
	const size = len(ID{})
	count := uint64(len(l.ids) / size)
	i := uint64(0)
	for b := range l.fanout {
		l.fanout[b] = binary.BigEndian.Uint32(fanout[4*b:])
		end := uint64(l.fanout[b])
		if end < i || end > count {
			return damaged("a commit-graph with a wrong fan-out")
		}
		for ; i < end; i++ {
			id := l.ids[i*uint64(size) : (i+1)*uint64(size)]
			if int(id[0]) != b || i > 0 && bytes.Compare(l.ids[(i-1)*uint64(size):i*uint64(size)], id) >= 0 {
				return damaged("a commit-graph whose ids are out of order")
			}
		}
	}
	if i != count || len(l.ids)%size != 0 {
		return damaged("a commit-graph with a wrong fan-out")
	}
	return nil
}

// isAbove reports whether a list of layers is that of g.
func (g *commitGraph) isAbove(list []byte) bool {
	var ids []byte
	for n := range g.layers {
		ids = append(ids, g.layers[n].id[:]...)
	}
	return bytes.Equal(ids, list)
}

// addCommits appends the parents and levels of count commits, and checks each.
func (g *commitGraph) addCommits(count int, rows, edges []byte) error {
	if len(rows) != count*graphCommitBytes || len(edges)%4 != 0 {
		return damaged("a commit-graph of another length")
	}
	base, total := len(g.first), uint64(len(g.first))+uint64(count)
	edgeBase := uint32(len(g.edges))
	if total >= graphNoParent || len(g.edges)+len(edges)/4 >= graphMoreParents {
		return tooLarge("a commit-graph of %d commits", total)
	}
	for i := 0; i < len(edges); i += 4 {
		g.edges = append(g.edges, binary.BigEndian.Uint32(edges[i:]))
	}
	if n := len(g.edges); n > int(edgeBase) && g.edges[n-1]&graphMoreParents == 0 {
		return damaged("a commit-graph with a list of parents that has no end")
	}
	for _, edge := range g.edges[edgeBase:] {
		if uint64(edge&^graphMoreParents) >= total {
			return damaged("a commit-graph with a parent that it does not have")
		}
	}
	none := make([]uint32, count)
	g.first, g.second, g.level = append(g.first, none...), append(g.second, none...), append(g.level, none...)
	for i := range count {
		row := rows[i*graphCommitBytes+len(ID{}):][:16]
		first, second := binary.BigEndian.Uint32(row), binary.BigEndian.Uint32(row[4:])
		level := binary.BigEndian.Uint32(row[8:]) >> 2
		switch {
		case first == graphNoParent && second != graphNoParent,
			first != graphNoParent && uint64(first) >= total,
			second != graphNoParent && second&graphMoreParents == 0 && uint64(second) >= total,
			second&graphMoreParents != 0 && second&^graphMoreParents >= uint32(len(edges)/4):
			return damaged("a commit-graph with a parent that it does not have")
		}
		if second&graphMoreParents != 0 {
			second += edgeBase
		}
		g.first[base+i], g.second[base+i], g.level[base+i] = first, second, level
		g.levels = g.levels && level > 0 && level < graphMaxLevel
	}
	if g.levels {
		return g.checkLevels(base)
	}
	return nil
}

// checkLevels refuses a level that is not above those of the parents.
func (g *commitGraph) checkLevels(from int) error {
	for at := from; at < len(g.first); at++ {
		level, ok := g.level[at], true
		if first := g.first[at]; first != graphNoParent {
			ok = g.level[first] < level
		}
		switch second := g.second[at]; {
		case second == graphNoParent:
		case second&graphMoreParents == 0:
			ok = ok && g.level[second] < level
		default:
			for i := second &^ graphMoreParents; ok; i++ {
				ok = g.level[g.edges[i]&^graphMoreParents] < level
				if g.edges[i]&graphMoreParents != 0 {
					break
				}
			}
		}
		if !ok {
			return damaged("a commit-graph with a wrong generation number")
		}
	}
	return nil
}
