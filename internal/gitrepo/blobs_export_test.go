package gitrepo

// Patch makes the object of a base and a delta in dst.
func Patch(dst, base, delta []byte) bool { return patch(dst, base, delta) }
