package include

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// Folder is Files over real folders: a root and allowed roots.
//
// A path is followed through symlinks to where it leads, as the system does, and the end of it has to lie in one of the
// roots. It is then opened without following anything, so that a link which comes in between is a fault. Nothing blocks on a
// FIFO, and nothing outside the roots is opened; only whether something is there is looked at. It is for one Resolve at a time.
type Folder struct {
	roots   []folderRoot
	noLinks bool
	plain   map[string]bool // folders that were found to be no symlinks, by absolute path
}

type folderRoot struct {
	path  string // absolute, without symlinks
	given string // absolute, as the caller named it
	dir   *rootfs.Root
}

// FolderOptions name the folders. Each may be reached through symlinks.
type FolderOptions struct {
	Root    string
	Allowed []string

	// NoSymlinks makes a symlink below a root INVALID_SOURCE_AUTHORITY, as it is in a catalog.
	NoSymlinks bool
}

// OpenFolder opens the folders. ERR_CONFIG_READ: one of them is none. Close it.
func OpenFolder(opt FolderOptions) (*Folder, error) {
	f := &Folder{noLinks: opt.NoSymlinks, plain: map[string]bool{}}
	for _, name := range append([]string{opt.Root}, opt.Allowed...) {
		root, err := openRoot(name)
		if err != nil {
			f.Close()
			return nil, newError(CodeConfigRead, clip(name), fmt.Sprintf("is no folder that can be a root: %v", err), nil)
		}
		f.roots = append(f.roots, root)
	}
	return f, nil
}

func openRoot(name string) (folderRoot, error) {
	path, err := absolute(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return folderRoot{}, plainfile.Cause(err)
	}
	given, err := filepath.Abs(name)
	if spelled, _ := filepath.EvalSymlinks(given); err != nil || spelled != path {
		given = path // its spelling is that of another folder
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return folderRoot{}, syscall.ENOTDIR
	}
	dir, err := rootfs.Open(path)
	return folderRoot{path, given, dir}, err
}

// Close releases the folders.
func (f *Folder) Close() error {
	var first error
	for _, root := range f.roots {
		if err := root.dir.Close(); first == nil {
			first = err
		}
	}
	return first
}

// Start returns the path of a file on this system as a start for Resolve: a relative one is relative to the current folder.
func (f *Folder) Start(name string) (string, error) {
	path, err := absolute(name)
	if rel, inside := relative(f.roots[0].given, path); err == nil && inside && !climbs(name) {
		path = rel // as chains and manifests have it
	}
	return filepath.ToSlash(path), err
}

// climbs reports whether a path holds "..", which can't be taken out of it: above the end of a symlink is another folder.
func climbs(name string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "..")
}

// absolute is filepath.Abs, but that a path which climbs leads where the system would go.
func absolute(name string) (string, error) {
	if !climbs(name) || runtime.GOOS == "windows" { // where ".." is taken out first
		return filepath.Abs(name)
	}
	if filepath.IsAbs(name) {
		return name, nil
	}
	folder, err := os.Getwd() // which may be known by a symlink
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	return folder + string(filepath.Separator) + name, err
}

// Name returns the place's Source.
func (f *Folder) Name(place Place) string { return place.Source() }

// Locate is that of Files. An absolute target is one of this system.
func (f *Folder) Locate(ctx context.Context, base Place, target string) (Place, error) {
	if err := ctx.Err(); err != nil {
		return Place{}, err
	}
	if base.Root >= len(f.roots) {
		return Place{}, NewFault(CodeNotFound, "is not there, and there is no such root", nil)
	}
	from := filepath.Join(f.roots[base.Root].path, filepath.FromSlash(base.Path))
	found, err := f.follow(from, target)
	if err != nil {
		// An escape is said before anything else about a path that leads nowhere.
		if !f.spelledInside(lexical(from, target)) {
			return Place{}, escape()
		}
		return Place{}, err
	}
	place, inside := f.placeOf(found)
	if !inside {
		return Place{}, escape()
	}
	return place, nil
}

func escape() error {
	return NewFault(CodeEscape, "leads out of the root; include what lies inside it, or allow another root", nil)
}

// lexical returns where a target would lead if nothing on the way were a symlink.
func lexical(from, target string) string {
	if path, absolute := absoluteTarget(from, target); absolute {
		return filepath.Clean(path)
	}
	return filepath.Join(from, filepath.FromSlash(target))
}

func absoluteTarget(from, target string) (string, bool) {
	path := filepath.FromSlash(target)
	if filepath.IsAbs(path) {
		return path, true
	}
	return filepath.VolumeName(from) + path, strings.HasPrefix(target, "/")
}

// placeOf returns the place of an absolute path; false outside every root.
func (f *Folder) placeOf(path string) (Place, bool) {
	for i, root := range f.roots {
		rel, below := relative(root.path, path)
		if below {
			return Place{i, filepath.ToSlash(rel)}, true
		}
	}
	return Place{}, false
}

// spelledInside reports whether an absolute path that leads nowhere would lie in a root, by whichever name of the root.
func (f *Folder) spelledInside(path string) bool {
	for _, root := range f.roots {
		_, inside := relative(root.path, path)
		_, alsoInside := relative(root.given, path)
		if inside || alsoInside {
			return true
		}
	}
	return false
}

// relative returns path as seen from root; false where it lies outside. Both are clean.
func relative(root, path string) (string, bool) {
	if path == root {
		return ".", true
	}
	if !os.IsPathSeparator(root[len(root)-1]) {
		root += string(filepath.Separator)
	}
	return strings.CutPrefix(path, root)
}

// maxLinks is how many symlinks a path may lead through, as on Linux.
const maxLinks = 40

// follow returns the absolute path that a target leads to, seen from an absolute folder without symlinks. Each name is
// looked at where the ones before it really lead, so that ".." after a symlink is the folder above its end.
func (f *Folder) follow(from, target string) (string, error) {
	at, isFolder := from, true
	if path, absolute := absoluteTarget(from, target); absolute {
		at, target = top(path), filepath.ToSlash(path[len(filepath.VolumeName(path)):])
	}
	names := strings.Split(target, "/")
	for links := 0; len(names) > 0; {
		name := names[0]
		names = names[1:]
		if !isFolder {
			return "", notThere()
		}
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		if !utf8.ValidString(name) {
			return "", NewFault(CodeConfigRead, "leads to a name that is not UTF-8; rename it", nil)
		}
		if _, err := filepath.Localize(name); err != nil {
			return "", notThere()
		}
		path := filepath.Join(at, name)
		if f.plain[path] {
			at = path
			continue
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return "", NewFault(CodePermissionDenied, "can't be looked at: permission denied", nil)
		case err != nil:
			return "", notThere()
		case info.Mode()&fs.ModeSymlink == 0:
			at, isFolder = path, info.IsDir()
			if isFolder {
				f.plain[path] = true
			}
			continue
		}
		if _, inside := f.placeOf(path); inside && f.noLinks {
			return "", NewFault(CodeInvalidAuthority, "is or leads through a symlink, which is never followed; put the file itself in its place", nil)
		}
		if links++; links > maxLinks {
			return "", NewFault(CodeFilesystemLoop, "leads through symlinks without end; correct them", nil)
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", notThere()
		}
		if absolute, rooted := absoluteTarget(at, filepath.ToSlash(link)); rooted {
			at, link = top(absolute), absolute[len(filepath.VolumeName(absolute)):]
		}
		names = append(strings.Split(filepath.ToSlash(link), "/"), names...)
	}
	return at, nil
}

func notThere() error {
	return NewFault(CodeNotFound, "is not there; add the file, or correct the path", nil)
}

// top returns the top folder of the volume of an absolute path.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// Read is that of Files.
func (f *Folder) Read(ctx context.Context, place Place, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if place.Path == "." {
		return nil, unreadable(rootfs.IsDirectory, nil)
	}
	file, info, err := f.roots[place.Root].dir.OpenFile(lockv2.Destination(place.Path))
	if err != nil {
		reason, why := rootfs.Unreadable, err
		if fault := (*rootfs.Error)(nil); errors.As(err, &fault) {
			reason, why = fault.Reason, fault.Unwrap()
		}
		return nil, unreadable(reason, why)
	}
	defer file.Close()
	if info.Size() > limit {
		return nil, ErrTooLarge
	}
	text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := text.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return nil, unreadable(rootfs.Unreadable, err)
	}
	if int64(text.Len()) > limit {
		return nil, ErrTooLarge
	}
	return text.Bytes(), nil
}

// unreadable says why a file that was found can't be read.
func unreadable(reason rootfs.Reason, err error) error {
	switch {
	case reason == rootfs.IsDirectory:
		return NewFault(CodeIsADirectory, "is a folder; include a file", nil)
	case reason == rootfs.NotRegular:
		return NewFault(CodeConfigRead, "is no regular file; put a text file in its place", nil)
	case errors.Is(err, fs.ErrPermission):
		return NewFault(CodePermissionDenied, "can't be read: permission denied", nil)
	case reason == rootfs.Unreadable && err != nil:
		return NewFault(CodeConfigRead, "can't be read", plainfile.Cause(err))
	}
	return NewFault(CodeConfigRead, "changed while it was read; try again", nil)
}
