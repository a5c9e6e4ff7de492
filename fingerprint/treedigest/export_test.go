package treedigest

import "context"

// ListThenRead lists the tree, calls between, and reads what was listed.
func (t *Tree) ListThenRead(ctx context.Context, between func()) error {
	files, err := t.list(ctx)
	if err != nil {
		return err
	}
	between()
	return t.read(ctx, files, func(*file, bool, []byte) {})
}
