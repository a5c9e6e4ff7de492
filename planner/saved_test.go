package planner_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
)

func savedPlan(t *testing.T, doc strictjson.Value) *planner.SavedPlan {
	t.Helper()
	s, err := planner.ParsePlan("plan.json", strictjson.Encode(doc))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSavedPlan(t *testing.T) {
	old, next := composition(t, app(), choice(t)), composition(t, app2(), choice(t))
	first, err := planner.Initial(t.Context(), old, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := composed(t, old)
	before := reconcile(t, planner.Upgrade, next, dir).Document()
	unchanged := reconcile(t, planner.Update, old, dir).Document()
	for operation, doc := range map[string]strictjson.Value{"initial": first.Document(), "upgrade": before, "update": unchanged} {
		s := savedPlan(t, doc)
		if s.Operation != operation {
			t.Errorf("operation %q, want %q", s.Operation, operation)
		}
		if err := s.CheckFresh(doc); err != nil {
			t.Errorf("%s: the same plan: %v", operation, err)
		}
		if err := s.CheckFresh(doc.Sorted()); err != nil {
			t.Errorf("%s: members in another order: %v", operation, err)
		}
	}
	write(t, dir, "ci/build.yml", "edited")
	write(t, dir, "README.md", "edited")
	after := reconcile(t, planner.Upgrade, next, dir).Document()
	stale(t, savedPlan(t, before).CheckFresh(after), []string{
		"/files/replace/ci~1build.yml", "/files/preserve/README.md/current_sha256", "/files/conflict/ci~1build.yml", "/conflicts/ci~1build.yml"})
	stale(t, savedPlan(t, after).CheckFresh(before), []string{"/files/replace/ci~1build.yml", "/files/conflict/ci~1build.yml"})
	stale(t, savedPlan(t, unchanged).CheckFresh(before), []string{"/operation"}) // the rest follows from it
}

// stale asks for PLAN_STALE that names these places among others.
func stale(t *testing.T, err error, want []string) {
	t.Helper()
	var fault *planner.Error
	if !errors.As(err, &fault) || fault.Code() != "PLAN_STALE" || fault.Path() != "plan.json" {
		t.Fatalf("got %v", err)
	}
	doc := strictjson.Obj(fault.Details()...)
	list, _ := doc.Get("differences")
	named := map[string]bool{}
	for _, d := range list.Items {
		pointer, _ := d.Get("pointer")
		named[pointer.Text] = true
	}
	for _, pointer := range want {
		if !named[pointer] {
			t.Errorf("%s is not named in %v", pointer, named)
		}
	}
	if len(list.Items) > 20 {
		t.Errorf("%d differences are listed", len(list.Items))
	}
}

func TestParsePlanRefuses(t *testing.T) {
	p := string(strictjson.Encode(reconcile(t, planner.Update, composition(t, app(), choice(t)), composed(t, composition(t, app(), choice(t)))).Document()))
	for name, c := range map[string]struct{ text, code, path string }{
		"no JSON":              {"plan", "INVALID_JSON", "plan.json"},
		"two documents":        {p + p, "INVALID_JSON", "plan.json"},
		"empty":                {"", "INVALID_JSON", "plan.json"},
		"a list":               {"[]", "SCHEMA_VALIDATION_FAILED", "plan.json#/operation"},
		"a result":             {`{"status": "applied", "operation": 1}`, "SCHEMA_VALIDATION_FAILED", "plan.json#/operation"},
		"another operation":    {strings.Replace(p, `"update"`, `"downgrade"`, 1), "SCHEMA_VALIDATION_FAILED", "plan.json#/operation"},
		"the other managed":    {strings.Replace(p, `"update"`, `"upgrade"`, 1), "SCHEMA_VALIDATION_FAILED", "plan.json#"},
		"another version":      {strings.Replace(p, `"schema_version": 1`, `"schema_version": 2`, 1), "SCHEMA_VALIDATION_FAILED", "plan.json#/schema_version"},
		"an integer as 1.0":    {strings.Replace(p, `"schema_version": 1`, `"schema_version": 1.0`, 1), "SCHEMA_VALIDATION_FAILED", "plan.json#/schema_version"},
		"a member that is new": {strings.Replace(p, `"operation"`, `"x": 1, "operation"`, 1), "SCHEMA_VALIDATION_FAILED", "plan.json#"},
	} {
		_, err := planner.ParsePlan("plan.json", []byte(c.text))
		var fault diag.Coded
		if !errors.As(err, &fault) || fault.Code() != c.code || !strings.HasPrefix(fault.Path(), c.path) {
			t.Errorf("%s: got %v, want %s at %s", name, err, c.code, c.path)
		}
	}
}

func FuzzSavedPlan(f *testing.F) {
	f.Add([]byte(`{"operation": "update", "files": {"create": [{"destination": "a"}, {"destination": "a"}]}}`), []byte(`{"operation": [1, {"id": "x"}]}`))
	f.Add([]byte(`[{"id": "x"}, {"id": "y"}]`), []byte(`[{"id": "y"}, {"id": "x"}]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, err := strictjson.Parse(a, 0)
		if err != nil {
			return
		}
		now, err := strictjson.Parse(b, 0)
		if err != nil {
			return
		}
		s := &planner.SavedPlan{Document: before}
		same := string(strictjson.Encode(before.Sorted())) == string(strictjson.Encode(now.Sorted()))
		if err := s.CheckFresh(now); (err == nil) != same {
			t.Errorf("same %v, error %v", same, err)
		}
	})
}
