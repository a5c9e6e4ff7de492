package gitrepo

import (
	"errors"
	"io"
	"os"
	"syscall"

	"example.org/compose/internal/plainfile"
)

func openPlain(path string) (*os.File, error) { return plainfile.Open(path) }

func readSmall(path string, limit int64) ([]byte, error) { return plainfile.Read(path, limit) }

func readLimited(r io.Reader, limit int64) ([]byte, error) { return plainfile.ReadAll(r, limit) }

// isNotFolder reports whether a parent in the path is no folder.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// causeOf drops the path of a system error: the *Error around it names the place in the reader's terms.
func causeOf(err error) error { return plainfile.Cause(err) }
