package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/resolver"
	"example.org/compose/schemas"
)

// MaxPlan is the most bytes that a saved plan may have.
const MaxPlan = 256 << 20

// SavedPlan is a plan that was written to a file.
type SavedPlan struct {
	Operation string // initial, update or upgrade
	Document  strictjson.Value

	name string
}

// ParsePlan reads a plan that `compose plan --out` wrote; name is what messages call it. Errors: INVALID_JSON,
// SCHEMA_VALIDATION_FAILED with a pointer, READ_FAILED past MaxPlan.
func ParsePlan(name string, b []byte) (*SavedPlan, error) {
	if len(b) > MaxPlan {
		return nil, &Error{Base: diag.New(CodeReadFailed, name, fmt.Sprintf("has %d bytes; a plan has at most %d", len(b), MaxPlan))}
	}
	doc, err := strictjson.Parse(b, 0)
	var form *strictjson.Error
	if errors.As(err, &form) {
		return nil, &Error{Base: diag.New(form.Code(), name, form.Error()+"; write the plan again with compose plan --out")}
	}
	if err != nil {
		return nil, err
	}
	s := &SavedPlan{Document: doc, name: name}
	if operation, found := doc.Get("operation"); found && operation.Kind == strictjson.String {
		s.Operation = operation.Text
	}
	schema, found := map[string]string{"initial": schemas.InitialPlan, string(Update): schemas.UpdatePlan, string(Upgrade): schemas.UpgradePlan}[s.Operation]
	if !found {
		return nil, &Error{Base: diag.New(schemas.CodeSchemaValidationFailed, name+"#/operation",
			"is not initial, update or upgrade, so this is no plan; give a file that compose plan --out wrote")}
	}
	if faults := schemas.Validate(schema, doc); len(faults) > 0 {
		return nil, &Error{Base: diag.New(schemas.CodeSchemaValidationFailed, name+"#"+faults[0].Pointer,
			faults[0].Message+"; give a file as compose plan --out wrote it")}
	}
	return s, nil
}

// CheckFresh returns nil where document, of a plan made now, is the saved plan as a value; else PLAN_STALE, whose
// message and Details name what differs.
func (s *SavedPlan) CheckFresh(document strictjson.Value) error {
	if now, _ := document.Get("operation"); now.Text != s.Operation {
		saved := strictjson.Str(s.Operation)
		d := differences{}
		d.add("/operation", &saved, &now)
		return s.stale(d, fmt.Sprintf("the saved plan has the operation %s, and this run %s; run the one that the plan is for", s.Operation, now.Text), "--mode "+s.Operation)
	}
	var d differences
	d.compare("", s.Document, document.Whole())
	if d.total == 0 {
		return nil
	}
	first := d.first[0]
	return s.stale(d, fmt.Sprintf(
		"the plan does not hold any more: %d places differ from a plan made now, the first is %s (%s, now %s); plan again, look at it, and apply that one",
		d.total, first.pointer, short(first.saved), short(first.now)), "")
}

func (s *SavedPlan) stale(d differences, msg, hint string) error {
	return &Error{
		details: []strictjson.Member{
			strictjson.F("differences", strictjson.List(d.first, difference.document)),
			strictjson.F("total", strictjson.Int(int64(d.total))),
		},
		Base: diag.New(CodePlanStale, s.name, msg).WithHint(hint),
	}
}

// difference is one place at which two plans differ.
type difference struct {
	pointer    string // an item of a list that has names is called by its name
	saved, now *strictjson.Value
}

func (d difference) document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("pointer", strictjson.Str(d.pointer)),
		strictjson.F("saved", strictjson.Str(short(d.saved))),
		strictjson.F("now", strictjson.Str(short(d.now))),
	)
}

// shown is how many differences an error lists; it counts them all.
const shown = 20

type differences struct {
	first []difference
	total int
}

func (d *differences) add(pointer string, saved, now *strictjson.Value) {
	if d.total++; len(d.first) < shown {
		d.first = append(d.first, difference{pointer, saved, now})
	}
}

func (d *differences) compare(pointer string, saved, now strictjson.Value) {
	switch {
	case saved.Kind != now.Kind:
		d.add(pointer, &saved, &now)
	case saved.Kind == strictjson.Object:
		d.members(pointer, saved.Members, now.Members)
	case saved.Kind == strictjson.Array:
		before, named := byName(saved.Items)
		after, alsoNamed := byName(now.Items)
		if !named || !alsoNamed {
			before, after = byPlace(saved.Items), byPlace(now.Items)
		}
		found := d.total
		d.members(pointer, before, after)
		if d.total == found && !slices.EqualFunc(before, after, func(a, b strictjson.Member) bool { return a.Name == b.Name }) {
			d.add(pointer, &saved, &now) // the same items in another order
		}
	case saved.Text != now.Text || saved.Truth != now.Truth:
		d.add(pointer, &saved, &now)
	}
}

// members compares two objects; the order of their names is no difference.
func (d *differences) members(pointer string, saved, now []strictjson.Member) {
	rest := make(map[string]*strictjson.Value, len(now))
	for i := range now {
		rest[now[i].Name] = &now[i].Value
	}
	for i := range saved {
		at := strictjson.Pointer(pointer, saved[i].Name)
		if other, found := rest[saved[i].Name]; found {
			d.compare(at, saved[i].Value, *other)
			delete(rest, saved[i].Name)
		} else {
			d.add(at, &saved[i].Value, nil)
		}
	}
	for i := range now {
		if _, left := rest[now[i].Name]; left {
			d.add(strictjson.Pointer(pointer, now[i].Name), nil, &now[i].Value)
		}
	}
}

// byName returns the items of a list by what names each: destination, id, or a conflict's component; an item that is a
// text is its own name. It reports false where one has no name, or two have the same.
func byName(items []strictjson.Value) ([]strictjson.Member, bool) {
	members := make([]strictjson.Member, len(items))
	seen := make(map[string]bool, len(items))
	for i, item := range items {
		if item.Kind == strictjson.String {
			members[i] = strictjson.F(item.Text, item)
		}
		for _, key := range []string{"destination", "id", "component"} {
			if name, found := item.Get(key); found && name.Kind == strictjson.String {
				members[i] = strictjson.F(name.Text, item)
				break
			}
		}
		if name := members[i].Name; name == "" || seen[name] {
			return nil, false
		}
		seen[members[i].Name] = true
	}
	return members, true
}

// byPlace returns the items of a list by their index.
func byPlace(items []strictjson.Value) []strictjson.Member {
	members := make([]strictjson.Member, len(items))
	for i, item := range items {
		members[i] = strictjson.F(fmt.Sprint(i), item)
	}
	return members
}

// short returns a value as a message shows it; "nothing" for none.
func short(v *strictjson.Value) string {
	const most = 100
	if v == nil {
		return "nothing"
	}
	text := string(strictjson.AppendCompact(nil, *v))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// Config returns the choice that the plan was made for, with the digest of the configuration that was given then.
// It is what its lock_preview says; SCHEMA_VALIDATION_FAILED where that is no lock.
func (s *SavedPlan) Config() (resolver.Config, error) {
	preview, _ := s.Document.Get("lock_preview")
	lock, err := lockv2.FromValue(preview)
	if err != nil {
		return resolver.Config{}, &Error{Base: diag.Wrap(schemas.CodeSchemaValidationFailed, s.name+"#/lock_preview",
			"is no lock; give a file as compose plan --out wrote it", err)}
	}
	config := UpdateConfig(lock)
	config.Place = s.name + "#/lock_preview/intent/parameters"
	return config, nil
}
