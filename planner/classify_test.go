package planner

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

func hashed(text string) fingerprint.Material { return sha256.Sum256([]byte(text)) }

// placed makes up a place from "component ownership bytes" each; "" for none.
func placed(t *testing.T, old, new, current string) *place {
	t.Helper()
	split := func(text string) (component lockv2.ComponentID, ownership lockv2.Ownership, d fingerprint.Material) {
		var c, o, b string
		if _, err := fmt.Sscan(text, &c, &o, &b); err != nil {
			t.Fatal(err)
		}
		return lockv2.ComponentID("capability." + c), lockv2.Ownership(o), hashed(b)
	}
	p := &place{destination: "docs/x.md"}
	if old != "" {
		p.old, p.standing = &lockv2.File{Destination: p.destination}, &standing{}
		p.old.Component, p.old.Ownership, p.old.Digest = split(old)
	}
	if new != "" {
		p.new = &Material{Destination: p.destination}
		p.new.Component, p.new.Ownership, p.new.Digest = split(new)
	}
	switch current {
	case "missing", "symlink", "not-regular", "is-directory", "parent-not-directory", "unreadable":
		if old == "" {
			p.obstacle = blocked(p.destination, p.new.Component, &rootfs.Error{Destination: p.destination, At: "docs", Reason: rootfs.Reason(current)})
			break
		}
		p.fault = &rootfs.Error{Destination: p.destination, At: "docs", Reason: rootfs.Reason(current)}
	case "":
	default:
		if old == "" {
			p.obstacle = exists(p.new, &rootfs.Sum{Digest: hashed(current)})
			break
		}
		p.sum = rootfs.Sum{Digest: hashed(current), LF: hashed(current), Size: 1}
	}
	return p
}

// Every row of the table, in both operations: the first that applies decides.
func TestTable(t *testing.T) {
	const (
		edited = "LOCAL_MODIFICATION"
		broken = "OLD_STATE_INVALID"
		taken  = "DESTINATION_CONFLICT"
		owner  = "FILE_OWNER_TRANSITION_UPGRADE_REQUIRED FILE_OWNER_TRANSITION_NOT_SUPPORTED"
		mode   = "OWNERSHIP_TRANSITION_UPGRADE_REQUIRED OWNERSHIP_TRANSITION_NOT_SUPPORTED"
	)
	cases := []struct {
		row               int // of table
		old, new, current string
		want              string // kind or code; those of update and upgrade where they differ
	}{
		{row: 0, old: "a managed 1", new: "b managed 1", current: "1", want: owner},
		{row: 0, old: "a seed 1", new: "b seed 1", current: "1", want: owner},
		{row: 0, old: "a generated 1", new: "b seed 2", current: "1", want: owner},        // before another ownership
		{row: 0, old: "a managed 1", new: "b managed 1", current: "missing", want: owner}, // before a broken file
		{row: 0, old: "a managed 1", new: "b managed 1", current: "edited", want: owner},  // before an edit
		{row: 1, old: "a managed 1", new: "a generated 1", current: "1", want: mode},
		{row: 1, old: "a managed 1", new: "a seed 1", current: "1", want: mode},
		{row: 1, old: "a generated 1", new: "a managed 1", current: "edited", want: mode},
		{row: 1, old: "a generated 1", new: "a seed 2", current: "symlink", want: mode},
		{row: 1, old: "a seed 1", new: "a managed 1", current: "missing", want: mode},
		{row: 1, old: "a seed 1", new: "a generated 1", current: "1", want: mode},
		{row: 2, old: "a managed 1", new: "a managed 2", current: "missing", want: broken},
		{row: 2, old: "a managed 1", new: "a managed 1", current: "symlink", want: broken},
		{row: 2, old: "a generated 1", new: "a generated 2", current: "not-regular", want: broken},
		{row: 2, old: "a seed 1", new: "a seed 2", current: "is-directory", want: broken},
		{row: 2, old: "a managed 1", current: "parent-not-directory", want: broken},
		{row: 2, old: "a generated 1", current: "unreadable", want: broken},
		{row: 2, old: "a seed 1", current: "missing", want: broken},
		{row: 3, new: "a managed 1", current: "1", want: taken}, // identical too
		{row: 3, new: "a seed 1", current: "other", want: taken},
		{row: 3, new: "a generated 1", current: "symlink", want: taken},
		{row: 4, new: "a managed 1", want: "create"},
		{row: 4, new: "a generated 1", want: "create"},
		{row: 4, new: "a seed 1", want: "create"},
		{row: 5, old: "a seed 1", new: "a seed 2", current: "1", want: "preserve"},
		{row: 5, old: "a seed 1", new: "a seed 1", current: "edited", want: "preserve"},
		{row: 5, old: "a seed 1", current: "edited", want: "preserve"},
		{row: 6, old: "a managed 1", new: "a managed 2", current: "edited", want: edited},
		{row: 6, old: "a managed 1", new: "a managed 2", current: "2", want: edited}, // the new bytes, put there by hand
		{row: 6, old: "a managed 1", new: "a managed 1", current: "edited", want: edited},
		{row: 6, old: "a generated 1", new: "a generated 2", current: "edited", want: edited},
		{row: 6, old: "a managed 1", current: "edited", want: edited},
		{row: 6, old: "a generated 1", current: "edited", want: edited},
		{row: 7, old: "a managed 1", current: "1", want: "remove"},
		{row: 7, old: "a generated 1", current: "1", want: "remove"},
		{row: 8, old: "a managed 1", new: "a managed 1", current: "1", want: "unchanged"},
		{row: 8, old: "a generated 1", new: "a generated 1", current: "1", want: "unchanged"},
		{row: 9, old: "a managed 1", new: "a managed 2", current: "1", want: "replace"},
		{row: 9, old: "a generated 1", new: "a generated 2", current: "1", want: "replace"},
	}
	tried := make([]bool, len(table()))
	for _, c := range cases {
		p := placed(t, c.old, c.new, c.current)
		name := fmt.Sprintf("%q to %q, there %q", c.old, c.new, c.current)
		row := 0
		for !table()[row].applies(p) {
			row++
		}
		if row != c.row {
			t.Errorf("%s: row %d (%s) decides, want %d", name, row, table()[row].name, c.row)
		}
		tried[row] = true
		for _, op := range []Operation{Update, Upgrade} {
			want, other, differ := strings.Cut(c.want, " ")
			if differ && op == Upgrade {
				want = other
			}
			file, conflict := classify(table(), op, p)
			switch {
			case conflict != nil:
				if conflict.Code != want || conflict.Message == "" || conflict.Component == "" {
					t.Errorf("%s, %s: got %+v, want %s", name, op, *conflict, want)
				}
			case string(file.Kind) != want:
				t.Errorf("%s, %s: got %s, want %s", name, op, file.Kind, want)
			case (file.Kind == Preserve) != (file.Reason != ""):
				t.Errorf("%s, %s: reason %q of %s", name, op, file.Reason, file.Kind)
			}
		}
	}
	for i, was := range tried {
		if !was {
			t.Errorf("no case for row %d, %s", i, table()[i].name)
		}
	}
}
