package gitrepo

// RawInflater is an Inflater that does not look at the checksum.
type RawInflater struct{ f inflater }

func (i *RawInflater) Inflate(dst, src []byte) (used int, ok bool) { return i.f.inflate(dst, src) }
func (i *RawInflater) InflateHead(dst, src []byte) (filled int, ok bool) {
	return i.f.inflateHead(dst, src)
}

// InflateSlack is how much capacity behind a destination lets its end be made as fast as the rest.
const InflateSlack = inflateSlack
