package txn

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// The calls of disk on a memory, without those that only pass on. Modes are before a umask of 022.

func (m *memory) mkdir(path string) error {
	at, err := m.walk(path)
	if err == nil && at.folder.entries[at.name] != nil {
		err = syscall.EEXIST
	}
	if err != nil {
		return err
	}
	m.record(nil, write{at, newFolder()})
	return nil
}

func (m *memory) create(path string, executable bool) (*inode, error) {
	at, err := m.walk(path)
	if err == nil && at.folder.entries[at.name] != nil {
		err = syscall.EEXIST
	}
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	f := &inode{now: content{"", mode}, dirty: true}
	m.record(nil, write{at, f})
	return f, nil
}

func (m *memory) install(from, to string) error {
	old, moved, name, err := m.pair(from, to)
	if err != nil {
		return err
	}
	if name.folder.entries[name.name] != nil {
		return syscall.EEXIST
	}
	if within(to, from) {
		return syscall.EINVAL
	}
	if !m.linkInstall {
		m.record(nil, write{old, nil}, write{name, moved})
		return nil
	}
	m.record(nil, write{name, moved})
	m.record(nil, write{old, nil})
	return nil
}

// pair looks up the two names of a rename.
func (m *memory) pair(from, to string) (old slot, moved *inode, name slot, err error) {
	if old, err = m.walk(from); err != nil {
		return
	}
	if name, err = m.walk(to); err != nil {
		return
	}
	if moved = old.folder.entries[old.name]; moved == nil {
		err = syscall.ENOENT
	}
	return
}

// within reports whether a path lies below a folder, which can't be moved into itself.
func within(path, folder string) bool { return strings.HasPrefix(path, folder+"/") }

func (m *memory) exchange(a, b string) error {
	if m.noExchange {
		return errors.ErrUnsupported
	}
	first, f, second, err := m.pair(a, b)
	if err != nil {
		return err
	}
	g := second.folder.entries[second.name]
	switch {
	case g == nil:
		return syscall.ENOENT
	case within(a, b), within(b, a):
		return syscall.EINVAL
	case f == g:
		return nil
	}
	m.record(nil, write{first, g}, write{second, f})
	return nil
}

func (m *memory) replace(from, to string) error {
	old, moved, name, err := m.pair(from, to)
	if err != nil {
		return err
	}
	switch there := name.folder.entries[name.name]; {
	case within(to, from):
		return syscall.EINVAL
	case within(from, to):
		return syscall.ENOTEMPTY
	case there == moved:
		return nil // rename(2) leaves two names of one file alone
	case there != nil && there.kind == fs.ModeDir && moved.kind != fs.ModeDir:
		return syscall.EISDIR
	case there != nil && there.kind != fs.ModeDir && moved.kind == fs.ModeDir:
		return syscall.ENOTDIR
	case there != nil && len(there.entries) > 0:
		return syscall.ENOTEMPTY
	}
	m.record(nil, write{old, nil}, write{name, moved})
	return nil
}

func (m *memory) nameless(folder string) (*inode, error) {
	if m.noUnnamed {
		return nil, errors.ErrUnsupported
	}
	if _, err := m.folder(folder); err != nil {
		return nil, err
	}
	f := &inode{now: content{"", 0o644}, dirty: true}
	m.unnamed = append(m.unnamed, f)
	return f, nil
}

func (m *memory) link(f *inode, path string) error {
	at, err := m.walk(path)
	if err == nil && at.folder.entries[at.name] != nil {
		err = syscall.EEXIST
	}
	if err != nil {
		return err
	}
	m.record(nil, write{at, f})
	return nil
}

// publish is what becomes of a draft.
func (m *memory) publish(path string, b []byte) error {
	folder, _ := split(path)
	f, err := m.nameless(folder)
	if err != nil {
		return err
	}
	f.now.text = string(b)
	f.keep()
	return m.link(f, path)
}

func (m *memory) unlink(path string) error {
	at, err := m.walk(path)
	if err != nil {
		return err
	}
	switch f := at.folder.entries[at.name]; {
	case f == nil:
		return syscall.ENOENT
	case f.kind == fs.ModeDir:
		return syscall.EISDIR
	}
	m.record(nil, write{at, nil})
	return nil
}

func (m *memory) rmdir(path string) error {
	at, err := m.walk(path)
	if err != nil {
		return err
	}
	f := at.folder.entries[at.name]
	switch {
	case f == nil:
		return syscall.ENOENT
	case f.kind != fs.ModeDir:
		return syscall.ENOTDIR
	case len(f.entries) > 0:
		return syscall.ENOTEMPTY
	}
	m.record(f, write{at, nil})
	return nil
}

// sync flushes a file.
func (f *inode) sync() {
	if f.dirty {
		f.keep()
	}
}

// lose is what a failed flush of a file leaves.
func (f *inode) lose() {
	if f.dirty {
		f.dirty, f.lost = false, true
	}
}

func (m *memory) syncFile(path string) error {
	f, err := m.lookup(path)
	switch {
	case err != nil:
		return err
	case f.kind == fs.ModeSymlink:
		return syscall.ELOOP
	}
	f.sync()
	return nil
}

func (m *memory) syncFolder(path string) error {
	folder, err := m.folder(path)
	if err != nil {
		return err
	}
	if m.noFolderSync {
		return errNoFolderSync
	}
	m.flush(folder)
	return nil
}

func (m *memory) syncAll() error {
	m.files((*inode).sync)
	for _, c := range m.changes {
		if !c.dropped {
			c.flush()
		}
	}
	m.settle()
	return nil
}

// files calls visit for every file that has a name, or may get its first.
func (m *memory) files(visit func(*inode)) {
	var walk func(*inode)
	walk = func(folder *inode) {
		for _, f := range folder.entries {
			switch f.kind {
			case 0:
				visit(f)
			case fs.ModeDir:
				walk(f)
			}
		}
	}
	walk(m.root)
	for _, f := range m.unnamed {
		visit(f)
	}
}

// look returns the regular file at a destination.
func (m *memory) look(d lockv2.Destination) (*inode, error) {
	f, err := m.lookup(string(d))
	reason := rootfs.Reason("")
	switch {
	case errors.Is(err, syscall.ENOENT):
		reason = rootfs.Missing
	case err != nil:
		reason = rootfs.ParentNotDirectory
	case f.kind == fs.ModeDir:
		reason = rootfs.IsDirectory
	case f.kind == fs.ModeSymlink:
		reason = rootfs.Symlink
	default:
		return f, nil
	}
	return nil, &rootfs.Error{Destination: d, At: string(d), Reason: reason}
}

func (m *memory) digest(d lockv2.Destination) (rootfs.Sum, error) {
	f, err := m.look(d)
	if err != nil {
		return rootfs.Sum{}, err
	}
	return rootfs.Sum{Digest: sha256.Sum256([]byte(f.now.text)), Size: int64(len(f.now.text))}, nil
}

func (m *memory) readFile(d lockv2.Destination, limit int64) ([]byte, error) {
	f, err := m.look(d)
	if err != nil {
		return nil, err
	}
	if int64(len(f.now.text)) > limit {
		return nil, &rootfs.Error{Destination: d, At: string(d), Reason: rootfs.TooLarge}
	}
	return []byte(f.now.text), nil
}

func (m *memory) attributes(d lockv2.Destination) (attributes, error) {
	f, err := m.look(d)
	if err != nil {
		return attributes{}, err
	}
	return attributes{mode: f.now.mode, uid: -1, gid: -1}, nil
}

func (m *memory) list(path string, most int) ([]string, error) {
	folder, err := m.folder(path)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(folder.entries))
	if most >= 0 {
		names = names[:min(most, len(names))]
	}
	return names, nil
}

func (m *memory) writable(path string) error {
	_, err := m.folder(path)
	return err
}
