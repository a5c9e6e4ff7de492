package codehost_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

type text struct{ Text string }

// sarifLog is what GitHub asks of a log: "Supported SARIF output file properties" of its documentation.
type sarifLog struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name            string
				SemanticVersion string
				Rules           []struct {
					ID                                      string
					ShortDescription, FullDescription, Help text
					DefaultConfiguration                    struct{ Level string }
				}
			}
		}
		AutomationDetails  struct{ ID string }
		Invocations        []struct{ ExecutionSuccessful bool }
		OriginalURIBaseIDs map[string]struct{ Description text } `json:"originalUriBaseIds"`
		ColumnKind         string
		Results            []struct {
			RuleID    string
			RuleIndex *int
			Level     string
			Message   text
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct {
						URI       string
						URIBaseID string `json:"uriBaseId"`
					}
					Region struct{ StartLine, StartColumn int }
				}
			}
			PartialFingerprints map[string]string
		}
	}
}

// checkSARIF holds a log against what GitHub requires, and against the published schema where $COMPOSE_SARIF_SCHEMA names it.
func checkSARIF(t *testing.T, b []byte) *sarifLog {
	t.Helper()
	var log sarifLog
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %q, %d runs", log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	rules := run.Tool.Driver.Rules
	for _, r := range rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" || r.DefaultConfiguration.Level != "error" {
			t.Errorf("rule %+v lacks something", r)
		}
		if len(r.ShortDescription.Text) > 1024 || len(r.FullDescription.Text) > 1024 {
			t.Errorf("the descriptions of %s are too long for GitHub", r.ID)
		}
	}
	for _, r := range run.Results {
		if r.RuleIndex != nil && rules[*r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has the rule %s", r.RuleID, rules[*r.RuleIndex].ID)
		}
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.Region.StartLine < 1 || r.Message.Text == "" || len(r.PartialFingerprints) != 1 {
			t.Errorf("result %+v lacks something", r)
		}
		at := r.Locations[0].PhysicalLocation.ArtifactLocation
		if _, known := run.OriginalURIBaseIDs[at.URIBaseID]; !known {
			t.Errorf("%s is relative to %q, which the run does not explain", at.URI, at.URIBaseID)
		}
	}
	if schema := published(t); schema != nil {
		var doc any
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%#v", err)
		}
	}
	return &log
}

// published compiles the schema of OASIS; nil where $COMPOSE_SARIF_SCHEMA does not name it.
func published(t *testing.T) *jsonschema.Schema {
	name := os.Getenv("COMPOSE_SARIF_SCHEMA")
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource(url, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(url)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// The published schema is held against every log of these tests where it is there; .ci/run gets it.
func TestPublishedSchema(t *testing.T) {
	schema := published(t)
	if schema == nil {
		t.Skip("COMPOSE_SARIF_SCHEMA does not name the schema that OASIS published")
	}
	if schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}) == nil {
		t.Error("a run without a tool is valid")
	}
}
