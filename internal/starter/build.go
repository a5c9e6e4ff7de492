package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

//go:embed all:revisions
var sources embed.FS

// removedFile lists, in the folder of a revision, the paths that it takes away. It is no part of the tree.
const removedFile = "removed.txt"

// author signs every commit; the address is reserved for documentation.
const author = "compose <compose@example.org>"

// history is one entry a revision, the oldest first: its folder below revisions, the second of its commit
// and the message. Past entries never change, so that a lock that names a revision stays true.
var history = [...]struct {
	folder  string
	seconds int64 // since 1970, UTC
	message string
}{
	{"1", 1767225600, "starter: skills and services"},                           // 2026-01-01
	{"2", 1769904000, "starter: newer actions, Go 1.26, a note on long skills"}, // 2026-02-01
	{"3", 1772323200, "starter: release from a tag, review code"},               // 2026-03-01
}

// build makes the objects of every revision and returns the commits, the oldest first.
func build() (*store, []plumbing.Hash, error) {
	s := &store{objects: make(map[plumbing.Hash]*object)}
	files := make(map[string]entry) // by path, of the revision at hand
	var commits []plumbing.Hash
	for _, h := range history {
		if err := overlay(s, files, h.folder); err != nil {
			return nil, nil, err
		}
		paths := slices.Sorted(maps.Keys(files))
		var text strings.Builder
		fmt.Fprintf(&text, "tree %s\n", tree(s, files, paths, 0))
		if n := len(commits); n > 0 {
			fmt.Fprintf(&text, "parent %s\n", commits[n-1])
		}
		fmt.Fprintf(&text, "author %s %d +0000\ncommitter %[1]s %[2]d +0000\n\n%s\n", author, h.seconds, h.message)
		commits = append(commits, s.add(plumbing.CommitObject, []byte(text.String())))
	}
	return s, commits, nil
}

// An entry is one file of a tree.
type entry struct {
	mode string
	id   plumbing.Hash
}

// overlay turns the files of the revision before into those of the revision in folder.
func overlay(s *store, files map[string]entry, folder string) error {
	top := "revisions/" + folder
	return fs.WalkDir(sources, top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		path := name[len(top)+1:]
		if path == removedFile {
			return remove(files, string(content))
		}
		mode := "100644"
		if strings.HasSuffix(path, ".sh") {
			mode = "100755"
		}
		files[path] = entry{mode, s.add(plumbing.BlobObject, content)}
		return nil
	})
}

// remove takes the paths of a removed.txt away. One that is not there is a slip in the sources.
func remove(files map[string]entry, list string) error {
	for path := range strings.Lines(list) {
		path = strings.TrimSpace(path)
		if _, there := files[path]; !there {
			return fmt.Errorf("starter: %s names %q, which the revision before does not have", removedFile, path)
		}
		delete(files, path)
	}
	return nil
}

// tree adds the tree of a folder and of all below it. paths are the files in it, sorted, each with the same
// first n bytes: the folder's own path and a slash.
func tree(s *store, files map[string]entry, paths []string, n int) plumbing.Hash {
	type item struct {
		name string // with a slash after a folder's, which is how git sorts
		entry
	}
	var items []item
	for i := 0; i < len(paths); {
		name, _, below := strings.Cut(paths[i][n:], "/")
		if !below {
			items = append(items, item{name, files[paths[i]]})
			i++
			continue
		}
		name += "/"
		end := i + 1
		for end < len(paths) && strings.HasPrefix(paths[end][n:], name) {
			end++
		}
		items = append(items, item{name, entry{"40000", tree(s, files, paths[i:end], n+len(name))}})
		i = end
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.name, b.name) })
	var text []byte
	for _, it := range items {
		text = append(text, it.mode+" "+strings.TrimSuffix(it.name, "/")+"\x00"...)
		text = append(text, it.id[:]...)
	}
	return s.add(plumbing.TreeObject, text)
}
