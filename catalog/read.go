package catalog

import (
	"context"
	"errors"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
)

// Content is the bytes of a copied material in the hands of a visitor of ReadMaterials.
type Content = gitrepo.BlobContent

// ReadMaterials reads many copied materials of c: it calls visit for each with its index and its bytes, or why they can't be read (the
// errors of OpenMaterial). The calls come from all cores at once, in an order that suits the source. The error is that of
// the lowest index whose visitor returned one, or ctx's.
func (c *Catalog) ReadMaterials(ctx context.Context, materials []*Material, visit func(i int, content *Content, err error) error) error {
	ids := make([]gitrepo.ID, len(materials))
	for i, m := range materials {
		ids[i] = m.Blob
	}
	return c.source.repo.Blobs(ctx, ids, MaxMaterial, func(i int, content *Content, err error) error {
		if err != nil {
			err = c.materialFault(ctx, materials[i], err)
		}
		return visit(i, content, err)
	})
}

// materialFault names the material whose blob can't be opened.
func (c *Catalog) materialFault(ctx context.Context, m *Material, err error) error {
	if coded := diag.Coded(nil); errors.As(err, &coded) && coded.Code() == CodeSourceTooLarge {
		return c.tooLarge(ctx, m, err)
	}
	return unreadable(m.path, err)
}
