package catalog

import (
	"context"

	"example.org/compose/internal/gitrepo"
)

// Path returns where the descriptor stands, from the top of the source.
func (c *Component) Path() string { return c.file() }

// Path returns where the material's own source stands, from the top of the source; "" for a generated material.
func (m *Material) Path() string { return m.path }

// Repository returns the repository of the source, to look at its history. It is closed with the source.
func (s *Source) Repository() *gitrepo.Repository { return s.repo }

// Load loads the whole catalog of the earlier revision, with the errors of package catalog's Load. It can be used as long
// as the later one.
func (e *Earlier) Load(ctx context.Context) (*Catalog, error) {
	return Load(ctx, e.loader.catalog.source)
}
