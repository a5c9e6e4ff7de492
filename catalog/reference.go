package catalog

import (
	"example.org/compose/lockv2"
)

// checkOwnReferences finds components that name themselves, or the same one on both sides.
func (l *loader) checkOwnReferences() error {
	for _, c := range l.components {
		if c == nil {
			continue
		}
		required := make(map[lockv2.ComponentID]bool, len(c.Requires))
		for i, id := range c.Requires {
			required[id] = true
			if id == c.ID {
				l.fault(CodeInvalidComponent, c.file(), item("requires", i), "%q requires itself; take it out of the list", id)
			}
		}
		for i, id := range c.Conflicts {
			switch {
			case id == c.ID:
				l.fault(CodeInvalidComponent, c.file(), item("conflicts", i), "%q conflicts with itself; take it out of the list", id)
			case required[id]:
				l.fault(CodeInvalidComponent, c.file(), item("conflicts", i), "%q requires %q and conflicts with it; take it out of one of the lists", c.ID, id)
			}
		}
	}
	return nil
}

// checkReferences finds ids that the catalog does not list.
func (l *loader) checkReferences() error {
	known := func(id lockv2.ComponentID) bool { _, found := l.place[id]; return found }
	for _, c := range l.components {
		if c == nil {
			continue
		}
		for i, id := range c.Requires {
			if !known(id) {
				l.fault(CodeUnknownComponent, c.file(), item("requires", i), "%q requires %q, which the catalog does not have; correct the id, or add the component", c.ID, id)
			}
		}
		for i, id := range c.Conflicts {
			if !known(id) {
				l.fault(CodeUnknownComponent, c.file(), item("conflicts", i), "%q conflicts with %q, which the catalog does not have; correct the id, or take it out", c.ID, id)
			}
		}
	}
	for _, r := range l.recipes {
		if r == nil {
			continue
		}
		for _, list := range r.lists() {
			for i, id := range list.ids {
				if !known(id) {
					l.fault(CodeUnknownComponent, r.file(), item(list.name, i), "the recipe %q names %q, which the catalog does not have; correct the id, or add the component", r.ID, id)
				}
			}
		}
	}
	return nil
}

// checkGenericDependencies keeps components that are no artifacts free of artifacts, so that any recipe can use them.
func (l *loader) checkGenericDependencies() error {
	return l.eachReference(func(c *Component, verb, pointer string, id lockv2.ComponentID) {
		if c.ID.Role() != lockv2.Artifact && id.Role() == lockv2.Artifact {
			l.fault(CodeGenericArtifactDependency, c.file(), pointer, "%q %s the artifact %q; only artifacts may: let the artifact name %[1]q instead", c.ID, verb, id)
		}
	})
}

// checkTopologyDependencies keeps artifacts free of topologies and workspaces, which are a consumer's choice.
func (l *loader) checkTopologyDependencies() error {
	return l.eachReference(func(c *Component, verb, pointer string, id lockv2.ComponentID) {
		if c.ID.Role() == lockv2.Artifact && (id.Role() == lockv2.Topology || id.Role() == lockv2.Workspace) {
			l.fault(CodeArtifactTopologyDependency, c.file(), pointer, "the artifact %q %s %q; an artifact leaves topology and workspace open: offer it in recipes instead", c.ID, verb, id)
		}
	})
}

// eachReference calls visit for each entry of requires and conflicts, by component.
func (l *loader) eachReference(visit func(c *Component, verb, pointer string, id lockv2.ComponentID)) error {
	for _, c := range l.components {
		if c == nil {
			continue
		}
		for i, id := range c.Requires {
			visit(c, "requires", item("requires", i), id)
		}
		for i, id := range c.Conflicts {
			visit(c, "conflicts with", item("conflicts", i), id)
		}
	}
	return l.ctx.Err()
}

// checkRecipes looks at what each recipe selects by itself.
func (l *loader) checkRecipes() error {
	for _, r := range l.recipes {
		if r == nil {
			continue
		}
		if r.Artifact.Role() != lockv2.Artifact {
			l.fault(CodeInvalidRecipe, r.file(), "/artifact", "%q is no artifact; name a component whose id begins with \"artifact.\"", r.Artifact)
		} else if _, found := l.place[r.Artifact]; !found {
			l.fault(CodeInvalidRecipe, r.file(), "/artifact", "the catalog does not have %q; correct the id, or add the component", r.Artifact)
		}
		for _, role := range [...]lockv2.Role{lockv2.Topology, lockv2.Workspace} {
			var first lockv2.ComponentID
			told := map[lockv2.ComponentID]bool{} // one that stands in two lists is a fault of its own
			for _, list := range r.lists()[:2] {  // required and default: what is selected together
				for i, id := range list.ids {
					switch {
					case id.Role() != role || told[id]:
					case first == "":
						first, told[id] = id, true
					default:
						told[id] = true
						l.fault(CodeInvalidRecipe, r.file(), item(list.name, i), "%q is a second %s beside %q; a recipe selects at most one: make the others optional", id, role, first)
					}
				}
			}
		}
	}
	return nil
}
