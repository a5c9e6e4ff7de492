package scsha

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"unicode/utf8"
)

// CalculateHash returns the identity of a text: the SHA-256 of its bytes after CRLF and lone CR have
// become LF. A BOM and a missing final newline stay as they are. Bytes that are not strict UTF-8 are
// SC_SHA_INVALID_UTF8.
func CalculateHash(utf8FileBytes []byte) (TextDigest, error) {
	var t Text
	t.Write(utf8FileBytes)
	return t.Sum()
}

// Text computes the value of CalculateHash from a text that is written in pieces, cut anywhere. The
// zero value is an empty text. Not for use by several goroutines at once.
type Text struct {
	sum     hash.Hash
	offset  int64  // bytes written before pending
	pending []byte // the beginning of a character whose end is yet to come
	cr      bool   // the last byte was a CR, for which an LF is in sum already
	fault   *Error
}

// Write adds the next piece. It never fails: what is wrong with the text, Sum says.
func (t *Text) Write(p []byte) (int, error) {
	n := len(p)
	if t.sum == nil {
		t.sum = sha256.New()
	}
	if len(t.pending) > 0 {
		p = t.complete(p)
	}
	end := whole(p)
	if at := invalid(p[:end]); at >= 0 {
		t.fail(t.offset + int64(at))
	}
	if t.fault != nil {
		return n, nil
	}
	t.lines(p[:end])
	t.offset += int64(end)
	t.pending = append(t.pending, p[end:]...)
	return n, nil
}

// complete moves bytes of p to the character that is pending, until it is whole or no character.
func (t *Text) complete(p []byte) []byte {
	for len(p) > 0 && !utf8.FullRune(t.pending) {
		t.pending = append(t.pending, p[0])
		p = p[1:]
	}
	if !utf8.FullRune(t.pending) {
		return nil
	}
	if !utf8.Valid(t.pending) {
		t.fail(t.offset)
		return nil
	}
	t.lines(t.pending)
	t.offset += int64(len(t.pending))
	t.pending = t.pending[:0]
	return p
}

// Sum returns the identity of what was written. More may follow.
func (t *Text) Sum() (TextDigest, error) {
	if t.fault == nil && len(t.pending) > 0 {
		t.fail(t.offset)
	}
	if t.fault != nil {
		return TextDigest{}, t.fault
	}
	if t.sum == nil {
		return sha256.Sum256(nil), nil
	}
	var d TextDigest
	t.sum.Sum(d[:0])
	return d, nil
}

func (t *Text) fail(at int64) {
	if t.fault == nil {
		t.fault = &Error{code: CodeInvalidUTF8, msg: fmt.Sprintf("byte %d is not UTF-8; save the text as UTF-8", at+1)}
	}
}

// lines hashes p with each line end as LF.
func (t *Text) lines(p []byte) {
	newline := []byte{'\n'}
	if t.cr && len(p) > 0 {
		t.cr = false
		if p[0] == '\n' {
			p = p[1:]
		}
	}
	for {
		cr := bytes.IndexByte(p, '\r')
		if cr < 0 {
			t.sum.Write(p)
			return
		}
		t.sum.Write(p[:cr])
		t.sum.Write(newline)
		p = p[cr+1:]
		switch {
		case len(p) == 0:
			t.cr = true
			return
		case p[0] == '\n':
			p = p[1:]
		}
	}
}

// whole returns how much of p ends with a whole character: all of it, but for up to three last bytes
// that begin one.
func whole(p []byte) int {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return i
			}
			break
		}
	}
	return len(p)
}

// invalid returns where p stops being UTF-8; -1 where it does not.
func invalid(p []byte) int {
	if utf8.Valid(p) {
		return -1
	}
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
