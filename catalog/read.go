package catalog

import (
	"context"
	"errors"
	"io"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
)

// Content is the bytes of a copied material in the hands of a visitor of ReadMaterials. It is valid until the visitor returns.
type Content struct {
	blob *gitrepo.BlobContent
	path string
}

// WriteTo writes the bytes to w. What was written counts only when the error is nil; then it is one of OpenMaterial or of w.
func (c *Content) WriteTo(w io.Writer) (int64, error) {
	if c.blob.Bytes != nil {
		return c.blob.WriteTo(w)
	}
	out := outlet{w: w}
	n, err := c.blob.WriteTo(&out)
	if err != nil && out.err == nil {
		err = unreadable(c.path, err)
	}
	return n, err
}

// outlet tells an error of its writer from one of what is written.
type outlet struct {
	w   io.Writer
	err error
}

func (o *outlet) Write(b []byte) (n int, err error) {
	n, o.err = o.w.Write(b)
	return n, o.err
}

// ReadMaterials reads many copied materials of c: it calls visit for each with its index and its bytes, or why they can't be read (the
// errors of OpenMaterial). The calls come from all cores at once, in an order that suits the source. The error is that of
// the lowest index whose visitor returned one, or ctx's.
func (c *Catalog) ReadMaterials(ctx context.Context, materials []*Material, visit func(i int, content *Content, err error) error) error {
	ids := make([]gitrepo.ID, len(materials))
	for i, m := range materials {
		ids[i] = m.Blob
	}
	return c.source.repo.Blobs(ctx, ids, MaxMaterial, func(i int, blob *gitrepo.BlobContent, err error) error {
		if err != nil {
			return visit(i, nil, c.materialFault(ctx, materials[i], err))
		}
		return visit(i, &Content{blob, materials[i].path}, nil)
	})
}

// materialFault names the material whose blob can't be opened.
func (c *Catalog) materialFault(ctx context.Context, m *Material, err error) error {
	if coded := diag.Coded(nil); errors.As(err, &coded) && coded.Code() == CodeSourceTooLarge {
		return c.tooLarge(ctx, m, err)
	}
	return unreadable(m.path, err)
}
