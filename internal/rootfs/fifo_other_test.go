//go:build !unix

package rootfs_test

import "errors"

func mkfifo(path string) error { return errors.ErrUnsupported }
