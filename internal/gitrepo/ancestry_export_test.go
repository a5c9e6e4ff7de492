package gitrepo

// CommitGraph returns how many commits the commit-graph has, and whether its levels are all known.
func (r *Repository) CommitGraph() (commits int, leveled bool) {
	g := r.loadCommitGraph()
	if g == nil {
		return 0, false
	}
	return len(g.first), g.levels
}
