package txn

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exchange swaps two names with renameatx_np, which APFS knows and HFS+ does not.
func exchange(root *os.Root, a, b string) error {
	at, err := root.Open(filepath.Dir(a))
	if err != nil {
		return err
	}
	defer at.Close()
	bt, err := root.Open(filepath.Dir(b))
	if err != nil {
		return err
	}
	defer bt.Close()
	err = unix.RenameatxNp(int(at.Fd()), filepath.Base(a), int(bt.Fd()), filepath.Base(b), unix.RENAME_SWAP)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
