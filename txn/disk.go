package txn

import (
	"context"
	"errors"
	"io"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// disk is a target as a transaction sees it. Paths are "/"-separated and below the root; "" is the root. No call
// follows a symlink, at the end or on the way. Errors answer to errors.Is with fs.ErrExist, fs.ErrNotExist and
// the errno of the system. Calls may run at once.
//
// What the calls promise about a crash is what docs/transaction.md argues from, and what an in-memory twin must model.
type disk interface {
	names
	flush
	look
}

// closingDisk is a disk that holds descriptors.
type closingDisk interface {
	disk
	Close()
}

// names changes entries of folders. After a crash each change has happened or not, in any order, until its
// folder is flushed.
type names interface {
	// Mkdir makes a folder, 0777 before umask; fs.ErrExist where anything stands there.
	Mkdir(path string) error

	// Create makes a file, 0755 or 0644 before umask, and opens it for writing; fs.ErrExist where anything
	// stands there. After a crash it has any part of its bytes, until it is flushed.
	Create(path string, executable bool) (file, error)

	// Install gives a file another name; fs.ErrExist, and nothing is changed, where anything has it. After a
	// crash one of the names is there, or, where the system knows no such rename, both.
	Install(from, to string) error

	// Exchange makes two files swap their names; fs.ErrNotExist where one is missing, errors.ErrUnsupported, and nothing is
	// changed, where the system can't. At no time is one of the names without a file. After a crash both have
	// changed or neither, so that neither file is without a name.
	Exchange(a, b string) error

	// Replace gives a file another name, and whatever file had that one has none any more. At no time is the new name
	// without a file. After a crash one of the names is there, or both for the same file; what the
	// new name had before is there until it is given away, never a part of either.
	Replace(from, to string) error

	// Unnamed makes a file without a name, 0644 before umask, in the file system of the folder, and opens it for writing;
	// errors.ErrUnsupported where the system can't. After a crash nothing is left of it.
	Unnamed(folder string) (file, error)

	// Link gives a file that Unnamed made for the folder of path its first name; fs.ErrExist where anything stands there,
	// errors.ErrUnsupported where the system can't. After a crash the name is there or not, and what was flushed before is there with it.
	Link(f file, path string) error

	// SetAttributes gives a regular file these attributes, as file.Take does. After a crash it has them or not,
	// until it is flushed.
	SetAttributes(path string, a attributes) error

	// Unlink removes what is no folder, Rmdir an empty folder.
	Unlink(path string) error
	Rmdir(path string) error
}

// flush makes things durable. An error means that they are not, and a second call that succeeds does not
// change that: what was to be flushed is written again.
type flush interface {
	// SyncFile flushes the bytes of a regular file.
	SyncFile(path string) error

	// SyncFolder flushes the entries of a folder; errNoFolderSync where the file system can't.
	SyncFolder(path string) error

	// SyncAll flushes everything on the target's file system, files without a name too. Bulk returns nil where its answer is to be trusted as that
	// of an fsync of each file and folder, else why not.
	SyncAll() error
	Bulk() error
}

// look reads what is there now.
type look interface {
	// Forget makes every later call find its folders anew, in case another program put others in their place.
	Forget()

	// Digest reads a regular file; the error is a *rootfs.Error or ctx's.
	Digest(ctx context.Context, d lockv2.Destination, buf []byte) (rootfs.Sum, error)

	// Look is Digest, and Attributes of the same file, in one look.
	Look(ctx context.Context, d lockv2.Destination, buf []byte) (rootfs.Sum, attributes, error)

	// ReadFile returns the bytes of a regular file of at most limit bytes; the error is a *rootfs.Error.
	ReadFile(d lockv2.Destination, limit int64) ([]byte, error)

	// Attributes returns what a file that takes the place of this regular file keeps of it; the error is a *rootfs.Error.
	Attributes(d lockv2.Destination) (attributes, error)

	// List returns the names in a folder, in any order: so many at most, or all for -1.
	List(path string, most int) ([]string, error)

	// Writable returns nil where this process may put entries into the folder, and files can be moved there from staging.
	Writable(path string) error

	// Changeable returns nil where the folder of path, which Writable is asked about, lets this process take that entry out.
	Changeable(path string) error
}

// file is a new file that is being written.
type file interface {
	io.Writer

	// Take gives the file this mode, and this owner and group, as far as the process may. After a
	// crash it has them or not, until it is flushed.
	Take(a attributes) error

	Sync() error // as flush.SyncFile, and sees errors of every write since the file was made
	Close() error
}

// errNoFolderSync says that a file system has no fsync for folders.
var errNoFolderSync = errors.New("this file system can't flush folders")

// split returns the folder of path ("" for the root) and its last name.
func split(path string) (folder, name string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}
