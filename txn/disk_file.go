package txn

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// cantKeep tells that the process may not, or the file system can't: no reason to stop.
func cantKeep(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// lookTwice is Look where the bytes and the attributes are asked for apart.
func lookTwice(ctx context.Context, root *rootfs.Root, d lockv2.Destination, buf []byte) (rootfs.Sum, attributes, error) {
	sum, err := root.Digest(ctx, d, buf)
	if err != nil {
		return sum, attributes{}, err
	}
	a, err := attributesOf(root, d)
	return sum, a, err
}

func attributesOf(root *rootfs.Root, d lockv2.Destination) (attributes, error) {
	f, info, err := root.OpenFile(d)
	if err != nil {
		return attributes{}, err
	}
	f.Close()
	return attributesFrom(info), nil
}

func attributesFrom(info fs.FileInfo) attributes {
	uid, gid := owner(info)
	return attributes{mode: info.Mode() & keptMode, uid: uid, gid: gid}
}

// readNames is Readdirnames, with fewer names than were asked for and none at all being no error.
func readNames(folder *os.File, most int) ([]string, error) {
	names, err := folder.Readdirnames(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}
