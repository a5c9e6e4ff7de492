package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"
	"math"
	"os"
	"sync"

	"example.org/compose/internal/plainfile"
)

const (
	maxIndexBytes = 64 << 30
	// maxHeldIndexBytes is that of a million objects. A larger index is read where it is asked.
	maxHeldIndexBytes = 32 << 20

	indexHeaderBytes = 8
	indexFanoutBytes = 256 * 4
	indexTailBytes   = 2 * sha1.Size // the checksums of the pack and of the index
	idBytes          = len(ID{})
)

// packIndex is an index of version 2: a fan-out by the first byte, the sorted ids, their CRC-32s, their offsets, and
// what is left of offsets past 2 GiB. It may be used from many goroutines.
//
// go-git's decoder is not used: it holds the whole index, and its look-up takes a lock and remembers each id.
type packIndex struct {
	below   [257]uint32 // how many ids begin with a byte below this one
	offsets int64       // where the table is
	large   int64
	end     int64 // of the last table

	held    []byte   // the file; nil for a large one
	file    *os.File // of a large one
	buffers sync.Pool
}

// openPackIndex opens an index whose structure and checksum are right.
func openPackIndex(path string) (*packIndex, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	x, err := newPackIndex(file, maxHeldIndexBytes)
	if err != nil || x.held != nil {
		file.Close()
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

func newPackIndex(file *os.File, maxHeld int64) (*packIndex, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	x := &packIndex{}
	if err := x.readHeader(file, info.Size()); err != nil {
		return nil, err
	}
	var sum [sha1.Size]byte
	if info.Size() <= maxHeld {
		x.held = make([]byte, info.Size())
		if _, err := file.ReadAt(x.held, 0); err != nil {
			return nil, damagedBy(err)
		}
		sum = sha1.Sum(x.held[:info.Size()-sha1.Size])
	} else {
		x.file = file
		x.buffers.New = func() any { return new([indexWindowIDs * idBytes]byte) }
		h := sha1.New()
		if _, err := io.CopyBuffer(onlyWriter{h}, io.NewSectionReader(file, 0, info.Size()-sha1.Size), make([]byte, 256<<10)); err != nil {
			return nil, err
		}
		h.Sum(sum[:0])
	}
	var stored [sha1.Size]byte
	if err := x.readAt(stored[:], info.Size()-sha1.Size); err != nil {
		return nil, err
	}
	if sum != stored {
		return nil, damaged("its checksum does not fit")
	}
	return x, nil
}

// onlyWriter hides what else a writer can do.
type onlyWriter struct{ io.Writer }

// readHeader reads what stands before the ids, and holds the size of the file against it.
func (x *packIndex) readHeader(file *os.File, size int64) error {
	var head [indexHeaderBytes + indexFanoutBytes]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return damagedBy(err)
	}
	if string(head[:4]) != "\xfftOc" {
		if isFirstVersion(head[:indexFanoutBytes], size) {
			return unsupported("a pack index of version 1")
		}
		return damaged("it is no pack index of version 2")
	}
	if version := binary.BigEndian.Uint32(head[4:]); version != 2 {
		return unsupported("a pack index of version %d", version)
	}
	for k := range 256 {
		x.below[k+1] = binary.BigEndian.Uint32(head[indexHeaderBytes+4*k:])
		if x.below[k+1] < x.below[k] {
			return damaged("its fan-out falls")
		}
	}
	n := int64(x.below[256])
	x.offsets = int64(len(head)) + n*int64(idBytes+4)
	x.large = x.offsets + 4*n
	x.end = size - indexTailBytes
	// As in git: an offset may be large but for that of the first entry of the pack.
	if rest := x.end - x.large; rest < 0 || rest%8 != 0 || rest > 8*max(0, n-1) {
		return damaged("it claims %d objects in %d bytes", n, size)
	}
	if size > maxIndexBytes {
		return tooLarge("a pack index of %d bytes, and the bound is %d", size, int64(maxIndexBytes))
	}
	return nil
}

// isFirstVersion reports whether a file of size bytes that begins with fanout has the structure of version 1, which git wrote
// until 2008 and does on demand: a row of an offset and an id for each object.
func isFirstVersion(fanout []byte, size int64) bool {
	n := int64(binary.BigEndian.Uint32(fanout[indexFanoutBytes-4:]))
	return size == indexFanoutBytes+n*int64(4+idBytes)+indexTailBytes
}

func (x *packIndex) readAt(p []byte, at int64) error {
	if x.held != nil {
		copy(p, x.held[at:])
		return nil
	}
	if _, err := x.file.ReadAt(p, at); err != nil {
		return damagedBy(err)
	}
	return nil
}

// offsetOf returns where the entry of an object is in the pack; errMissing where the index does not have it.
func (x *packIndex) offsetOf(id ID) (int64, error) {
	i, err := x.position(id)
	if err != nil {
		return 0, err
	}
	var field [8]byte
	if err := x.readAt(field[:4], x.offsets+4*i); err != nil {
		return 0, err
	}
	offset := uint64(binary.BigEndian.Uint32(field[:]))
	if offset>>31 == 0 {
		return int64(offset), nil
	}
	at := x.large + 8*int64(offset&(1<<31-1))
	if at+8 > x.end {
		return 0, damaged("its offset of %s is outside its table", id)
	}
	if err := x.readAt(field[:], at); err != nil {
		return 0, err
	}
	if offset = binary.BigEndian.Uint64(field[:]); offset > math.MaxInt64 {
		return 0, damaged("its offset of %s is outside the pack", id)
	}
	return int64(offset), nil
}

// position finds id among the ids, or errMissing.
func (x *packIndex) position(id ID) (int64, error) {
	low, high := int64(x.below[id[0]]), int64(x.below[int(id[0])+1])
	const ids = indexHeaderBytes + indexFanoutBytes
	if x.held != nil {
		size := int64(idBytes)
		i, ok := searchIDs(x.held[ids+low*size:ids+high*size], id)
		if !ok {
			return 0, errMissing
		}
		return low + int64(i), nil
	}
	return x.positionInFile(id, ids, low, high)
}

// indexWindowIDs is how many ids are read at once: the first guess lies within nearly always, since ids are spread
// evenly.
const indexWindowIDs = 200

func (x *packIndex) positionInFile(id ID, ids, low, high int64) (int64, error) {
	buffer := x.buffers.Get().(*[indexWindowIDs * idBytes]byte)
	defer x.buffers.Put(buffer)
	key := int64(binary.BigEndian.Uint32(id[1:]))
	for guesses := 0; low < high; guesses++ {
		middle := low + (high-low)/2
		if guesses == 0 {
			middle = low + key*(high-low)>>32
		}
		first := max(low, min(middle-indexWindowIDs/2, high-indexWindowIDs))
		last := min(high, first+indexWindowIDs) // not included
		window := buffer[:int(last-first)*idBytes]
		if err := x.readAt(window, ids+first*int64(idBytes)); err != nil {
			return 0, err
		}
		switch {
		case bytes.Compare(id[:], window[:idBytes]) < 0:
			high = first
		case bytes.Compare(id[:], window[len(window)-idBytes:]) > 0:
			low = last
		default:
			i, ok := searchIDs(window, id)
			if !ok {
				return 0, errMissing
			}
			return first + int64(i), nil
		}
	}
	return 0, errMissing
}

// searchIDs finds id in a sorted run of ids that begin with the same byte. Ids are spread evenly, so the first
// guess is close.
func searchIDs(ids []byte, id ID) (int, bool) {
	low, high := 0, len(ids)/idBytes // within
	key := uint64(binary.BigEndian.Uint32(id[1:]))
	for step := 0; low < high; step++ {
		mid := (low + high) / 2
		if step == 0 {
			mid = int(key * uint64(high) >> 32)
		} else if step < 4 && high-low > 16 {
			first := uint64(binary.BigEndian.Uint32(ids[low*idBytes+1:]))
			last := uint64(binary.BigEndian.Uint32(ids[(high-1)*idBytes+1:]))
			if first < key && key < last {
				mid = low + int((key-first)*uint64(high-1-low)/(last-first))
			}
		}
		switch order := bytes.Compare(id[:], ids[mid*idBytes:(mid+1)*idBytes]); {
		case order == 0:
			return mid, true
		case order < 0:
			high = mid
		default:
			low = mid + 1
		}
	}
	return 0, false
}

func (x *packIndex) close() error {
	if x.file == nil {
		return nil
	}
	return x.file.Close()
}
