package gitrepo

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// pack is one pack file with its index, opened at the first need. It may be used from many goroutines.
type pack struct {
	path    string // without .idx and .pack
	folders *folders

	indexOnce sync.Once
	index     *packIndex
	indexErr  error

	fileOnce sync.Once
	file     *os.File
	fileErr  error

	readers sync.Pool // of *entryReader
}

// find returns the object from this pack; errMissing where the pack does not hold it.
func (p *pack) find(id ID) (object, error) {
	offset, err := p.offsetOf(id)
	if err != nil {
		return nil, err
	}
	p.fileOnce.Do(p.openFile)
	if p.fileErr != nil {
		return nil, p.fileErr
	}
	o := &packedObject{pack: p, reader: p.readers.Get().(*entryReader)}
	if err := o.resolve(offset); err != nil {
		o.Close()
		return nil, inFile(p.name(".pack"), err)
	}
	return o, nil
}

// name is how messages name the pack or its index.
func (p *pack) name(extension string) string { return filepath.Base(p.path) + extension }

// offsetOf looks an id up; errMissing where the pack does not hold it.
func (p *pack) offsetOf(id ID) (int64, error) {
	p.indexOnce.Do(func() { p.index, p.indexErr = openPackIndex(p.path + ".idx") })
	err := p.indexErr
	if err == nil {
		var offset int64
		if offset, err = p.index.offsetOf(id); err == nil {
			return offset, nil
		}
	}
	return 0, inFile(p.name(".idx"), err)
}

func (p *pack) openFile() {
	file, err := plainfile.Open(p.path + ".pack")
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
		err = damaged("it is no pack of version %d", packfile.VersionSupported)
	}
	if err != nil {
		file.Close()
		p.fileErr = inFile(p.name(".pack"), damagedBy(err))
		return
	}
	p.file = file
	p.readers.New = func() any { return newEntryReader(file, info.Size()) }
}

func (p *pack) close() error {
	// After this no look-up opens a file any more.
	p.indexOnce.Do(func() { p.indexErr = os.ErrClosed })
	p.fileOnce.Do(func() { p.fileErr = os.ErrClosed })
	var errs []error
	if p.index != nil {
		errs = append(errs, p.index.close())
	}
	if p.file != nil {
		errs = append(errs, p.file.Close())
	}
	return errors.Join(errs...)
}
