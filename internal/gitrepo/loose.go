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
	header, content, ok := bytes.Cut(buf[:n], []byte{0})
	typ, size, spaced := bytes.Cut(header, []byte(" "))
	if !ok || !spaced {
		return damaged("the loose object has no header")
	}
	if o.typ, err = plumbing.ParseObjectType(string(typ)); err != nil || o.typ.IsDelta() {
		return damaged("the loose object is of type %q", typ)
	}
	length, err := strconv.ParseUint(string(size), 10, 63)
	if err != nil {
		return damaged("the loose object has the size %q", size)
	}
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	// What DEFLATE can't make of the file is a lie, and costs no memory.
	if o.length = int64(length); o.length/maxInflation > info.Size() {
		return damaged("the loose object claims %d bytes", o.length)
	}
	o.head = content
	return nil
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
