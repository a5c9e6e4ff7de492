package planner

import (
	"context"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

// CheckRecipes returns why recipes of cat can't be composed as they are, with their required and default components and
// no others: by recipe, and then in the order in which a plan looks. It is what catalog.Check can't see, because several
// components are needed for it.
//
// The path of each error is the recipe's file; its code is that of the plan that would fail: COMPONENT_CONFLICT,
// MULTIPLE_TOPOLOGY_COMPONENTS, MULTIPLE_WORKSPACE_COMPONENTS, SOURCE_TOO_LARGE for too many materials,
// DESTINATION_COLLISION of two components, DUPLICATE_CONTRACT_REGISTRATION. What two components that can't be together
// have in common is left out, and so is what Check reports of one component alone. Parameters are not looked at: a recipe
// may ask for some. No material is read. The error is ctx's.
func CheckRecipes(ctx context.Context, cat *catalog.Catalog) ([]*Error, error) {
	found := make([][]*Error, len(cat.Recipes))
	err := rootfs.Each(ctx, len(cat.Recipes), func(i int, _ []byte) {
		found[i] = checkRecipe(cat, cat.Recipes[i])
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

func checkRecipe(cat *catalog.Catalog, recipe *catalog.Recipe) []*Error {
	var all []*Error
	add := func(code string, involved []lockv2.ComponentID, cause error) {
		all = append(all, &Error{Components: involved, Base: diag.Wrap(code, "recipes/"+string(recipe.ID)+".json", "can't be composed as it is", cause)})
	}
	ids, apart := resolver.CheckRecipe(cat, recipe)
	for _, e := range apart {
		add(e.Code(), e.Components, e)
	}
	components := componentsOf(cat, ids)
	materials, err := collect(components)
	if err != nil {
		add(CodeSourceTooLarge, nil, err)
		return all
	}
	destinations := make([]lockv2.Destination, len(materials))
	for i := range materials {
		destinations[i] = materials[i].Destination
	}
	for _, c := range lockv2.Collisions(destinations) {
		first, second := materials[c.First].Component, materials[c.Second].Component
		if first != second && !together(apart, first, second) {
			e := collisionFault(materials, destinations, c)
			add(e.Code(), e.Components, e)
		}
	}
	_, twice := collectRegistrations(components)
	for _, e := range twice {
		if len(e.Components) == 1 || !together(apart, e.Components[0], e.Components[1]) {
			add(e.Code(), e.Components, e)
		}
	}
	return all
}

// together reports whether one of the faults is about both components.
func together(faults []*resolver.Error, a, b lockv2.ComponentID) bool {
	return slices.ContainsFunc(faults, func(e *resolver.Error) bool {
		return slices.Contains(e.Components, a) && slices.Contains(e.Components, b)
	})
}

// componentsOf returns the components of these ids, which cat has.
func componentsOf(cat *catalog.Catalog, ids []lockv2.ComponentID) []*catalog.Component {
	components := make([]*catalog.Component, len(ids))
	for i, id := range ids {
		components[i] = cat.Component(id)
	}
	return components
}
