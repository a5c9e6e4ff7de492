package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/lockv2"
)

// maxFolders is how many folders a Root keeps open: enough for the neighbours of every worker,
// and well below the 256 open files that some systems allow a process.
const maxFolders = 96

// folder is a folder below the root, or the root itself, that is open.
type folder struct {
	dir *os.Root

	// Guarded by Root.mu, and not used for the top, which stays open.
	users int
	used  uint64 // the clock at the last use
	stale bool   // no longer in the map: close it when the last user is done
}

// place is a name in an open folder. The folder is to be released.
type place struct {
	folder *folder
	name   string
}

var errNoPath = errors.New("not a relative path")

// locate opens the folder that holds the destination.
func (r *Root) locate(d lockv2.Destination) (place, error) {
	path := string(d)
	if _, err := filepath.Localize(path); err != nil || path == "." {
		return place{}, fault(d, path, Unreadable, errNoPath)
	}
	if r == nil {
		return place{}, fault(d, path, Missing, nil)
	}
	parent, name := split(path)
	f, err := r.acquire(d, parent)
	if err != nil {
		return place{}, err
	}
	return place{folder: f, name: name}, nil
}

// split returns the folder of path ("" for the root) and the last name.
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// acquire returns the folder at path, open, on the way to d.
func (r *Root) acquire(d lockv2.Destination, path string) (*folder, error) {
	if path == "" {
		return r.top, nil
	}
	if f := r.remembered(path); f != nil {
		return f, nil
	}
	above, name := split(path)
	parent, err := r.acquire(d, above)
	if err != nil {
		return nil, err
	}
	defer r.release(parent)
	dir, err := openFolder(parent.dir, name, d, path)
	if err != nil {
		return nil, err
	}
	return r.remember(path, dir), nil
}

// openFolder opens the folder name in parent; path is where it lies, on the way to d.
func openFolder(parent *os.Root, name string, d lockv2.Destination, path string) (*os.Root, error) {
	var last error
	for range attempts {
		info, err := parent.Lstat(name)
		switch {
		case err != nil:
			return nil, fault(d, path, lookReason(err), err)
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, fault(d, path, Symlink, nil)
		case !info.IsDir():
			return nil, fault(d, path, ParentNotDirectory, nil)
		}
		// The added segment makes the system open name as a folder or not at all: a FIFO that took
		// its place would block a plain open.
		dir, err := parent.OpenRoot(name + "/.")
		if err != nil {
			if errors.Is(err, fs.ErrPermission) {
				return nil, fault(d, path, Unreadable, err)
			}
			last = err
			continue
		}
		if same(dir, info) {
			return dir, nil
		}
		dir.Close()
		last = nil
	}
	if last != nil {
		return nil, fault(d, path, Unreadable, last)
	}
	return nil, fault(d, path, Changed, nil)
}

func (r *Root) remembered(path string) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.folders[path]
	if f != nil {
		r.use(f)
	}
	return f
}

func (r *Root) use(f *folder) {
	r.clock++
	f.users, f.used = f.users+1, r.clock
}

// remember keeps dir as the folder at path, unless another goroutine was faster or the Root is closed.
func (r *Root) remember(path string, dir *os.Root) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.folders[path]; f != nil {
		dir.Close()
		r.use(f)
		return f
	}
	f := &folder{dir: dir, stale: r.closed}
	r.use(f)
	if !r.closed {
		r.evict()
		r.folders[path] = f
	}
	return f
}

// evict closes the folder that was not used for the longest time, when there are too many.
func (r *Root) evict() {
	if len(r.folders) < maxFolders {
		return
	}
	var oldest string
	for path, f := range r.folders {
		if f.users == 0 && (oldest == "" || f.used < r.folders[oldest].used) {
			oldest = path
		}
	}
	if oldest != "" {
		r.folders[oldest].dir.Close()
		delete(r.folders, oldest)
	}
}

func (r *Root) release(f *folder) {
	if f == r.top {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f.users--
	if f.users == 0 && f.stale {
		f.dir.Close()
	}
}

// Forget makes the next look-ups open and list every folder anew. What changed in the target since,
// a folder that was replaced too, is seen from then on.
func (r *Root) Forget() {
	if r == nil {
		return
	}
	r.quick.forget()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.folders {
		if f.users == 0 {
			f.dir.Close()
		} else {
			f.stale = true
		}
	}
	clear(r.folders)
	clear(r.names)
}

// Close releases the folders that were opened. It may be called more than once; look-ups after it fail.
func (r *Root) Close() error {
	if r == nil {
		return nil
	}
	r.Forget()
	r.quick.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.opened {
		return r.top.dir.Close()
	}
	return nil
}

// Names lists the folder at path ("" for the root itself): the names in byte order, not to be changed.
// A folder is listed once and remembered. The error is an *Error; a missing folder is Missing, and what
// is no folder ParentNotDirectory.
func (r *Root) Names(path string) ([]string, error) {
	if _, err := filepath.Localize(path); path != "" && (err != nil || path == ".") {
		return nil, fault("", path, Unreadable, errNoPath)
	}
	if r == nil {
		return nil, fault("", path, Missing, nil)
	}
	r.mu.Lock()
	known, ok := r.names[path]
	r.mu.Unlock()
	if ok {
		return known, nil
	}
	names, ok := r.quick.names(path)
	if !ok {
		f, err := r.acquire(lockv2.Destination(path), path)
		if err != nil {
			return nil, err
		}
		defer r.release(f)
		names, err = list(f.dir)
		if err != nil {
			return nil, fault(lockv2.Destination(path), path, lookReason(err), err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[path] = names
	return names, nil
}

func list(dir *os.Root) ([]string, error) {
	file, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	names, err := file.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}
