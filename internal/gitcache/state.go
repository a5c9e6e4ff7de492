package gitcache

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// stateName is the file of an entry that says what is whole. Forged, it leads to objects that are missing, or to a revision that
// no server published: never to other bytes than those of the revision that was asked for.
const stateName = "compose.json"

const (
	maxState      = 4 << 20
	maxStateDepth = 4

	maxRevisions = 20_000 // that an entry remembers to be there; the oldest are forgotten, and fetched again
)

// state is what an entry holds whole.
type state struct {
	url       string
	revisions []lockv2.Revision // the commit, its trees, and the blobs of the catalog
	history   []lockv2.Revision // the commit and all that it descends from, without trees
	whole     []lockv2.Revision // the commit and all that it descends from, with everything
}

func (s *state) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("schema_version", strictjson.Int(1)),
		strictjson.F("url", strictjson.Str(s.url)),
		strictjson.F("revisions", strictjson.Strs(s.revisions)),
		strictjson.F("history", strictjson.Strs(s.history)),
		strictjson.F("whole", strictjson.Strs(s.whole)),
	)
}

// parseState reads a state; false for what is none.
func parseState(b []byte) (*state, bool) {
	doc, err := strictjson.Parse(b, maxStateDepth)
	if err != nil {
		return nil, false
	}
	s := &state{}
	sound := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			if v := f.Get("schema_version"); v.Int() != 1 {
				v.Fail("is not 1")
			}
			s.url = f.Get("url").Text()
			s.revisions, s.history, s.whole = revisions(f.Get("revisions")), revisions(f.Get("history")), revisions(f.Get("whole"))
		})
	}) == nil
	return s, sound
}

func revisions(n strictjson.Node) []lockv2.Revision {
	var list []lockv2.Revision
	n.Items(func(_ int, item strictjson.Node) {
		r := lockv2.Revision(item.Text())
		if !r.Valid() {
			item.Fail("is no revision")
		}
		list = append(list, r)
	})
	return list
}

// addTo adds ids to the end of a list of which at most the newest are kept.
func addTo(list *[]lockv2.Revision, most int, ids ...lockv2.Revision) {
	for _, id := range ids {
		if !slices.Contains(*list, id) {
			*list = append(*list, id)
		}
	}
	*list = (*list)[max(0, len(*list)-most):]
}

// readState reads the state of an entry. What can't be read as one says that nothing is whole. raw are the bytes, to tell later whether
// another process changed them.
func (e *entry) readState() (s *state, raw []byte, err error) {
	none := &state{url: e.url.String()}
	raw, err = plainfile.Read(filepath.Join(e.folder, stateName), maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, nil, faultOf(CodeReadFailed, e.url.String(), "its entry in the cache can't be read", plainfile.Cause(err))
	}
	if err != nil { // no file, or too long for one of ours: the next write takes its place
		return none, nil, nil
	}
	s, sound := parseState(raw)
	if !sound || s.url != none.url {
		return none, raw, nil
	}
	return s, raw, nil
}

// save replaces the state of the entry at once. A power cut may lose it, or what it speaks of: then objects are missing, which
// is noticed.
func (s *Source) save() error {
	raw := strictjson.Encode(s.state.document())
	if err := s.entry.replace(stateName, raw); err != nil {
		return err
	}
	s.raw = raw
	return nil
}
