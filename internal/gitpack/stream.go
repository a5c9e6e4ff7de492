package gitpack

import (
	"context"
	"crypto/sha1"
	"hash"
	"hash/crc32"
	"io"
)

const (
	streamBytes = 1 << 20
	// minRead is how much room a read has: below that, what is unread moves to the front of the buffer.
	minRead = 64 << 10
)

// stream reads a pack once, and hashes and copies what was read. It never waits for more than what it is asked for, so
// that a source which stays open behind its pack is no matter.
type stream struct {
	ctx      context.Context
	r        io.Reader
	copy     io.Writer // nil for none
	limit    int64
	received func(bytes int64) // nil for none

	buf      []byte
	from     int64     // where buf begins in the stream
	pos, end int       // buf[pos:end] is not read yet
	copied   int       // buf[:copied] is hashed and copied
	counted  int       // buf[:counted] is in crc
	sum      hash.Hash // of all that was copied
	crc      uint32    // of the entry, from mark on
	arrived  int64
	err      error // of r, or of copy: all that follows has it
}

func (s *stream) start() {
	s.buf = make([]byte, streamBytes)
	s.sum = sha1.New() // nothing rests on this one: the objects have their own
}

// offset is how much of the stream was read.
func (s *stream) offset() int64 { return s.from + int64(s.pos) }

// mark begins an entry.
func (s *stream) mark() { s.crc, s.counted = 0, s.pos }

// entryCRC is the CRC-32 of what was read since mark.
func (s *stream) entryCRC() uint32 {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, s.buf[s.counted:s.pos])
	s.counted = s.pos
	return s.crc
}

// flush hashes and copies what was read.
func (s *stream) flush() error {
	if s.err == nil && s.offset() > s.limit {
		s.err = tooLarge("more bytes", s.limit)
	}
	if s.err != nil {
		return s.err
	}
	s.sum.Write(s.buf[s.copied:s.pos])
	if s.copy != nil {
		if _, err := s.copy.Write(s.buf[s.copied:s.pos]); err != nil {
			s.err = err
			return err
		}
	}
	s.copied = s.pos
	return nil
}

// fill reads on, once. At the end of r it returns io.ErrUnexpectedEOF.
func (s *stream) fill() error {
	if s.err != nil {
		return s.err
	}
	if len(s.buf)-s.end < minRead {
		s.entryCRC()
		if err := s.flush(); err != nil {
			return err
		}
		s.from += int64(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos, s.copied, s.counted = 0, 0, 0
		if s.end == len(s.buf) {
			return io.ErrShortBuffer // asked for more than peek allows
		}
	}
	for range 100 {
		if s.err = s.ctx.Err(); s.err != nil {
			return s.err
		}
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if n > 0 {
			s.arrived += int64(n)
			if s.received != nil {
				s.received(s.arrived)
			}
			return nil
		}
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			s.err = err
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// peek returns what was not read yet: n bytes, if so many are owed; more where they are there. What is not owed
// is not waited for.
func (s *stream) peek(n, owed int64) []byte {
	for int64(s.end-s.pos) < min(n, owed, int64(len(s.buf)-minRead)) && s.fill() == nil {
	}
	return s.buf[s.pos:s.end]
}

// skip reads n bytes that peek has shown.
func (s *stream) skip(n int) { s.pos += n }

func (s *stream) ReadByte() (byte, error) {
	if s.pos == s.end {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	s.pos++
	return s.buf[s.pos-1], nil
}

func (s *stream) Read(p []byte) (int, error) {
	if s.pos == s.end {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.buf[s.pos:s.end])
	s.pos += n
	return n, nil
}
