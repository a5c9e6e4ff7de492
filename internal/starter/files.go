package starter

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// A File is one file of the catalog, with the path that it has in it.
type File struct {
	Path    string
	Content []byte // the caller's
}

// Files returns the files of the latest revision below folder, such as "components/ID", by path; none where there is no
// such folder.
func Files(folder string) ([]File, error) {
	s := &store{objects: make(map[plumbing.Hash]*object)}
	files := make(map[string]entry)
	for _, h := range history {
		if err := overlay(s, files, h.folder); err != nil {
			return nil, err
		}
	}
	var list []File
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(path, folder+"/") {
			list = append(list, File{path, slices.Clone(s.objects[files[path].id].content)})
		}
	}
	return list, nil
}
