package strictjson

import "bytes"

// nameSet finds a name that an object holds twice, in time near-linear in its members.
type nameSet struct {
	doc     *Document
	first   uint32 // the entry of the first name
	last    uint32 // and of the last one
	count   int
	jumbled bool                // some name is less than the one before
	seen    map[string]struct{} // all names, once there are many and they do not ascend
}

// add reports whether the name at an entry is new beside those before it.
func (s *nameSet) add(at uint32) bool {
	s.count++
	last := s.last
	s.last = at
	if !s.jumbled && (s.count == 1 || bytes.Compare(s.doc.chars(last), s.doc.chars(at)) < 0) {
		return true
	}
	s.jumbled = true
	return s.isNew(at, s.count-1)
}

// isNew looks through the n names before at.
func (s *nameSet) isNew(at uint32, n int) bool {
	const few = 16
	name := s.doc.chars(at)
	if s.seen == nil {
		if n >= few {
			s.seen = make(map[string]struct{}, 2*n)
		}
		for before := s.first; before != at; before = s.doc.tape[before+1].next {
			if n >= few {
				s.seen[string(s.doc.chars(before))] = struct{}{}
			} else if bytes.Equal(s.doc.chars(before), name) {
				return false
			}
		}
		if n < few {
			return true
		}
	}
	if _, found := s.seen[string(name)]; found {
		return false
	}
	s.seen[string(name)] = struct{}{}
	return true
}
