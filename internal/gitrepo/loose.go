package gitrepo

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

// maxLooseHeader is the longest "TYPE SIZE NUL": "commit", a blank, 19 digits, NUL.
const maxLooseHeader = 32

// looseObject is a file of its own: zlib of "TYPE SIZE NUL CONTENT".
//
// go-git's objfile reader is not used: it reads a header without NUL to its end, however far that inflates.
type looseObject struct {
	file   *os.File
	zlib   io.ReadCloser // nil before the header; from the pool, and back to it
	pool   *sync.Pool
	typ    plumbing.ObjectType
	length int64
	head   []byte // content that was inflated with the header
}

// openLoose opens an object of an object folder; errMissing where it is not there. The pool is of inflaters.
func openLoose(folder string, id ID, pool *sync.Pool) (object, error) {
	name := id.String()
	file, err := plainfile.Open(filepath.Join(folder, name[:2], name[2:]))
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		return nil, errMissing
	}
	if err != nil {
		return nil, err
	}
	o := &looseObject{file: file, pool: pool}
	if err := o.readHeader(); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

func (o *looseObject) readHeader() error {
	if z, ok := o.pool.Get().(io.ReadCloser); ok {
		if err := z.(zlib.Resetter).Reset(o.file, nil); err != nil {
			return damagedBy(err)
		}
		o.zlib = z
	} else {
		z, err := zlib.NewReader(o.file)
		if err != nil {
			return damagedBy(err)
		}
		o.zlib = z
	}
	var buf [maxLooseHeader]byte
	n, err := io.ReadFull(o.zlib, buf[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return damagedBy(err)
	}
	o.typ, o.length, o.head, err = parseLoose(buf[:n])
	if err != nil {
		return err
	}
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	// What DEFLATE can't make of the file is a lie, and costs no memory.
	if o.length/maxInflation > info.Size() {
		return damaged("the loose object claims %d bytes", o.length)
	}
	return nil
}

// parseLoose reads the header of a loose object at the beginning of what was inflated, and returns what is behind it.
func parseLoose(inflated []byte) (kind plumbing.ObjectType, length int64, content []byte, err error) {
	header, _, ok := bytes.Cut(inflated[:min(len(inflated), maxLooseHeader)], []byte{0})
	typ, size, spaced := bytes.Cut(header, []byte(" "))
	if !ok || !spaced {
		return 0, 0, nil, damaged("the loose object has no header")
	}
	if kind, err = plumbing.ParseObjectType(string(typ)); err != nil || kind.IsDelta() {
		return 0, 0, nil, damaged("the loose object is of type %q", typ)
	}
	n, err := strconv.ParseUint(string(size), 10, 63)
	if err != nil {
		return 0, 0, nil, damaged("the loose object has the size %q", size)
	}
	return kind, int64(n), inflated[len(header)+1:], nil
}

// loose makes a loose object of one of the object folders.
func (u *unpacker) loose(folders []string, id ID) (kind plumbing.ObjectType, content []byte, ok bool) {
	file := findLoose(folders, id)
	if file == nil {
		return 0, nil, false
	}
	defer file.Close()
	kind, length, header, ok := u.looseHead(file)
	if !ok || !u.readOn(file) {
		return 0, nil, false
	}
	buf := withSlack(u.turns[0], header+int(length))
	u.turns[0] = buf
	_, ok = u.inflate.checked(buf, u.file)
	return kind, buf[header:], ok
}

// statLoose returns the kind and the size of a loose object of up to 512 KiB, by its header alone.
func (u *unpacker) statLoose(folders []string, id ID) (kind plumbing.ObjectType, size int64, ok bool) {
	file := findLoose(folders, id)
	if file == nil {
		return 0, 0, false
	}
	defer file.Close()
	kind, size, _, ok = u.looseHead(file)
	return kind, size, ok
}

func findLoose(folders []string, id ID) *os.File {
	name := id.String()
	for _, folder := range folders {
		if file, err := plainfile.Open(filepath.Join(folder, name[:2], name[2:])); err == nil {
			return file
		}
	}
	return nil
}

// looseStart is how much of a loose object is read first: nearly all of them whole.
const looseStart = 8 << 10

// looseHead reads the beginning of a loose object into u.file, and what its header says: the length of the content, and its own.
func (u *unpacker) looseHead(file *os.File) (kind plumbing.ObjectType, length int64, header int, ok bool) {
	u.file = withSlack(u.file, looseStart)
	n, err := file.ReadAt(u.file, 0)
	if err != nil && err != io.EOF {
		return 0, 0, 0, false
	}
	u.file = u.file[:n]
	var space [maxLooseHeader]byte
	n, ok = u.inflate.inflateHead(space[:], u.file)
	if !ok {
		return 0, 0, 0, false
	}
	kind, length, begun, err := parseLoose(space[:n])
	return kind, length, n - len(begun), err == nil && length <= maxMemoryBytes && length/maxInflation <= int64(len(u.file))
}

// readOn reads the rest of a loose object of which u.file is the beginning.
func (u *unpacker) readOn(file *os.File) bool {
	if len(u.file) < looseStart {
		return true
	}
	info, err := file.Stat()
	if err != nil || info.Size() < looseStart || info.Size() > 2*maxMemoryBytes {
		return false
	}
	if size := int(info.Size()); size > cap(u.file) {
		u.file = append(make([]byte, 0, size), u.file...)
	}
	n, err := file.ReadAt(u.file[looseStart:info.Size()], looseStart)
	u.file = u.file[:looseStart+n]
	return err == nil
}

func (o *looseObject) kind() plumbing.ObjectType { return o.typ }
func (o *looseObject) size() int64               { return o.length }

func (o *looseObject) content(context.Context) (io.Reader, error) {
	return damageReader{io.MultiReader(bytes.NewReader(o.head), o.zlib)}, nil
}

func (o *looseObject) Close() error {
	if o.zlib != nil {
		o.pool.Put(o.zlib)
		o.zlib = nil
	}
	return o.file.Close()
}

// damageReader marks what the inflater refuses as damage, and leaves errors of the file as they are.
type damageReader struct{ r io.Reader }

func (d damageReader) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		err = damagedBy(err)
	}
	return n, err
}
