package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// check hashes the files of a manifest on all cores.
func check(manifest, root string) error {
	list, err := lines(manifest)
	if err != nil {
		return err
	}
	return onAllCores(len(list), func(i int, buffer []byte) error {
		want, path := list[i][:2*sha256.Size], list[i][2*sha256.Size+2:]
		got, err := digest(root+"/"+path, buffer)
		if err == nil && hex.EncodeToString(got[:]) != want {
			err = fmt.Errorf("%s differs", path)
		}
		return err
	})
}

// digest hashes a file. Most fit into the buffer: a short read is the end, so that such a file takes one read.
func digest(path string, buffer []byte) (sum [sha256.Size]byte, err error) {
	f, err := openFile(path)
	if err != nil {
		return sum, err
	}
	defer f.close()
	h := sha256.New()
	for {
		n, err := f.read(buffer)
		if err != nil {
			return sum, fmt.Errorf("read %s: %w", path, err)
		}
		h.Write(buffer[:n])
		if n < len(buffer) {
			return [sha256.Size]byte(h.Sum(nil)), nil
		}
	}
}
