package lockv2_test

import (
	"fmt"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

func Example() {
	l := &lockv2.Lock{
		Source: lockv2.Source{Repository: "example-org/templates", Revision: "0123456789abcdef0123456789abcdef01234567"},
		Intent: lockv2.Intent{Recipe: "skill", Parameters: strictjson.Obj()},
		Components: []lockv2.Component{{
			ID: "artifact.skill-core", Version: 1, Digest: fingerprint.Of[fingerprint.Descriptor]([]byte("{}\n")),
		}},
		Files: []lockv2.File{{
			Destination: "SKILL.md", Component: "artifact.skill-core", Ownership: lockv2.Seed,
			Digest: fingerprint.Of[fingerprint.Material]([]byte("# A skill\n")),
		}},
	}
	b, err := lockv2.Encode(l)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := lockv2.Parse(b)
	fmt.Println(again.Files[0].Destination, again.Files[0].Ownership, err)
	fmt.Println(lockv2.CompositionAlgorithm, again.Composition() == l.Composition())

	l.Files[0].Destination = "../SKILL.md"
	_, err = lockv2.Encode(l)
	fmt.Println(err)
	// Output:
	// SKILL.md seed <nil>
	// compose/lock-manifest/v1 true
	// /files/0/destination: "../SKILL.md": segment ".." is not a name
}
