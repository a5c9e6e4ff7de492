package rootfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"example.org/compose/fingerprint"
	"example.org/compose/lockv2"
)

// Sum is what Digest and DigestLF found.
type Sum struct {
	Digest fingerprint.Material // of the exact bytes
	LF     fingerprint.Material // of the bytes with every CRLF made LF; zero from Digest
	Size   int64                // of the exact bytes
}

// Digest reads the regular file at the destination in pieces and returns the digest of its bytes. buf is
// the caller's, one for each worker, not empty. The error is an *Error of any Reason but TooLarge, or ctx's.
func (r *Root) Digest(ctx context.Context, d lockv2.Destination, buf []byte) (Sum, error) {
	return r.sum(ctx, d, buf, false, nil)
}

// Second takes the bytes of a file that DigestWith reads, for what a caller wants to know of them beside the
// digest, such as another hash.
type Second interface {
	// Begin says that a file of that size is read from its start. It is called again, and what was added
	// does not count, when the file changed meanwhile.
	Begin(size int64)
	// Add takes the next bytes, which are valid during the call alone. A file that is not larger than the
	// buffer comes in one piece, an empty one perhaps in none.
	Add(piece []byte)
}

// DigestWith is Digest that shows the bytes to second too. What second has been shown counts only where the
// error is nil: then it is one Begin with the size of Sum, and exactly those bytes.
func (r *Root) DigestWith(ctx context.Context, d lockv2.Destination, buf []byte, second Second) (Sum, error) {
	return r.sum(ctx, d, buf, false, second)
}

// DigestLF is Digest with LF too: for a file that was found to differ from what is recorded.
func (r *Root) DigestLF(ctx context.Context, d lockv2.Destination, buf []byte) (Sum, error) {
	return r.sum(ctx, d, buf, true, nil)
}

func (r *Root) sum(ctx context.Context, d lockv2.Destination, buf []byte, lf bool, second Second) (Sum, error) {
	if r != nil && !lf {
		if sum, ok := r.quick.digest(ctx, string(d), buf, second); ok {
			return sum, nil
		}
	}
	for range attempts {
		file, info, err := r.OpenFile(d)
		if err != nil {
			return Sum{}, err
		}
		if second != nil {
			second.Begin(info.Size())
		}
		sum, err := hashFile(ctx, file, info.Size(), buf, lf, second)
		file.Close()
		switch {
		case ctx.Err() != nil:
			return Sum{}, ctx.Err()
		case err != nil:
			return Sum{}, fault(d, string(d), Unreadable, err)
		case sum.Size == info.Size():
			return sum, nil
		}
	}
	return Sum{}, fault(d, string(d), Changed, nil)
}

// hashFile reads to the end, or to the first piece past size: something may write as fast as this reads.
func hashFile(ctx context.Context, file *os.File, size int64, buf []byte, lf bool, second Second) (Sum, error) {
	var sum Sum
	exact := sha256.New()
	var joined lfHash
	if lf {
		joined.hash = sha256.New()
	}
	for ctx.Err() == nil {
		n, err := file.Read(buf)
		exact.Write(buf[:n])
		sum.Size += int64(n)
		if second != nil && n > 0 {
			second.Add(buf[:n])
		}
		if lf {
			joined.write(buf[:n])
		}
		if errors.Is(err, io.EOF) || sum.Size > size {
			exact.Sum(sum.Digest[:0])
			if lf {
				joined.sum(sum.LF[:0])
			}
			return sum, nil
		}
		if err != nil {
			return Sum{}, err
		}
	}
	return Sum{}, ctx.Err()
}

// lfHash hashes bytes with every CRLF made LF, however they are cut into pieces.
type lfHash struct {
	hash hash.Hash
	cr   bool // the last piece ended in a CR, which is not hashed yet
}

func (h *lfHash) write(b []byte) {
	if len(b) == 0 {
		return
	}
	if h.cr && b[0] != '\n' {
		h.hash.Write([]byte{'\r'})
	}
	h.cr = b[len(b)-1] == '\r'
	if h.cr {
		b = b[:len(b)-1]
	}
	for {
		i := bytes.Index(b, []byte("\r\n"))
		if i < 0 {
			h.hash.Write(b)
			return
		}
		h.hash.Write(b[:i])
		b = b[i+1:]
	}
}

// sum appends the digest to b. Nothing may be written after it.
func (h *lfHash) sum(b []byte) []byte {
	if h.cr {
		h.hash.Write([]byte{'\r'})
	}
	return h.hash.Sum(b)
}

// ReadFile returns the bytes of the regular file at the destination, TooLarge when there are more than limit.
func (r *Root) ReadFile(d lockv2.Destination, limit int64) ([]byte, error) {
	if r != nil {
		if b, ok := r.quick.read(string(d), limit); ok {
			return b, nil
		}
	}
	for range attempts {
		b, size, err := r.readOnce(d, limit)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) == size {
			return b, nil
		}
	}
	return nil, fault(d, string(d), Changed, nil)
}

// Equal reports whether the regular file at the destination has exactly the bytes want. buf is the caller's, not
// empty. The error is an *Error of any Reason but TooLarge.
func (r *Root) Equal(d lockv2.Destination, want, buf []byte) (bool, error) {
	if r != nil {
		if same, ok := r.quick.equal(string(d), want, buf); ok {
			return same, nil
		}
	}
	b, err := r.ReadFile(d, int64(len(want)))
	var e *Error
	if errors.As(err, &e) && e.Reason == TooLarge {
		return false, nil
	}
	return err == nil && bytes.Equal(b, want), err
}

// readOnce returns at most limit bytes, and the size that the file had when it was opened.
func (r *Root) readOnce(d lockv2.Destination, limit int64) ([]byte, int64, error) {
	file, info, err := r.OpenFile(d)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	tooLarge := fault(d, string(d), TooLarge, fmt.Errorf("at most %d bytes", limit))
	if info.Size() > limit {
		return nil, 0, tooLarge
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return nil, 0, fault(d, string(d), Unreadable, err)
	}
	if int64(b.Len()) > limit {
		return nil, 0, tooLarge
	}
	return b.Bytes(), info.Size(), nil
}
