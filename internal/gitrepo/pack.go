package gitrepo

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

const (
	maxIndexBytes = 4 << 30
	// maxDeltaDepth is the longest chain that git writes (pack.depth).
	maxDeltaDepth = 4095
	// maxHeldBytes bounds each part of a chain: a delta, a base, a result.
	maxHeldBytes = 512 << 20
	// maxChainBytes bounds the results of a chain together, so that a few bytes can't ask for hours: the longest chain
	// that git gc makes (50) of the largest material fits.
	maxChainBytes int64 = 16 << 30
	// maxInflation is the most that DEFLATE makes of one byte.
	maxInflation = 1032
)

// pack is one pack file with its index, opened at the first need. It may be used from many goroutines.
type pack struct {
	path    string // without .idx and .pack
	number  int64  // its place among the packs of the repository
	folders *folders

	indexOnce sync.Once
	index     *idxfile.MemoryIndex
	indexErr  error

	fileOnce sync.Once
	file     *os.File
	fileErr  error

	readers sync.Pool // of *entryReader
}

// find returns the object from this pack; errMissing where the pack does not hold it.
func (p *pack) find(id ID) (object, error) {
	p.indexOnce.Do(p.readIndex)
	if p.indexErr != nil {
		return nil, p.indexErr
	}
	offset, err := p.index.FindOffset(id)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return nil, errMissing
	}
	if err != nil {
		return nil, damagedBy(err)
	}
	p.fileOnce.Do(p.openFile)
	if p.fileErr != nil {
		return nil, p.fileErr
	}
	o := &packedObject{pack: p, reader: p.readers.Get().(*entryReader)}
	if err := o.resolve(offset); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

func (p *pack) readIndex() {
	file, err := openPlain(p.path + ".idx")
	if err != nil {
		p.indexErr = err
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Size() > maxIndexBytes {
		err = fmt.Errorf("%w: a pack index of more than %d bytes", errTooLarge, int64(maxIndexBytes))
	}
	if err != nil {
		p.indexErr = err
		return
	}
	index := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(statReader{bufio.NewReaderSize(file, 64<<10), file}).Decode(index); err != nil {
		p.indexErr = fmt.Errorf("the pack index %s.idx: %w", p.path, damagedBy(err))
		return
	}
	p.index = index
}

// statReader lets the decoder hold the size of the file against the number of objects that it claims.
type statReader struct {
	io.Reader
	file *os.File
}

func (s statReader) Stat() (os.FileInfo, error) { return s.file.Stat() }

func (p *pack) openFile() {
	file, err := openPlain(p.path + ".pack")
	if err != nil {
		p.fileErr = err
		return
	}
	info, err := file.Stat()
	var header [12]byte
	if err == nil {
		_, err = file.ReadAt(header[:], 0)
	}
	if version := binary.BigEndian.Uint32(header[4:]); err == nil && (string(header[:4]) != "PACK" || version != packfile.VersionSupported) {
		err = fmt.Errorf("%w: %s.pack is no pack of version %d", errDamaged, p.path, packfile.VersionSupported)
	}
	if err != nil {
		file.Close()
		p.fileErr = damagedBy(err)
		return
	}
	p.file = file
	p.readers.New = func() any { return newEntryReader(file, info.Size()) }
}

func (p *pack) close() error {
	// After this no look-up opens the file any more.
	p.fileOnce.Do(func() { p.fileErr = os.ErrClosed })
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// cacheKey names a delta base among those of all packs: the pack, the offset, and the kind at the end of its chain.
func (p *pack) cacheKey(offset int64, kind plumbing.ObjectType) int64 {
	return p.number<<47 ^ offset<<3 ^ int64(kind)
}

// packedObject is an entry of a pack. Without deltas the reader stands behind its header.
type packedObject struct {
	pack   *pack
	reader *entryReader
	typ    plumbing.ObjectType
	length int64

	deltas []int64 // offsets, the object's own first; empty for a whole entry
	base   int64   // offset of what the last delta builds on
	cached []byte  // the base, where it is at hand
}

// resolve walks the chain of the entry at offset, through headers alone.
func (o *packedObject) resolve(offset int64) error {
	p := o.pack
	for {
		h, err := o.reader.seek(offset)
		if err != nil {
			return err
		}
		if !h.typ.IsDelta() {
			o.typ, o.base = h.typ, offset
			if len(o.deltas) == 0 {
				o.length = h.length
			}
			return nil
		}
		if len(o.deltas) == maxDeltaDepth {
			return fmt.Errorf("%w: a delta chain longer than %d", errDamaged, maxDeltaDepth)
		}
		o.deltas = append(o.deltas, offset)
		if len(o.deltas) == 1 {
			if o.length, err = o.reader.deltaResultSize(); err != nil {
				return err
			}
		}
		offset = h.offset
		if h.typ == plumbing.REFDeltaObject {
			if offset, err = p.index.FindOffset(h.base); err != nil {
				return fmt.Errorf("%w: a delta against %s, which is not in its pack", errDamaged, h.base)
			}
		}
		if o.fromCache(offset) {
			return nil
		}
	}
}

// fromCache ends the walk where the base at offset is held.
func (o *packedObject) fromCache(offset int64) bool {
	for _, kind := range [...]plumbing.ObjectType{plumbing.BlobObject, plumbing.TreeObject, plumbing.CommitObject, plumbing.TagObject} {
		if base, ok := o.pack.folders.bases.Get(o.pack.cacheKey(offset, kind)); ok {
			o.typ, o.base, o.cached = kind, offset, base
			return true
		}
	}
	return false
}

func (o *packedObject) kind() plumbing.ObjectType { return o.typ }
func (o *packedObject) size() int64               { return o.length }

func (o *packedObject) content() (io.Reader, error) {
	if len(o.deltas) == 0 {
		return o.reader.inflate()
	}
	result := o.cached
	if result == nil {
		var err error
		if result, err = o.inflate(o.base); err != nil {
			return nil, err
		}
		o.keep(o.base, result)
	}
	total := int64(0)
	for i := len(o.deltas) - 1; i >= 0; i-- {
		delta, err := o.inflate(o.deltas[i])
		if err != nil {
			return nil, err
		}
		size, err := resultSize(delta)
		if err != nil {
			return nil, err
		}
		if total += size; size > maxHeldBytes || total > maxChainBytes {
			return nil, fmt.Errorf("%w: a delta that makes %d bytes", errTooLarge, size)
		}
		if result, err = packfile.PatchDelta(result, delta); err != nil {
			return nil, damagedBy(err)
		}
		if i > 0 {
			o.keep(o.deltas[i], result)
		}
	}
	return bytes.NewReader(result), nil
}

// keep remembers a base: the entries of one pack build on one another.
func (o *packedObject) keep(offset int64, base []byte) {
	if len(base) <= maxCachedBaseBytes {
		o.pack.folders.bases.Put(o.pack.cacheKey(offset, o.typ), base)
	}
}

// inflate returns the bytes of one entry: a base, or a delta.
func (o *packedObject) inflate(offset int64) ([]byte, error) {
	h, err := o.reader.seek(offset)
	if err != nil {
		return nil, err
	}
	if h.length > maxHeldBytes {
		return nil, fmt.Errorf("%w: a delta chain with a part of %d bytes", errTooLarge, h.length)
	}
	r, err := o.reader.inflate()
	if err != nil {
		return nil, err
	}
	data, err := readExactly(r, h.length)
	if err != nil {
		return nil, damagedBy(err)
	}
	return data, nil
}

func (o *packedObject) Close() error {
	if o.reader != nil {
		o.pack.readers.Put(o.reader)
		o.reader = nil
	}
	return nil
}
