package gitrepo

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
)

// entryHeader is what stands before the compressed bytes of a pack entry.
type entryHeader struct {
	typ    plumbing.ObjectType
	length int64 // of the inflated bytes
	offset int64 // of a delta's base, where it is given so (OFSDeltaObject)
	base   ID    // of a delta's base, where it is given so (REFDeltaObject)
}

const packHeaderBytes = 12

// maxInflation is the most that DEFLATE makes of one byte.
const maxInflation = 1032

// entryReader reads entries of one pack, for one goroutine at a time.
//
// go-git's packfile.Scanner is not used: it hashes the compressed bytes of each entry, byte by byte, for which a
// look-up has no use (13 to 20 % of the time of BenchmarkBlobs), and it takes a length that no file could hold.
type entryReader struct {
	section *io.SectionReader // of its own, so that readers share the file and nothing else
	buf     *bufio.Reader
	zlib    io.ReadCloser // nil before the first use
	window  []byte        // for a deltaReader; nil before the first use
}

func newEntryReader(file io.ReaderAt, size int64) *entryReader {
	section := io.NewSectionReader(file, 0, size)
	return &entryReader{section: section, buf: bufio.NewReader(section)}
}

// seek goes to the entry at offset and reads its header. inflate then gives its bytes.
func (e *entryReader) seek(offset int64) (h entryHeader, err error) {
	if offset < packHeaderBytes || offset >= e.section.Size() {
		return h, damaged("an entry outside its pack")
	}
	if _, err := e.section.Seek(offset, io.SeekStart); err != nil {
		return h, err
	}
	e.buf.Reset(e.section)
	read, err := ReadEntryHeader(e.buf)
	if err != nil {
		return h, err
	}
	// What DEFLATE can't make of the rest of the file is a lie, and costs no memory.
	if read.Length/maxInflation > e.section.Size()-offset {
		return h, damaged("an entry that claims %d bytes", read.Length)
	}
	return placed(read, offset)
}

// placed is the header of the entry at offset.
func placed(read EntryHeader, offset int64) (entryHeader, error) {
	h := entryHeader{typ: read.Kind, length: read.Length, base: read.Base}
	if h.typ == plumbing.OFSDeltaObject {
		if read.Back <= 0 || read.Back >= offset {
			return h, damaged("a delta against what is before its pack")
		}
		h.offset = offset - read.Back
	}
	return h, nil
}

// inflate returns a reader of the entry's bytes, valid until the next seek. It does not hold them to the header.
func (e *entryReader) inflate() (io.Reader, error) {
	if e.zlib == nil {
		z, err := zlib.NewReader(e.buf)
		if err != nil {
			return nil, damagedBy(err)
		}
		e.zlib = z
	} else if err := e.zlib.(zlib.Resetter).Reset(e.buf, nil); err != nil {
		return nil, damagedBy(err)
	}
	return damageReader{e.zlib}, nil
}

// deltaWindow returns what a deltaReader of this reader reads through. There is one at a time.
func (e *entryReader) deltaWindow() []byte {
	if e.window == nil {
		e.window = make([]byte, deltaWindowBytes)
	}
	return e.window
}

// deltaResultSize reads the two sizes that a delta starts with, of its base and of its result, and returns the second.
func (e *entryReader) deltaResultSize() (int64, error) {
	r, err := e.inflate()
	if err != nil {
		return 0, err
	}
	var head [2 * binary.MaxVarintLen64]byte
	n, err := io.ReadFull(r, head[:])
	if err != nil && err != io.ErrUnexpectedEOF {
		return 0, damagedBy(err)
	}
	return resultSize(head[:n])
}

func resultSize(delta []byte) (int64, error) {
	_, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, damaged("a delta without sizes")
	}
	size, n := binary.Uvarint(delta[n:])
	if n <= 0 || size > math.MaxInt64 {
		return 0, damaged("a delta without a size")
	}
	return int64(size), nil
}
