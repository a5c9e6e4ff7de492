//go:build !unix

package targettest

import "errors"

func mkfifo(path string) error { return errors.ErrUnsupported }
