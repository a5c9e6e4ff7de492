package rootfs

import "os"

// Folder opens the root folder itself, for who locks it or compares it with another. The caller closes it.
// The error is an *Error, INVALID_TARGET; the nil Root has none to open.
func (r *Root) Folder() (*os.File, error) {
	if r == nil {
		return nil, rootError("", Missing, nil)
	}
	file, err := r.top.dir.Open(".")
	if err != nil {
		return nil, rootError(r.top.dir.Name(), Unreadable, err)
	}
	return file, nil
}
