package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// What a store says of an object, for errors.Is.
var (
	errMissing  = errors.New("no such object")
	errDamaged  = errors.New("damaged")   // stored bytes are not in git's format, or are those of another id
	errTooLarge = errors.New("too large") // an object, or what must be held to build it, is past a bound

	errUnsupported = errors.New("unsupported") // stored bytes are in a format of git that is not supported
)

// errOtherBytes says that an object does not hash to its id.
var errOtherBytes error = &storedError{kind: errDamaged, text: "its bytes are those of another id"}

// storedError says what is wrong with stored bytes. Its kind is for errors.Is and no part of the text.
type storedError struct {
	kind error
	text string
	err  error // the cause; may be nil
}

func (e *storedError) Error() string        { return e.text }
func (e *storedError) Is(target error) bool { return target == e.kind }
func (e *storedError) Unwrap() error        { return e.err }

func damaged(format string, args ...any) error {
	return &storedError{kind: errDamaged, text: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &storedError{kind: errUnsupported, text: fmt.Sprintf(format, args...)}
}

func tooLarge(format string, args ...any) error {
	return &storedError{kind: errTooLarge, text: fmt.Sprintf(format, args...)}
}

// damagedBy marks what a decoder refuses as damage, and leaves errors of the file as they are.
func damagedBy(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) || errors.Is(err, errDamaged) {
		return err
	}
	text := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		text = "it ends too early"
	}
	return &storedError{kind: errDamaged, text: text, err: err}
}

// inFile adds to a storedError where the bytes are stored.
func inFile(name string, err error) error {
	if e, ok := err.(*storedError); ok {
		return &storedError{kind: e.kind, text: e.text + ", in " + name, err: e}
	}
	return err
}
