package gitwire

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxPreamble bounds what comes before a pack, in bytes: commits at which a history is cut, and those that both sides have. It is a
// million lines and more.
const maxPreamble = 64 << 20

// fetchRequest asks for a pack in the version that the server speaks. "done" is said at once: what a caller has it knows, and there is
// nothing to negotiate. No thin pack is asked for.
func fetchRequest(a *advertisement, ask Request) ([]byte, error) {
	able := a.ability()
	switch {
	case len(ask.Wants) == 0:
		return nil, fmt.Errorf("gitwire: nothing is wanted")
	case ask.Filter != AllObjects && ask.Filter != NoBlobs && ask.Filter != NoTrees:
		return nil, fmt.Errorf("gitwire: no filter is named %q", ask.Filter)
	case ask.Filter != AllObjects && !able.Filter:
		return nil, fmt.Errorf("gitwire: the filter %s is asked of a server that has none", ask.Filter)
	}
	wants := unique(ask.Wants)
	if a.version == 2 {
		b := appendLine(nil, "command=fetch")
		b = append(appendCommon(b, a), delimPacket...)
		b = appendLine(appendLine(b, "no-progress"), "ofs-delta")
		if ask.Depth > 0 && a.offers("fetch", "shallow") {
			b = appendLine(b, "deepen %d", ask.Depth)
		}
		if ask.Filter != AllObjects {
			b = appendLine(b, "filter %s", ask.Filter)
		}
		for _, id := range wants {
			b = appendLine(b, "want %s", id)
		}
		for _, id := range unique(ask.Haves) {
			b = appendLine(b, "have %s", id)
		}
		return append(appendLine(b, "done"), flushPacket...), nil
	}
	acknowledges := acknowledgment(a)
	words := ""
	for _, word := range []string{acknowledges, "side-band-64k", "ofs-delta", "no-progress", "shallow", "filter"} {
		if word != "" && a.has(word) {
			words += " " + word
		}
	}
	if a.has("agent") {
		words += " agent=" + agent
	}
	var b []byte
	for _, id := range wants {
		b = appendLine(b, "want %s%s", id, words)
		words = ""
	}
	if ask.Depth > 0 && a.has("shallow") {
		b = appendLine(b, "deepen %d", ask.Depth)
	}
	if ask.Filter != AllObjects {
		b = appendLine(b, "filter %s", ask.Filter)
	}
	b = append(b, flushPacket...)
	haves := unique(ask.Haves)
	if acknowledges == "" {
		haves = haves[:min(len(haves), 1)] // git then acknowledges some of several, and nothing says which is the last
	}
	for _, id := range haves {
		b = appendLine(b, "have %s", id)
	}
	return appendLine(b, "done"), nil
}

// acknowledgment returns the way in which version 0 is to say what both sides have, "" where it knows neither: in both
// the last acknowledgment is the one without a word behind its id. There are hosts that know the older one alone.
func acknowledgment(a *advertisement) string {
	for _, word := range []string{"multi_ack_detailed", "multi_ack"} {
		if a.has(word) {
			return word
		}
	}
	return ""
}

func unique(ids []plumbing.Hash) []plumbing.Hash {
	seen := make(map[plumbing.Hash]bool, len(ids))
	var list []plumbing.Hash
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

// findPack reads an answer up to its pack and returns a reader of that.
func findPack(p *packets, a *advertisement, ask Request, max int64) (*packReader, error) {
	if a.version == 2 {
		if err := findSection(p); err != nil {
			return nil, err
		}
		return &packReader{p: p, bands: true, max: max}, nil
	}
	if ask.Depth > 0 && a.has("shallow") {
		if err := skipLines(p, flush, "shallow ", "unshallow "); err != nil {
			return nil, err
		}
	}
	for {
		line, kind, err := preamble(p)
		switch words := strings.Fields(line); {
		case err != nil:
			return nil, err
		case kind == text && line == "NAK", kind == text && len(words) == 2 && words[0] == "ACK":
			return &packReader{p: p, bands: a.has("side-band-64k"), max: max}, nil
		case kind == text && len(words) == 3 && words[0] == "ACK": // common, continue or ready: more follow
		default:
			return nil, p.invalid("%q stands before the pack", said(line))
		}
	}
}

// preamble returns the next line before a pack.
func preamble(p *packets) (line string, kind kind, err error) {
	line, kind, err = p.line()
	if err == nil && p.read > maxPreamble {
		err = fault(CodeTooLarge, p.name, "the server sends more than %d MiB before the pack; name a smaller repository", maxPreamble>>20)
	}
	return line, kind, err
}

// findSection reads the sections of version 2 up to the head of the pack.
func findSection(p *packets) error {
	for range 8 {
		line, kind, err := preamble(p)
		if err != nil {
			return err
		}
		var starts []string
		switch {
		case kind == text && line == "packfile":
			return nil
		case kind == text && line == "shallow-info":
			starts = []string{"shallow ", "unshallow "}
		case kind == text && line == "acknowledgments":
			starts = []string{"NAK", "ACK ", "ready"}
		case kind == text && line == "wanted-refs":
			starts = []string{""}
		default:
			return p.invalid("%q is no section before a pack", said(line))
		}
		if err := skipLines(p, delim, starts...); err != nil {
			return err
		}
	}
	return p.invalid("what stands before the pack has no end")
}

// skipLines reads lines that begin with one of starts up to a packet of kind until.
func skipLines(p *packets, until kind, starts ...string) error {
	for {
		line, kind, err := preamble(p)
		if err != nil || kind == until {
			return err
		}
		known := false
		for _, start := range starts {
			known = known || kind == text && strings.HasPrefix(line, start)
		}
		if !known {
			return p.invalid("%q stands before the pack", said(line))
		}
	}
}

// maxChatter bounds what a server may say beside a pack, in bytes; a packet that says nothing counts for lifeCost of them, so that there
// are at most some ten thousands.
const (
	maxChatter = 64 << 20
	lifeCost   = 1 << 10
)

// packReader takes a pack out of an answer: band 1 of side-band-64k, or all that follows. It drops progress, and turns
// what the server says of an error into one. Its errors are for people.
type packReader struct {
	p       *packets
	bands   bool
	max     int64
	total   int64  // bytes of the pack
	chatter int64  // of all else
	left    []byte // of the packet that was read
	err     error
}

func (r *packReader) Read(b []byte) (int, error) {
	for len(r.left) == 0 && r.err == nil {
		r.left, r.err = r.more()
		r.total += int64(len(r.left))
		if r.total > r.max {
			r.left = nil
			r.err = fault(CodeTooLarge, r.p.name, "the server sends a pack of more than %d bytes, the bound for one; name a repository that is smaller", r.max)
		}
	}
	if len(r.left) == 0 {
		return 0, r.err
	}
	n := copy(b, r.left)
	r.left = r.left[n:]
	return n, nil
}

// more returns the next bytes of the pack, or io.EOF after its end.
func (r *packReader) more() ([]byte, error) {
	if !r.bands {
		return r.raw()
	}
	kind, body, err := r.p.next()
	switch {
	case err != nil:
		return nil, r.p.fault(err)
	case kind == flush:
		return nil, io.EOF
	case kind != text || len(body) == 0:
		return nil, r.p.invalid("a packet of the pack has no band")
	}
	switch body[0] {
	case 1:
		if len(body) > 1 {
			r.chatter++
			return body[1:], nil
		}
		r.chatter += lifeCost // it says that the server lives, as git does each five seconds
	case 2:
		r.chatter += int64(len(body))
	case 3:
		return nil, refusal(r.p.name, string(body[1:]))
	default:
		if message, found := strings.CutPrefix(string(body), "ERR "); found {
			return nil, refusal(r.p.name, message)
		}
		return nil, r.p.invalid("a packet of the pack has the band %d", body[0])
	}
	if r.chatter > maxChatter {
		return nil, fault(CodeTooLarge, r.p.name, "the server sends more than %d MiB beside the pack; try again, or name another server", maxChatter>>20)
	}
	return nil, nil
}

// raw returns what a server without bands sends, to the end of its answer.
func (r *packReader) raw() ([]byte, error) {
	if len(r.p.buffer) < readSize {
		r.p.buffer = make([]byte, readSize)
	}
	n, err := r.p.from.Read(r.p.buffer)
	r.p.read += int64(n)
	switch {
	case n > 0:
		return r.p.buffer[:n], nil
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		return nil, r.p.fault(err)
	}
	return nil, nil
}
