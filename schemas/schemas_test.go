package schemas_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/schemas"
	draft "github.com/santhosh-tekuri/jsonschema/v5"
)

// Every schema keeps the draft's own metaschema, has the $id of its file, and compiles.
func TestSchemasKeepTheDraft(t *testing.T) {
	names := schemas.Names()
	if len(names) != 30 || !slices.IsSorted(names) {
		t.Fatalf("Names() = %q", names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			b := schemas.Bytes(name)
			onDisk, err := os.ReadFile(name + ".schema.json")
			if err != nil || !bytes.Equal(b, onDisk) {
				t.Fatalf("Bytes is not the file: %v", err)
			}
			var head struct {
				Schema      string `json:"$schema"`
				ID          string `json:"$id"`
				Title       string `json:"title"`
				Description string `json:"description"`
			}
			if err := json.Unmarshal(b, &head); err != nil {
				t.Fatal(err)
			}
			if head.ID != "https://example.org/compose/schemas/"+name+".schema.json" || head.Title == "" || head.Description == "" {
				t.Errorf("head = %+v", head)
			}
			c := draft.NewCompiler()
			if err := c.AddResource(head.ID, bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compile(head.ID); err != nil {
				t.Error(err)
			}
			if got := schemas.Validate(name, strictjson.Value{}); len(got) == 0 {
				t.Error("null conforms")
			}
		})
	}
}
