package gitwire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/compose/internal/diag"
)

// kind is what a packet is.
type kind int

// The kinds of packets; all but text are a length alone.
const (
	text    kind = iota // a length and bytes
	flush               // 0000: the end of a message
	delim               // 0001: the end of a section
	respEnd             // 0002: the end of a response of a stateless server
)

const (
	maxPacket  = 65520 // with its length, gitprotocol-common(5)
	lengthSize = 4
	readSize   = 16 << 10
)

// errGarbage is of a packet that is none.
type errGarbage struct{ why string }

func (e errGarbage) Error() string { return e.why }

// packets reads what a server sends. Its errors are those of the reader, io.ErrUnexpectedEOF within a packet,
// io.EOF between two, and errGarbage; fault makes errors for people of them.
type packets struct {
	name string // of the repository
	from *bufio.Reader
	read int64             // bytes so far
	why  func(error) error // what ended the reader, where it is known better: a stall, a caller that gave up; may be nil
	end  func(whole bool)  // lets go of the connection; whole: the answer was read to its end. May be nil

	buffer []byte
	peeked bool
	kind   kind
	body   []byte
	failed error
}

func newPackets(name string, from io.Reader) *packets {
	buffered, ok := from.(*bufio.Reader)
	if !ok {
		buffered = bufio.NewReaderSize(from, readSize)
	}
	return &packets{name: name, from: buffered}
}

// next returns a packet; its bytes are good until the next call. After an error the same error comes again.
func (p *packets) next() (kind, []byte, error) {
	if p.peeked {
		p.peeked = false
		return p.kind, p.body, p.failed
	}
	if p.failed == nil {
		p.kind, p.body, p.failed = p.readPacket()
	}
	return p.kind, p.body, p.failed
}

// peek returns the packet that next will return.
func (p *packets) peek() (kind, []byte, error) {
	kind, body, err := p.next()
	p.peeked = true
	return kind, body, err
}

func (p *packets) readPacket() (kind, []byte, error) {
	var head [lengthSize]byte
	n, err := io.ReadFull(p.from, head[:])
	p.read += int64(n)
	if err != nil {
		return 0, nil, err
	}
	size, ok := packetSize(head)
	switch {
	case !ok:
		rest, _ := p.from.Peek(min(p.from.Buffered(), 60))
		return 0, nil, errGarbage{fmt.Sprintf("no packet begins with %q", said(string(head[:])+string(rest)))}
	case size < lengthSize:
		kinds := [lengthSize]kind{flush, delim, respEnd}
		if kinds[size] == text {
			return 0, nil, errGarbage{"a packet's length is 0003"}
		}
		return kinds[size], nil, nil
	case size > maxPacket:
		return 0, nil, errGarbage{fmt.Sprintf("a packet has %d bytes, more than git's %d", size, maxPacket)}
	}
	if len(p.buffer) < size {
		p.buffer = make([]byte, min(2*size, maxPacket))
	}
	n, err = io.ReadFull(p.from, p.buffer[:size-lengthSize])
	p.read += int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return text, p.buffer[:n], err
}

// packetSize reads four hexadecimal digits.
func packetSize(head [lengthSize]byte) (int, bool) {
	size := 0
	for _, c := range head {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		size = size<<4 | int(c)
	}
	return size, true
}

// line returns a packet of text without its last newline; ok is false for another kind. What the server says in an ERR packet comes
// back as an *Error, and so does everything else.
func (p *packets) line() (line string, kind kind, err error) {
	kind, body, err := p.next()
	if err != nil {
		return "", kind, p.fault(err)
	}
	if kind != text {
		return "", kind, nil
	}
	line = strings.TrimSuffix(string(body), "\n")
	if message, found := strings.CutPrefix(line, "ERR "); found {
		return "", kind, refusal(p.name, message)
	}
	return line, text, nil
}

// fault says for people why reading ended.
func (p *packets) fault(err error) error {
	if garbage := (errGarbage{}); errors.As(err, &garbage) {
		return p.invalid("%s", garbage.why)
	}
	if p.why != nil {
		if better := p.why(err); better != nil {
			return better
		}
	}
	var coded diag.Coded
	if errors.As(err, &coded) { // of ssh
		return err
	}
	if p.read == 0 {
		return fault(CodeUnreachable, p.name, "the server closed the connection without an answer; run the command again")
	}
	return fault(CodeUnreachable, p.name, "the connection was lost after %d bytes; run the command again", p.read)
}

// invalid is an answer that is not git's protocol.
func (p *packets) invalid(format string, args ...any) *Error {
	return fault(CodeResponseInvalid, p.name, "the server's answer is not git's protocol: %s; check that the URL is that of a repository", fmt.Sprintf(format, args...))
}

// close lets go of the connection.
func (p *packets) close(whole bool) {
	if p.end != nil {
		p.end(whole)
		p.end = nil
	}
}

// appendLine adds a packet of text. What is sent is far shorter than a packet may be.
func appendLine(b []byte, format string, args ...any) []byte {
	line := fmt.Sprintf(format, args...) + "\n"
	return append(fmt.Appendf(b, "%04x", len(line)+lengthSize), line...)
}

const (
	flushPacket = "0000"
	delimPacket = "0001"
)
