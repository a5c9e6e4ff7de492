package gitpack

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"

	"example.org/compose/internal/gitrepo"
)

// maxHeld is the length up to which the bytes of an entry are read at once.
const maxHeld = 1 << 20

// contents reads entries of a scanned pack again, for one goroutine.
type contents struct {
	pack *pack
	file *reread

	inflater gitrepo.Inflater
	zlib     io.ReadCloser // nil before the first use
	held     []byte
	inflated []byte
	memory   bytes.Reader
	large    *bufio.Reader
}

// reread is the file of a pack that was read before, and is known to go on behind what is asked for. It keeps why it could not be
// read again, which is no fault of the pack: what decodes it would call that damage.
type reread struct {
	io.ReaderAt
	path   string
	failed error // an *Error; nil for none
}

func (r *reread) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	if n < len(p) {
		r.failed = readFault(r.path, err)
		return n, r.failed
	}
	return n, nil
}

// open returns the header of an entry and its inflated bytes, valid until the next call. They are not held to the
// header.
func (c *contents) open(number uint32) (h gitrepo.EntryHeader, content io.Reader, err error) {
	at := c.pack.entries[number].offset
	length := c.pack.endOf(number) - at
	if length > maxHeld {
		section := io.NewSectionReader(c.file, at, length)
		if c.large == nil {
			c.large = bufio.NewReaderSize(section, 64<<10)
		} else {
			c.large.Reset(section)
		}
		if h, err = gitrepo.ReadEntryHeader(c.large); err != nil {
			return h, nil, err
		}
		content, err = c.inflate(c.large)
		return h, content, err
	}
	c.held = sized(c.held, length)
	if n, err := c.file.ReadAt(c.held, at); n < len(c.held) {
		return h, nil, err
	}
	c.memory.Reset(c.held)
	if h, err = gitrepo.ReadEntryHeader(&c.memory); err != nil {
		return h, nil, err
	}
	if h.Length <= maxFast {
		c.inflated = sized(c.inflated, h.Length)
		if _, ok := c.inflater.Inflate(c.inflated, c.held[len(c.held)-c.memory.Len():]); ok {
			c.memory.Reset(c.inflated)
			return h, &c.memory, nil
		}
	}
	content, err = c.inflate(&c.memory)
	return h, content, err
}

func (c *contents) inflate(r gitrepo.ByteReader) (io.Reader, error) {
	if c.zlib == nil {
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil, err
		}
		c.zlib = z
		return z, nil
	}
	return c.zlib, c.zlib.(zlib.Resetter).Reset(r, nil)
}

// sized returns a buffer of n bytes, buf where it is large enough.
func sized(buf []byte, n int64) []byte {
	if int64(cap(buf)) >= n {
		return buf[:n]
	}
	return make([]byte, n, max(n, 64<<10))
}

// fillFrom reads buf and the end.
func fillFrom(r io.Reader, buf []byte) error {
	if _, err := io.ReadFull(r, buf); err != nil {
		return err
	}
	var extra [1]byte
	switch n, err := io.ReadFull(r, extra[:]); {
	case n > 0:
		return errors.New("it has more bytes than its header says")
	case err != io.EOF:
		return err
	}
	return nil
}
