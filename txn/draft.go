package txn

import (
	"errors"
	"io/fs"

	"example.org/compose/lockv2"
)

// draft is a file that is to appear at its path whole and with no other name before: it is written, then flushed with whatever else is, then
// published. Where the system has no files without a name it is nothing until then, and waits in staging for an instant.
type draft struct {
	disk disk
	path string
	text []byte
	file file // nil where there are no such files
}

// draft writes a file that is to appear at path. The caller closes it.
func (c *composer) draft(path string, text []byte) (*draft, error) {
	folder, _ := split(path)
	d := &draft{disk: c.disk, path: path, text: text}
	f, err := c.disk.Unnamed(folder)
	if errors.Is(err, errors.ErrUnsupported) {
		return d, nil
	}
	if err == nil {
		d.file = f
		_, err = f.Write(text)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// flush makes the bytes durable.
func (d *draft) flush() error {
	if d.file == nil {
		return nil
	}
	return d.file.Sync()
}

// close lets go of what was not published. Nothing depends on its error: the bytes are flushed, or not needed.
func (d *draft) close() {
	if d != nil && d.file != nil {
		_ = d.file.Close()
		d.file = nil
	}
}

// publishDraft gives the draft, which is flushed, its name; fs.ErrExist where anything stands there. It says whether the file waited in staging,
// as the name staged, before.
func (c *composer) publishDraft(d *draft, staged string) (waited bool, err error) {
	defer d.close()
	err = errors.ErrUnsupported
	if d.file != nil {
		err = c.disk.Link(d.file, d.path)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return false, err
	}
	return true, c.publishStaged(staged, d.path, d.text)
}

// publishStaged is for systems that have no files without a name: the file waits in staging.
func (c *composer) publishStaged(staged, path string, b []byte) error {
	if err := c.disk.Mkdir(lockv2.StagingFolder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := c.writeStaged(staged, b, nil, true); err != nil {
		return err
	}
	return c.disk.Install(staged, path)
}
