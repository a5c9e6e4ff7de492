package planner_test

import (
	"testing"

	"example.org/compose/planner"
)

func TestStagingName(t *testing.T) {
	for name, want := range map[string]bool{
		"0": true, "7": true, "399999": true, "12.part": true, "lock": true, "lock.part": true, "marker": true,
		"": false, ".part": false, "00": false, "007": false, "-1": false, "+1": false, "1.0": false, "400000": false, "20260731": false,
		"99999999999999999999": false, "1.part.part": false, "1.txt": false, "Lock": false, "lock.json": false, "marker.part": false,
		"Marker": false, "mine.txt": false, "notes": false, " 1": false, "1 ": false, "\xd9\xa1": false,
	} {
		if got := planner.StagingName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// What is not compose's is named for what it is, and a plan touches nothing of it.
func TestStrangersInStagingSayWhat(t *testing.T) {
	dir := target(t, map[string]string{".template-composition/staging/1/mine": "x", ".template-composition/staging/mine.txt": "x"})
	p, err := plan(t, materialize(t, app()), dir)
	if err != nil || len(p.Conflicts) != 2 {
		t.Fatal(p, err)
	}
	const rest = ", so it is not compose's, which keeps its new files in this folder; compose left it alone: move it away"
	for i, want := range []string{"what is there is a folder" + rest, "what is there has a name that compose does not give" + rest} {
		if got := p.Conflicts[i].Message; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
