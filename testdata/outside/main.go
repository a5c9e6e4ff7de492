// Command outside is a program of another module that composes a target through the public packages alone.
package main

import (
	"context"
	"fmt"
	"os"

	"example.org/compose/catalog"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/txn"
	"example.org/compose/validator"
)

func main() {
	if err := compose(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func compose(ctx context.Context, recipe, path string) error {
	config, err := resolver.FromSelection(recipe, nil, nil)
	if err != nil {
		return err
	}
	source, err := catalog.Open(ctx, "builtin:starter", "")
	if err != nil {
		return err
	}
	defer source.Close()
	cat, err := catalog.Load(ctx, source)
	if err != nil {
		return err
	}
	identity, err := cat.Identity("")
	if err != nil {
		return err
	}
	made, err := planner.Materialize(ctx, cat, identity, config)
	if err != nil {
		return err
	}
	target, err := txn.Hold(ctx, path, 0)
	if err != nil {
		return err
	}
	defer target.Close()
	result, err := target.Initial(ctx, func(ctx context.Context, root *planner.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, made, root)
	}, txn.Options{})
	if err != nil {
		return err
	}
	report, err := validator.Validate(ctx, path)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s: %d files\n%s", result.Status, report.State, len(result.Created), planner.EncodeJSON(report.Document()))
	return nil
}
