package policy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/compose/internal/signature"
	"example.org/compose/internal/strictjson"
	"example.org/compose/policy"
	"example.org/compose/schemas"
)

// The example of docs/policy.md is a policy, keeps the schema, and its signers can be read.
func TestExampleOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d examples", len(blocks))
	}
	p, err := policy.Parse("example", blocks[0][1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := signature.Parse("example", []byte(strings.Join(p.Signers, "\n"))); err != nil || !p.RequiresSignature() {
		t.Errorf("signers: %v", err)
	}
	doc, err := strictjson.Parse(blocks[0][1], 0)
	if err != nil {
		t.Fatal(err)
	}
	if found := schemas.Validate(schemas.Policy, doc); len(found) > 0 {
		t.Error(found)
	}
}
