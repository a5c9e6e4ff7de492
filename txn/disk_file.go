package txn

import (
	"errors"
	"io/fs"
	"syscall"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// cantKeep tells that the process may not, or the file system can't: no reason to stop.
func cantKeep(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

func attributesOf(root *rootfs.Root, d lockv2.Destination) (attributes, error) {
	f, info, err := root.OpenFile(d)
	if err != nil {
		return attributes{}, err
	}
	f.Close()
	a := attributes{mode: info.Mode() & keptMode}
	a.uid, a.gid = owner(info)
	return a, nil
}
