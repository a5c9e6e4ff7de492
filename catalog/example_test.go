package catalog_test

import (
	"context"
	"fmt"
	"log"

	"example.org/compose/catalog"
)

func Example() {
	ctx := context.Background()
	source, err := catalog.Open(ctx, "builtin:starter", "")
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	c, err := catalog.Load(ctx, source)
	if err != nil {
		log.Fatal(err) // a *catalog.Error: the first fault, with its code and place
	}
	for _, r := range c.Recipes {
		fmt.Println(r.ID, "is built around", r.Artifact)
	}
	// Output:
	// service is built around artifact.service-core
	// skill is built around artifact.skill-core
}
