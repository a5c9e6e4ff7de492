package validator

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// checkFile looks at one file of a lock. nil: it is what the lock says, or ctx ended.
func checkFile(ctx context.Context, root *rootfs.Root, f *lockv2.File, buf []byte) *Fault {
	if f.Ownership == lockv2.Seed {
		return checkSeed(root, f)
	}
	sum, err := root.Digest(ctx, f.Destination, buf)
	if err == nil && sum.Digest == f.Digest {
		return nil
	}
	if err == nil {
		// Only a file that differs is read twice.
		sum, err = root.DigestLF(ctx, f.Destination, buf)
	}
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return unreadable(f, err)
	case sum.Digest == f.Digest:
		return nil // written in between: it is right now
	}
	return modified(f, sum)
}

// checkSeed asks that the file is there; its bytes are the consumer's.
func checkSeed(root *rootfs.Root, f *lockv2.File) *Fault {
	info, err := root.Stat(f.Destination)
	if err != nil {
		return unreadable(f, err)
	}
	if reason := rootfs.KindReason(info.Mode()); reason != "" {
		return unreadable(f, &rootfs.Error{Destination: f.Destination, At: string(f.Destination), Reason: reason})
	}
	return nil
}

func modified(f *lockv2.File, sum rootfs.Sum) *Fault {
	fault := &Fault{
		Code: CodeMaterialModified, Destination: f.Destination,
		Expected: f.Digest.String(), Actual: sum.Digest.String(), LineEndingsOnly: sum.LF == f.Digest,
	}
	switch {
	case fault.LineEndingsOnly:
		// .gitattributes may be a managed file itself, so this advice stays clear of it.
		fault.Message = fmt.Sprintf("only line endings differ from what the lock records (CRLF instead of LF): run git config core.autocrlf false, delete the file, and run git checkout -- %s; where it comes back with CRLF, put the line \"%s -text\" into .git/info/attributes and do that again",
			f.Destination, f.Destination)
	case f.Ownership == lockv2.Generated:
		fault.Message = "its bytes are not those that the lock records; compose generates it: restore it from version control, and change what it is made from"
	default:
		fault.Message = "its bytes are not those that the lock records; the catalog owns a managed file: restore it from version control, and make the change in the catalog"
	}
	return fault
}

// unreadable tells a file that is not there, or is no regular file, from one that can't be read.
func unreadable(f *lockv2.File, err error) *Fault {
	fault := &Fault{Code: CodeReadFailed, Destination: f.Destination}
	var e *rootfs.Error
	if !errors.As(err, &e) {
		fault.Message = "can't be read: " + err.Error()
		return fault
	}
	switch e.Reason {
	case rootfs.Missing, rootfs.ParentNotDirectory:
		fault.Code = CodeMaterialMissing
		fault.Message = "is not there: restore it from version control"
		if f.Ownership == lockv2.Seed {
			fault.Message = "is not there: restore it from version control or write it anew; it is a seed, so its contents are yours, but it must exist"
		}
		if e.Reason == rootfs.ParentNotDirectory {
			fault.Message = fmt.Sprintf("is not there, because %q is no folder: move that away, and restore the file from version control", e.At)
		}
	case rootfs.Symlink:
		fault.Code = CodeMaterialSymlink
		fault.Message = "is a symlink, and compose follows none: put the file itself in its place"
		if e.At != string(f.Destination) {
			fault.Message = fmt.Sprintf("lies below %q, which is a symlink, and compose follows none: put the folder itself in its place", e.At)
		}
	case rootfs.IsDirectory, rootfs.NotRegular:
		fault.Code = CodeMaterialNotRegular
		fault.Message = e.Message() + ", and restore the file from version control"
	case rootfs.Unreadable:
		fault.Message = e.Message() + ": make it readable, then validate again"
		if e.At != string(f.Destination) {
			fault.Message = fmt.Sprintf("its folder %q %s", e.At, fault.Message)
		}
	default:
		fault.Message = e.Message()
	}
	return fault
}
