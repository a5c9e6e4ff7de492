package catalog

import (
	"context"

	"example.org/compose/lockv2"
)

// CheckSuccessor returns nil where a target that was composed from old may move on to the bound revision: the source is
// the same one, and the revision is old's or descends from it. identity is the source's own, as Identity gave it.
//
// Errors: SOURCE_IDENTITY_MISMATCH, and those of Source.CheckDescends.
func (c *Catalog) CheckSuccessor(ctx context.Context, identity string, old lockv2.Source) error {
	if identity != old.Repository {
		return fault(CodeSourceIdentityMismatch, "", "", "the target was composed from %q, and the source is %q; name that catalog with --source", old.Repository, identity)
	}
	return c.source.CheckDescends(ctx, old.Revision)
}
