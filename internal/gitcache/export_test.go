package gitcache

// Folder returns where the entry is.
func (e *Entry) Folder() string { return e.folder }
