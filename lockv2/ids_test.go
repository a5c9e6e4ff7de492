package lockv2_test

import (
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

func TestIDs(t *testing.T) {
	for id, want := range map[lockv2.ComponentID][2]bool{ // valid, selectable
		"capability.cli":              {true, true},
		"lifecycle.composition-state": {true, true},
		"topology.a":                  {true, true},
		"workspace.a1-2b":             {true, true},
		"artifact.app":                {true, false},
		"foundation.repository":       {true, false},
		"capability.":                 {false, false},
		"capability":                  {false, false},
		"":                            {false, false},
		".cli":                        {false, false},
		"Capability.cli":              {false, false},
		"capability.Cli":              {false, false},
		"capability.1cli":             {false, false},
		"capability.cli-":             {false, false},
		"capability.c--i":             {false, false},
		"capability.-cli":             {false, false},
		"capability.c_i":              {false, false},
		"capability.a.b":              {false, false},
		"capability.cli\n":            {false, false},
		"tool.cli":                    {false, false},
	} {
		if got := [2]bool{id.Valid(), id.Selectable()}; got != want {
			t.Errorf("%q: valid and selectable are %v, want %v", id, got, want)
		}
	}
	for id, want := range map[lockv2.RecipeID]bool{"skill": true, "a-b": true, "": false, "a.b": false, "A": false, "a-": false} {
		if id.Valid() != want {
			t.Errorf("recipe %q: valid is %v", id, !want)
		}
	}
}

func TestRevisionValid(t *testing.T) {
	for r, want := range map[string]bool{
		strings.Repeat("0123456789abcdef", 3)[:40]: true,
		strings.Repeat("0", 39) + "1":              true,
		strings.Repeat("0", 40):                    false,
		strings.Repeat("A", 40):                    false,
		strings.Repeat("g", 40):                    false,
		strings.Repeat("1", 39):                    false,
		strings.Repeat("1", 64):                    false,
		"main":                                     false,
		"":                                         false,
	} {
		if got := lockv2.Revision(r).Valid(); got != want {
			t.Errorf("%q: valid is %v", r, got)
		}
	}
}

func TestReserved(t *testing.T) {
	for d, want := range map[lockv2.Destination]bool{
		".template-composition":                            true,
		".Template-Composition":                            true,
		".template-composition/lock.json":                  true,
		".template-composition/LOCK.JSON":                  true,
		".template-composition/lock.json/x":                true,
		".template-composition/transaction.json":           true,
		".template-composition/staging":                    true,
		".template-composition/Staging/a/b":                true,
		".template-composition/policy.json":                true,
		".template-composition/Policy.JSON":                true,
		".template-composition/policy.json/x":              true,
		".template-composition/policy.md":                  false,
		".template-composition/staging.txt":                false,
		".template-composition/lock.json.bak":              false,
		".template-composition/about.txt":                  false,
		".Template-Composition/about.txt":                  true,
		".template-compositioN/deep/about.txt":             true,
		".Template-compositions/about.txt":                 false,
		".Template-composition.txt":                        false,
		"x/.Template-Composition/about.txt":                false,
		".TEMPLATE":                                        false,
		".template-composition/schema/lock.json":           false,
		".template-compositions":                           false,
		".template":                                        false,
		"x/.template-composition/lock.json":                false,
		"lock.json":                                        false,
		"":                                                 false,
		".template-composition/validate.go":                false,
		".template-composition-lock.json/transaction.json": false,
	} {
		if got := d.Reserved(); got != want {
			t.Errorf("%q: reserved is %v", d, got)
		}
	}
}

func TestMisspelled(t *testing.T) {
	for d, want := range map[lockv2.Destination]bool{
		".template-composition":           false,
		".template-composition/LOCK.json": false,
		".Template-Composition":           true,
		".template-compositioN/a":         true,
		".Template-Compositions/a":        false,
		".Template-Compositio":            false,
		"a/.Template-Composition/a":       false,
		"":                                false,
	} {
		if got := d.Misspelled(); got != want {
			t.Errorf("%q: %v", d, got)
		}
	}
}

func TestCheckRepository(t *testing.T) {
	for identity, want := range map[string]bool{
		"compose/starter":           true,
		"example-org/templates":     true,
		"templates":                 true,
		"git.example.org/a/B_c/d.1": true,
		strings.Repeat("a", 255):    true,
		strings.Repeat("a", 256):    false,
		"":                          false,
		"/a":                        false,
		"a/":                        false,
		"a//b":                      false,
		"a/./b":                     false,
		"a/../b":                    false,
		"a b":                       false,
		"a\nb":                      false,
		"é":                         false,
		"https://example.org/a":     false,
		"git@example.org:a/b":       false,
		"a\\b":                      false,
		"\xff":                      false,
	} {
		if err := lockv2.CheckRepository(identity); (err == nil) != want {
			t.Errorf("%q: error %v", identity, err)
		}
	}
}
