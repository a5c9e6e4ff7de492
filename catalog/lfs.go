package catalog

import (
	"bytes"
	"strings"
)

// maxLFSPointer is the most bytes that a Git LFS pointer has: its specification says less than 1,024.
const maxLFSPointer = 1023

// IsLFSPointer reports whether b, the whole content of a file, is a Git LFS pointer: a small text whose first line is the
// version of the format, today's or the one of before its release, and which has the lines of the object's id and size.
// Ordinary text that merely begins so is none.
func IsLFSPointer(b []byte) bool {
	if len(b) > maxLFSPointer || !bytes.HasPrefix(b, []byte("version ")) {
		return false
	}
	oid, size := false, false
	for i, line := range strings.Split(string(b), "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		switch {
		case i == 0 && (name != "version" || value != "https://git-lfs.github.com/spec/v1" && value != "https://hawser.github.com/spec/v1"):
			return false
		case name == "oid":
			digits, found := strings.CutPrefix(value, "sha256:")
			oid = oid || found && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
		case name == "size":
			size = size || value != "" && strings.Trim(value, "0123456789") == ""
		}
	}
	return oid && size
}
