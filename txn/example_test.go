package txn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.org/compose/catalog"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
	"example.org/compose/resolver"
	"example.org/compose/txn"
)

// A first composition from the catalog in the binary.
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
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	plan := func(ctx context.Context, root *rootfs.Root) (*planner.InitialPlan, error) {
		return planner.Initial(ctx, composition, root)
	}
	result, err := txn.Initial(ctx, filepath.Join(folder, "my-skill"), plan, txn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, len(result.Created) == len(composition.Materials), len(result.Adopted))
	// Output:
	// applied true 0
}
