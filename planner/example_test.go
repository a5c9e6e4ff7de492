package planner_test

import (
	"context"
	"fmt"
	"log"

	"example.org/compose/catalog"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// A plan for a target that is not there yet, from the catalog in the binary.
func ExampleInitial() {
	ctx := context.Background()
	source, err := catalog.Open(ctx, "builtin:starter", "")
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	cat, err := catalog.Load(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	choice, err := resolver.FromSelection("skill", nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	composition, err := planner.Materialize(ctx, cat, cat.Repository, choice)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := planner.Initial(ctx, composition, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, action := range plan.Actions {
		if action.Material.Destination == "SKILL.md" {
			fmt.Println(action.Kind, action.Material.Destination, action.Material.Ownership)
		}
	}
	fmt.Println(len(plan.Conflicts), "conflicts")
	// Output:
	// create SKILL.md seed
	// 0 conflicts
}
