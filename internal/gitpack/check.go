package gitpack

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"example.org/compose/internal/plainfile"
)

// CheckSums reads the installed pack whose files are base.pack and base.idx and compares both checksums, the name, and
// that the index belongs to the pack: what was written is still there. It inflates nothing. READ_FAILED: it is not, or
// a file can't be read.
func CheckSums(ctx context.Context, base string) error {
	pack, _, err := sumOf(ctx, base+".pack")
	if err != nil {
		return err
	}
	if filepath.Base(base) != "pack-"+hex.EncodeToString(pack[:]) {
		return damaged(base+".pack", "its name is not that of its contents")
	}
	_, before, err := sumOf(ctx, base+".idx")
	if err != nil {
		return err
	}
	if before != pack {
		return damaged(base+".idx", "it belongs to another pack")
	}
	return nil
}

// sumOf returns the checksum at the end of a file, which is right, and what stands before it.
func sumOf(ctx context.Context, path string) (sum, before [trailerBytes]byte, err error) {
	file, err := openFile(path)
	if err != nil {
		return sum, before, err
	}
	defer file.Close()
	// The last bytes of the file stay behind, in tail, until it is clear that they are the last.
	h := sha1.New()
	buf := make([]byte, 256<<10)
	var tail []byte
	for {
		if err := ctx.Err(); err != nil {
			return sum, before, err
		}
		n := copy(buf, tail)
		m, err := file.Read(buf[n:])
		n += m
		keep := min(n, 2*trailerBytes)
		h.Write(buf[:n-keep])
		tail = append(tail[:0], buf[n-keep:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return sum, before, readFault(path, err)
		}
	}
	if len(tail) < 2*trailerBytes {
		return sum, before, damaged(path, "it ends too early")
	}
	h.Write(tail[:trailerBytes])
	copy(before[:], tail)
	copy(sum[:], tail[trailerBytes:])
	if !bytes.Equal(h.Sum(nil), sum[:]) {
		return sum, before, damaged(path, "its checksum does not fit")
	}
	return sum, before, nil
}

// Check also inflates and hashes every object, and compares the index.
func Check(ctx context.Context, base string, limits Limits) error {
	limits = limits.orDefaults()
	if err := CheckSums(ctx, base); err != nil {
		return err
	}
	path := base + ".pack"
	file, err := openFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	fail := func(msg string) error { return damaged(path, msg) }
	p, err := scan(ctx, &stream{ctx: ctx, r: file, limit: limits.Bytes}, limits, fail)
	if err == nil {
		err = p.ends(file, fail)
	}
	if err == nil {
		err = resolve(ctx, &reread{ReaderAt: file, path: path}, p, limits, fail)
	}
	if err == nil {
		err = p.sort(fail)
	}
	if err != nil {
		return readFault(path, err)
	}
	index, err := openFile(base + ".idx")
	if err != nil {
		return err
	}
	defer index.Close()
	if err := p.writeIndex(&comparing{bufio.NewReader(index)}, maxSmallOffset); err != nil {
		return readFault(base+".idx", err)
	}
	return nil
}

// ends makes sure that a file has nothing behind the pack.
func (p *pack) ends(file *os.File, fail func(msg string) error) error {
	info, err := file.Stat()
	if err == nil && info.Size() != p.bytes() {
		err = fail("it goes on behind its checksum")
	}
	return err
}

// comparing is a writer of what r has to hold.
type comparing struct{ r io.Reader }

var errOther = errors.New("it says other things of its pack than the pack does")

func (c *comparing) Write(p []byte) (int, error) {
	own := make([]byte, len(p))
	if _, err := io.ReadFull(c.r, own); err != nil {
		return 0, err
	}
	if !bytes.Equal(own, p) {
		return 0, errOther
	}
	return len(p), nil
}

func openFile(path string) (*os.File, error) {
	file, err := plainfile.Open(path)
	if err != nil {
		return nil, readFault(path, err)
	}
	return file, nil
}

func damaged(path, msg string) error {
	return fault(CodeReadFailed, path, "the pack is damaged: "+msg+"; fetch it anew")
}

// readFault leaves an error that says where it belongs, or that a context ended, as it is.
func readFault(path string, err error) error {
	var own *Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if err == errOther || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(path, textOf(err))
	}
	return faultOf(CodeReadFailed, path, "the pack can't be read; make it a file that you may read", plainfile.Cause(err))
}
