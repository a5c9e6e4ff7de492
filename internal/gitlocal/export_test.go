package gitlocal

import "example.org/compose/internal/gitrepo"

// TreeEntries are the ids of a tree's entries, those of folders apart, without submodules; false for what is no tree.
func TreeEntries(content []byte) (files, folders []gitrepo.ID, ok bool) {
	for len(content) > 0 {
		mode, e, rest, problem := nextEntry(content)
		if problem != "" {
			return nil, nil, false
		}
		switch content = rest; {
		case mode == modeSubmodule:
		case e.tree:
			folders = append(folders, e.id)
		default:
			files = append(files, e.id)
		}
	}
	return files, folders, true
}
