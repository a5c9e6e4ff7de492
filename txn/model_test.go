package txn

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// memory is a target on a disk in memory that knows what is durable and what is only cached:
//
//   - The bytes and the mode of a file are durable after a flush of the file. Before that a power failure leaves
//     nothing of them, a part, as many zeros, all of them, or what was flushed before.
//   - The entries of a folder are durable after a flush of the folder. Before that each change has happened or not,
//     whatever the other ones did. A rename or an exchange is one change, and a flush of either folder makes it durable;
//     with strict, only flushes of both.
//   - A change needs those that were made to the same names before it, and the folders in which it is made: where
//     a folder did not survive, nothing has happened in it. A removed folder was empty.
//   - A failed flush of a file marks its pages clean and loses them: a later flush finds nothing to do, and what is
//     on the disk stays unknown, until the file is written again. A failed flush of a folder leaves its changes
//     in the journal, where a later flush finds them; with forgetful, none ever does.
//
// Its methods are called one at a time.
type memory struct {
	root    *inode
	changes []*change  // not durable, in the order of the calls
	unnamed []*inode   // files that had no name when they were made; a power failure and a kill take those that have none
	looks   sync.Mutex // is held by who looks without a call of disk, so that the race detector knows what comes after it
	traits
}

// traits are what file systems differ in.
type traits struct {
	bulk         bool // SyncAll is to be trusted, and used
	noUnnamed    bool // no files without a name
	linkInstall  bool // a rename that never replaces is a link and an unlink
	noExchange   bool // nor does it exchange
	noFolderSync bool // folders can't be flushed, and need not be
	strict       bool
	forgetful    bool
	oneTorn      bool // of what an unflushed file may hold try a part alone: a digest tells it from the whole like zeros or nothing
}

// way is how a run on such a disk makes its files durable.
func (t traits) way() Flush {
	if t.bulk {
		return FlushSyncfs
	}
	return FlushFsync
}

// inode is a file, a folder or a symlink.
type inode struct {
	kind    fs.FileMode // 0, fs.ModeDir or fs.ModeSymlink
	now     content     // as programs see it
	kept    content     // as it was flushed last
	flushed bool        // kept is on the disk, unless dirty or lost
	dirty   bool        // now is to be written
	lost    bool        // it was, and that failed
	entries map[string]*inode
	stable  map[string]*inode // the entries on the disk
	namedBy *change           // gave the folder its name; nil once that is durable
}

type content struct {
	text string
	mode fs.FileMode
}

// slot is a name in a folder.
type slot struct {
	folder *inode
	name   string
}

// change is one change of names, not yet durable.
type change struct {
	writes   []write
	after    []*change // had to happen first: the same names, the folder made empty
	inside   []*change // made the folders that it is in
	unsynced []*inode  // folders whose flush it waits for
	flushed  bool      // it is durable as soon as what it needs is
	dropped  bool      // a flush of it failed, on a forgetful disk
	done     bool      // it is durable
}

type write struct {
	slot
	to *inode // nil: the name goes
}

func newMemory(t traits) *memory {
	return &memory{root: newFolder(), traits: t}
}

func newFolder() *inode {
	return &inode{kind: fs.ModeDir, entries: map[string]*inode{}, stable: map[string]*inode{}}
}

// put makes a file that is durable from the start, with the folders above it.
func (m *memory) put(path, text string, mode fs.FileMode) {
	folder := m.root
	parent, name := split(path)
	for segment := range strings.SplitSeq(parent, "/") {
		if segment == "" {
			continue
		}
		if folder.entries[segment] == nil {
			made := newFolder()
			folder.entries[segment], folder.stable[segment] = made, made
		}
		folder = folder.entries[segment]
	}
	f := &inode{now: content{text, mode}}
	f.keep()
	folder.entries[name], folder.stable[name] = f, f
}

// keep makes the bytes of a file durable.
func (f *inode) keep() { f.kept, f.flushed, f.dirty, f.lost = f.now, true, false, false }

// walk returns the folder of path and the last name.
func (m *memory) walk(path string) (slot, error) {
	parent, name := split(path)
	folder, err := m.folder(parent)
	return slot{folder, name}, err
}

// folder returns the folder at path.
func (m *memory) folder(path string) (*inode, error) {
	at := m.root
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			continue
		}
		next := at.entries[segment]
		switch {
		case next == nil:
			return nil, syscall.ENOENT
		case next.kind != fs.ModeDir:
			return nil, syscall.ENOTDIR
		}
		at = next
	}
	return at, nil
}

// lookup returns what stands at path.
func (m *memory) lookup(path string) (*inode, error) {
	if path == "" {
		return m.root, nil
	}
	at, err := m.walk(path)
	if err != nil {
		return nil, err
	}
	if found := at.folder.entries[at.name]; found != nil {
		return found, nil
	}
	return nil, syscall.ENOENT
}

// record makes a change of names in the cache. emptied is the folder that goes, if one does.
func (m *memory) record(emptied *inode, writes ...write) *change {
	c := &change{writes: writes}
	for _, w := range writes {
		if !slices.Contains(c.unsynced, w.folder) {
			c.unsynced = append(c.unsynced, w.folder)
		}
		if w.folder.namedBy != nil {
			c.inside = append(c.inside, w.folder.namedBy)
		}
	}
	for _, earlier := range m.changes {
		if slices.ContainsFunc(earlier.writes, func(e write) bool {
			return e.folder == emptied || slices.ContainsFunc(writes, func(w write) bool { return w.slot == e.slot })
		}) {
			c.after = append(c.after, earlier)
		}
	}
	for _, w := range writes {
		if w.to == nil {
			delete(w.folder.entries, w.name)
			continue
		}
		w.folder.entries[w.name] = w.to
		if w.to.kind == fs.ModeDir {
			w.to.namedBy = c
		}
	}
	m.changes = append(m.changes, c)
	return c
}

// flush makes what was changed in a folder durable.
func (m *memory) flush(folder *inode) {
	for _, c := range m.changes {
		if c.dropped || !slices.Contains(c.unsynced, folder) {
			continue
		}
		c.unsynced = slices.DeleteFunc(c.unsynced, func(f *inode) bool { return f == folder })
		if !m.strict || len(c.unsynced) == 0 {
			c.flush()
		}
	}
	m.settle()
}

// drop is what a failed flush of a folder leaves.
func (m *memory) drop(folder *inode) {
	for _, c := range m.changes {
		if m.forgetful && slices.Contains(c.unsynced, folder) {
			c.dropped = true
		}
	}
}

// flush says that c is durable as soon as it can be.
func (c *change) flush() {
	if c.flushed {
		return
	}
	c.flushed = true
	for _, earlier := range c.after {
		earlier.flush()
	}
}

// settle moves to the disk what is flushed and has all that it needs there.
func (m *memory) settle() {
	done := func(c *change) bool { return c.done }
	for _, c := range m.changes {
		if !c.flushed || slices.ContainsFunc(c.after, func(c *change) bool { return !c.done }) || slices.ContainsFunc(c.inside, func(c *change) bool { return !c.done }) {
			continue
		}
		c.done = true
		for _, w := range c.writes {
			if w.to == nil {
				delete(w.folder.stable, w.name)
				continue
			}
			w.folder.stable[w.name] = w.to
			if w.to.namedBy == c {
				w.to.namedBy = nil
			}
		}
	}
	m.changes = slices.DeleteFunc(m.changes, done)
	for _, c := range m.changes {
		c.after, c.inside = slices.DeleteFunc(c.after, done), slices.DeleteFunc(c.inside, done)
	}
}

// clone returns a copy that shares nothing which changes.
func (m *memory) clone() *memory {
	inodes, changes := map[*inode]*inode{nil: nil}, map[*change]*change{nil: nil}
	var copyChange func(*change) *change
	var copyInode func(*inode) *inode
	copyInode = func(from *inode) *inode {
		if to, known := inodes[from]; known {
			return to
		}
		to := *from
		inodes[from] = &to
		if from.kind == fs.ModeDir {
			to.entries, to.stable = make(map[string]*inode, len(from.entries)), make(map[string]*inode, len(from.stable))
			for name, f := range from.entries {
				to.entries[name] = copyInode(f)
			}
			for name, f := range from.stable {
				to.stable[name] = copyInode(f)
			}
		}
		to.namedBy = copyChange(from.namedBy)
		return &to
	}
	copyChange = func(from *change) *change {
		if to, known := changes[from]; known {
			return to
		}
		to := *from
		changes[from] = &to
		to.writes, to.after, to.inside, to.unsynced = nil, nil, nil, nil
		for _, w := range from.writes {
			to.writes = append(to.writes, write{slot{copyInode(w.folder), w.name}, copyInode(w.to)})
		}
		for _, c := range from.after {
			to.after = append(to.after, copyChange(c))
		}
		for _, c := range from.inside {
			to.inside = append(to.inside, copyChange(c))
		}
		for _, f := range from.unsynced {
			to.unsynced = append(to.unsynced, copyInode(f))
		}
		return &to
	}
	out := &memory{root: copyInode(m.root), traits: m.traits}
	for _, c := range m.changes {
		out.changes = append(out.changes, copyChange(c))
	}
	return out
}

// tree returns what programs see: "mode bytes" by path, "folder" for a folder, "link" for a symlink.
func (m *memory) tree() map[string]string {
	out := map[string]string{}
	var list func(prefix string, folder *inode)
	list = func(prefix string, folder *inode) {
		for name, f := range folder.entries {
			switch f.kind {
			case fs.ModeDir:
				out[prefix+name] = "folder"
				list(prefix+name+"/", f)
			case fs.ModeSymlink:
				out[prefix+name] = "link"
			default:
				out[prefix+name] = fmt.Sprintf("%v %s", f.now.mode, f.now.text)
			}
		}
	}
	list("", m.root)
	return out
}

// key returns a text that two memories share only where everything that will ever be seen of them is the same.
func (m *memory) key() string {
	k := keyWriter{seen: map[*inode]int{}, clean: len(m.changes) == 0}
	k.see(m.root)
	for _, c := range m.changes {
		k.flags('c', c.flushed, c.dropped)
		for _, w := range c.writes {
			k.see(w.folder)
			k.text(w.name)
			k.see(w.to)
		}
		k.b = append(k.b, '!')
		for _, f := range c.unsynced {
			k.see(f)
		}
	}
	return string(k.b)
}

type keyWriter struct {
	b     []byte
	seen  map[*inode]int
	clean bool // the disk holds what programs see
	names []string
}

func (k *keyWriter) text(s string) {
	k.b = append(strconv.AppendInt(k.b, int64(len(s)), 10), ':')
	k.b = append(k.b, s...)
}

func (k *keyWriter) flags(kind byte, flags ...bool) {
	k.b = append(k.b, kind)
	for _, f := range flags {
		k.b = strconv.AppendBool(k.b, f)
	}
}

func (k *keyWriter) see(f *inode) {
	if f == nil {
		k.b = append(k.b, '-')
		return
	}
	if i, known := k.seen[f]; known {
		k.b = append(strconv.AppendInt(append(k.b, '#'), int64(i), 10), ' ')
		return
	}
	k.seen[f] = len(k.seen)
	if f.kind == fs.ModeDir {
		k.list(f.entries)
		if !k.clean {
			k.list(f.stable)
		}
		return
	}
	k.flags(map[fs.FileMode]byte{0: 'f', fs.ModeSymlink: 'l'}[f.kind], f.dirty, f.lost, f.flushed)
	k.content(f.now)
	if f.dirty || f.lost {
		k.content(f.kept)
	}
}

func (k *keyWriter) content(c content) {
	k.b = strconv.AppendInt(k.b, int64(c.mode), 8)
	k.text(c.text)
}

func (k *keyWriter) list(entries map[string]*inode) {
	from := len(k.names)
	for name := range entries {
		k.names = append(k.names, name)
	}
	names := k.names[from:]
	slices.Sort(names)
	k.b = append(k.b, '{')
	for _, name := range names {
		k.text(name)
		k.see(entries[name])
	}
	k.b = append(k.b, '}')
	k.names = k.names[:from]
}
