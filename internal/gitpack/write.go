package gitpack

import (
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/go-git/go-git/v5/plumbing"
)

// Write writes a pack of n whole objects, without deltas, to w. It does not hold them to their ids: what Open gives is
// to do that. Errors of objects, of Open and what it gives, and of w come back as they are.
//
// READ_FAILED: there are not n objects, or one has another size than it says.
func Write(ctx context.Context, w io.Writer, n int, objects iter.Seq2[Object, error]) error {
	if n < 0 || int64(n) > math.MaxUint32 {
		return tooLarge(fmt.Sprintf("more objects, %d,", n), math.MaxUint32)
	}
	sum := sha1.New()
	p := &packWriter{to: io.MultiWriter(w, sum), chunk: make([]byte, 64<<10)}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(n))
	if _, err := p.to.Write(head); err != nil {
		return err
	}
	written := 0
	for o, err := range objects {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && written == n {
			err = fault(CodeReadFailed, o.ID.String(), fmt.Sprintf("there are more objects than the %d that were announced; run the same command again", n))
		}
		if err == nil {
			err = p.object(ctx, o)
		}
		if err != nil {
			return err
		}
		written++
	}
	if written != n {
		return fault(CodeReadFailed, "", fmt.Sprintf("there are %d objects, and %d were announced; run the same command again", written, n))
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

type packWriter struct {
	to    io.Writer
	zlib  *zlib.Writer // nil before the first use
	chunk []byte
}

func (p *packWriter) object(ctx context.Context, o Object) (err error) {
	if o.Kind.IsDelta() || !o.Kind.Valid() || o.Size < 0 {
		return fault(CodeReadFailed, o.ID.String(), fmt.Sprintf("an object of kind %s and %d bytes can't be stored whole", o.Kind, o.Size))
	}
	content, err := o.Open()
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := content.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err := p.to.Write(appendHeader(nil, o.Kind, o.Size)); err != nil {
		return err
	}
	if p.zlib == nil {
		// Mostly both ends are on one machine: time counts more than length.
		if p.zlib, err = zlib.NewWriterLevel(p.to, zlib.BestSpeed); err != nil {
			return err
		}
	} else {
		p.zlib.Reset(p.to)
	}
	left := o.Size
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := content.Read(p.chunk)
		if left -= int64(n); left < 0 {
			break
		}
		if _, err := p.zlib.Write(p.chunk[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if left != 0 {
		return fault(CodeReadFailed, o.ID.String(), fmt.Sprintf("the object has another size than %d bytes; run the same command again", o.Size))
	}
	return p.zlib.Close()
}

// appendHeader appends the header of a whole entry.
func appendHeader(b []byte, kind plumbing.ObjectType, size int64) []byte {
	c := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		b = append(b, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(b, c)
}
