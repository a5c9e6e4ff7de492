package planner_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/fingerprint"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// What a lock records can be read from the catalog's history, whatever kind of material it is and whatever became of it since.
func TestLocked(t *testing.T) {
	files := func(manifest string) catalogtest.Files {
		return catalogtest.Catalog{
			Components: []catalogtest.Component{
				{ID: "artifact.app", Registrations: oneContract(manifest), Materials: []catalogtest.Material{
					{Destination: "manifest.json", Generator: catalog.GeneratorContractManifestV1},
					{Destination: "run.sh", Content: "run " + manifest + "\n", Executable: true},
					{Destination: "guide.md", Compose: catalog.ComposeIncludeV1, Content: "@<partials/part.md>\n"},
				}},
			},
			Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
		}.Files().Set("partials/part.md", "part "+manifest+"\n")
	}
	before, after := revisions(t, selection(t, "app", nil, nil), files("one"), files("two"))
	plan := reconcile(t, planner.Update, after, composed(t, before))
	locked, err := plan.Locked(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range before.Lock.Files {
		f, err := locked.Open(t.Context(), want.Destination)
		if err != nil {
			t.Errorf("%s: %v", want.Destination, err)
			continue
		}
		b, err := io.ReadAll(f)
		f.Close()
		if got := fingerprint.Of[fingerprint.Material](b); err != nil || got != want.Digest {
			t.Errorf("%s: got %q, %v", want.Destination, b, err)
		}
		if want := want.Destination == "run.sh"; f.Executable != want {
			t.Error("the mode is not that of the lock's revision")
		}
	}

	_, err = locked.Open(t.Context(), "nothing.txt")
	if coded := diag.Coded(nil); !errors.As(err, &coded) || coded.Code() != planner.CodeReadFailed {
		t.Errorf("got %v, want READ_FAILED for what is not in the lock", err)
	}

	plan.Old.Lock.Components[0].Digest[0]++ // a lock that the catalog never made
	if locked, err = plan.Locked(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, d := range []lockv2.Destination{"manifest.json", "run.sh"} {
		if _, err = locked.Open(t.Context(), d); err == nil || !strings.Contains(err.Error(), "is not the descriptor that the lock records") {
			t.Errorf("%s: got %v, want the descriptor at fault", d, err)
		}
	}
}

func oneContract(purpose string) string {
	return `[{"id": "app", "document": "contracts/app.json", "schema": "schemas/app.schema.json", "migration_slug": "app", "document_schema_version": 1,
		"version_history": [{"version": 1, "change_type": "initial"}], "purpose": "` + purpose + `"}]`
}
