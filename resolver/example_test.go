package resolver_test

import (
	"context"
	"fmt"
	"log"

	"example.org/compose/catalog"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
)

func Example() {
	c := exampleCatalog()
	config, err := resolver.FromSelection("skill", []string{"capability.mcp"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ids, err := resolver.Resolve(c, config)
	if err != nil {
		fmt.Println(err) // a *resolver.Error, with a code and often a hint
		return
	}
	for _, id := range ids {
		if id.Role() == lockv2.Artifact || id.Role() == lockv2.Capability {
			fmt.Println(id)
		}
	}
	// Output:
	// artifact.skill-core
	// capability.mcp
}

// exampleCatalog loads the catalog inside the binary.
func exampleCatalog() *catalog.Catalog {
	ctx := context.Background()
	source, err := catalog.Open(ctx, "builtin:starter", "")
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	c, err := catalog.Load(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	return c
}
