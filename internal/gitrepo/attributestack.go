package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/plainfile"
	"github.com/go-git/go-git/v5/plumbing"
)

// attributes are the files that say what is converted, read when the first path asks.
type attributes struct {
	below  []attrFile          // of system and user
	top    []attrFile          // info/attributes, which is stronger than all
	folder map[string]attrFile // .gitattributes by folder, "" or "a/b/"
}

// attributesOf returns what attributes say about a path.
func (w *workTree) attributesOf(ctx context.Context, path string) (map[string]attribute, error) {
	if w.attrs == nil {
		if err := w.loadAttributes(); err != nil {
			return nil, err
		}
	}
	files := append([]attrFile(nil), w.attrs.below...)
	for i := -1; i < len(path); i++ {
		if i >= 0 && path[i] != '/' {
			continue
		}
		file, err := w.folderAttributes(ctx, path[:i+1])
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return attributesOf(append(files, w.attrs.top...), path, w.fold), nil
}

func (w *workTree) loadAttributes() error {
	a := &attributes{folder: map[string]attrFile{}}
	opts := w.repo.opts
	user := opts.AttributesFile
	if path, ok := w.cfg.Last("core.attributesfile"); ok {
		user = gitconfig.ExpandHome(path, opts.Home)
	}
	for _, path := range [...]string{opts.SystemAttributesFile, user} {
		file, err := attributesFile(path, "")
		if err != nil {
			return err
		}
		a.below = append(a.below, file)
	}
	file, err := attributesFile(filepath.Join(w.repo.disk.common, "info", "attributes"), "")
	if err != nil {
		return err
	}
	a.top = append(a.top, file)
	w.attrs = a
	return nil
}

// attributesFile reads a file; an empty one where there is none.
func attributesFile(path, base string) (attrFile, error) {
	if path == "" || path == os.DevNull {
		return attrFile{}, nil
	}
	text, err := plainfile.Read(path, maxAttributesBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || isNotFolder(err) {
		return attrFile{}, nil
	}
	return parseAttributes(string(text), base, base == ""), err
}

// folderAttributes reads the .gitattributes of a folder: the file, or where it is not there, or is as the index
// has it, the blob of the index.
func (w *workTree) folderAttributes(ctx context.Context, folder string) (attrFile, error) {
	if file, ok := w.attrs.folder[folder]; ok {
		return file, nil
	}
	name := folder + ".gitattributes"
	var text []byte
	entry := w.ix.find(name)
	found, err := w.lstat(name)
	there := err == nil && found.kind() == kindFile
	switch {
	case entry != nil && entry.kind() == kindFile && (!there || w.unread(entry, &found)):
		if text, err = w.repo.read(ctx, entry.id, plumbing.BlobObject, maxAttributesBytes); err != nil {
			return attrFile{}, err
		}
	case there:
		file, err := w.repo.openFile(w.path(name))
		if err != nil {
			return attrFile{}, plainfile.Cause(err)
		}
		defer file.Close()
		if text, err = plainfile.ReadAll(file, maxAttributesBytes); err != nil {
			return attrFile{}, plainfile.Cause(err)
		}
	}
	parsed := parseAttributes(string(text), folder, folder == "")
	w.attrs.folder[folder] = parsed
	return parsed, nil
}

// unread reports whether stat data say that a file is what the index has.
func (w *workTree) unread(e *indexEntry, found *fileStat) bool {
	return !e.skipWorktree && !e.intentToAdd && e.stat.size != 0 && w.stat.compare(e.stat, found, w.ix.written) == statSame
}
