package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/review"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// waysOf renders the ways out of the conflict at a destination, or of a component.
func waysOf(t *testing.T, r *review.Review, conflicts []planner.Conflict, about string, at review.Place) string {
	t.Helper()
	for i := range conflicts {
		if c := &conflicts[i]; string(c.Destination) == about || c.Destination == "" && string(c.Component) == about {
			var b strings.Builder
			for _, way := range r.Ways(c, at) {
				fmt.Fprintf(&b, "%s. %s\n", way.Title, way.Text)
				for _, s := range way.Steps {
					if s.Note != "" {
						fmt.Fprintf(&b, "  %s:\n", s.Note)
					}
					fmt.Fprintf(&b, "    %s\n", s.Command)
				}
			}
			return b.String()
		}
	}
	t.Fatalf("no conflict about %q", about)
	return ""
}

func TestWays(t *testing.T) {
	drop := func(c *catalogtest.Catalog) {
		c.Components[1].Materials = c.Components[1].Materials[:4] // no text.txt
		c.Components[1].Materials = append(c.Components[1].Materials, catalogtest.Material{Destination: "new.txt", Content: "new\n"},
			catalogtest.Material{Destination: "folder/new.txt", Content: "new\n"})
		c.Components[1].Version = 2
	}
	l := newLab(t, app("v1", nil), app("v2", drop))
	revision, now := l.old.Lock.Source.Revision, l.new.Lock.Source.Revision
	l.write("bin.dat", "\x00v2")
	l.write("contracts/manifest.json", "{}\n")
	l.write("guide.md", "mine\n")
	l.write("same.txt", "same\r\n")
	l.write("text.txt", "mine\n")
	l.write("new.txt", "mine\n")
	l.write("folder", "a file\n")
	if err := os.Remove(filepath.Join(l.dir, "seed.txt")); err != nil {
		t.Fatal(err)
	}
	plan := l.plan()
	r := review.OfManaged(plan, nil)
	steps := func(what, destination string) string {
		return "  where the " + what + " is committed:\n" +
			"    git -C 'my t' checkout \"$(git -C 'my t' log -1 --format=%H -- .template-composition/lock.json)\" -- " + destination + "\n" +
			"  else compose the locked revision elsewhere, and copy the file:\n    dir=$(mktemp -d)\n" +
			"    compose apply --recipe app --source ../c --revision " + string(revision) + " --target \"$dir\"\n" +
			"    cp \"$dir\"/" + destination + " 'my t/" + destination + "'\n"
	}
	restoredAt := func(lost, destination string) string {
		return "Restore what the lock records. " + lost + "; then run the same command again.\n" +
			"  where git has the file as it was, and the edit is not committed:\n    git -C 'my t' checkout -- " + destination + "\n" + steps("edit", destination)
	}
	restored := func(destination string) string {
		return restoredAt("Your edit is lost by it, so copy what you want to keep first", destination)
	}
	keep := "Keep the edit. There is nothing to run. Nothing is written to the target while the file differs from the lock, and compose validate goes on reporting it.\n"
	for _, tt := range []struct{ about, want string }{
		{"bin.dat", restoredAt("Nothing is lost by it, since the update brings these bytes back", "bin.dat") + keep + "Let the catalog's change in. The catalog has exactly these bytes at " + string(now) +
			". Restore what the lock records, and the update puts them in place.\n"},
		{"contracts/manifest.json", restored("contracts/manifest.json") + keep +
			"Change it in the catalog. The file is generated from the contract registrations of the components. Change those in the catalog, restore the file here, and take the revision that has the change.\n"},
		{"guide.md", restored("guide.md") + keep +
			"Change it in the catalog. The catalog changed the file as well. Make your edit in components/capability.base/files/guide.md, or in a file that it includes, of the catalog's own latest text, restore the file here, and update to the revision that has both.\n"},
		{"same.txt", "Restore what the lock records. Only the line ends change by it; then run the same command again.\n" +
			"  git made the line ends CRLF at checkout: tell it not to, and check the file out anew:\n    git -C 'my t' config core.autocrlf false\n    rm 'my t/same.txt'\n    git -C 'my t' checkout -- same.txt\n" +
			steps("edit", "same.txt") + keep +
			"Change it in the catalog. Where the file has to have CRLF, write it so in components/capability.base/files/same.txt of the catalog, restore it here, and update to the revision that has it.\n"},
		{"text.txt", restored("text.txt") + keep +
			"Keep it as a file of your own. The catalog drops the file, and after the update its name is yours. Move it aside, restore what the lock records, run the same command again and apply, and move it back.\n" +
			"  first:\n    mv -i 'my t/text.txt' 'my t/text.txt.mine'\n  after the update:\n    mv -i 'my t/text.txt.mine' 'my t/text.txt'\n"},
		{"new.txt", "Take the catalog's file. Move your own aside, then run the same command again.\n    mv -i 'my t/new.txt' 'my t/new.txt.mine'\n" +
			"Keep your own. Choose without component \"capability.base\".\n"},
		{"folder/new.txt", "Make room. Move what is there away, then run the same command again.\n    mv -i 'my t/folder' 'my t/folder.mine'\n" +
			"Keep your own. Choose without component \"capability.base\".\n"},
		{"seed.txt", "Restore what the lock records. The bytes are yours, so any regular file will do; while the lock lists it, one has to be there.\n" +
			"  where git has the file as it was, and the loss is not committed:\n    git -C 'my t' checkout -- seed.txt\n" +
			steps("loss", "seed.txt") +
			"Do without the file. Restore it all the same. Component \"artifact.app\" can't be left out of this choice: ask who keeps the catalog to leave the file out.\n"},
		{"capability.base", "Upgrade. Read what changed in the component, then see the plan of an upgrade; with the choice that the target has:\n" +
			"    compose plan --mode upgrade --recipe app --source ../c --revision " + string(now) + " --target 'my t'\n"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			check(t, waysOf(t, r, plan.Conflicts, tt.about, review.Place{Target: "my t", Source: "--source ../c"}), tt.want)
		})
	}
	t.Run("in the current folder, of the usual source", func(t *testing.T) {
		got := waysOf(t, r, plan.Conflicts, "guide.md", review.Place{Target: "."})
		for _, want := range []string{"\n    git checkout -- guide.md\n", "\n    compose apply --recipe app --revision " + string(revision) + " --target \"$dir\"\n", "\n    cp \"$dir\"/guide.md guide.md\n",
			"\n    git checkout \"$(git log -1 --format=%H -- .template-composition/lock.json)\" -- guide.md\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("lacks %q:\n%s", want, got)
			}
		}
	})
	t.Run("a choice that flags can't express", func(t *testing.T) {
		lock := *plan.Old.Lock
		lock.Intent.Parameters = strictjson.Obj(strictjson.F("artifact.app", strictjson.Obj()))
		with := *plan
		with.Old = &planner.Managed{Lock: &lock}
		got := waysOf(t, review.OfManaged(&with, nil), plan.Conflicts, "guide.md", review.Place{})
		for _, want := range []string{"(CONFIG: the configuration file whose SHA-256 the lock records, " + lock.ConfigurationDigest.String()[:12] + "...)", "compose apply --config CONFIG --revision"} {
			if !strings.Contains(got, want) {
				t.Errorf("lacks %q:\n%s", want, got)
			}
		}
	})
}

// What can't be shown as it is can't be copied either, so there is no command with it.
func TestWaysThatCannotBeCopied(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v2", nil))
	l.write("text.txt", "mine\n")
	plan := l.plan()
	got := waysOf(t, review.OfManaged(plan, nil), plan.Conflicts, "text.txt", review.Place{Target: "a\nb\x1b[1m"})
	if strings.ContainsAny(got, "\x1b") || strings.Contains(got, "checkout") {
		t.Errorf("got %q", got)
	}
}

func TestWaysOfAFirstComposition(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v1", nil))
	if err := os.RemoveAll(filepath.Join(l.dir, lockv2.StateFolder)); err != nil {
		t.Fatal(err)
	}
	l.write("text.txt", "one\r\nv1\r\nthree\r\n")
	l.write("guide.md", "mine\n")
	if err := os.Remove(filepath.Join(l.dir, "same.txt")); err != nil {
		t.Fatal(err)
	}
	l.write("Same.txt", "another spelling\n")
	root := l.open()
	plan, err := planner.Initial(t.Context(), l.new, root)
	if err != nil {
		t.Fatal(err)
	}
	r := review.OfInitial(plan, root)
	keep := "Keep your own. Choose without component \"capability.base\".\n"
	check(t, waysOf(t, r, plan.Conflicts, "guide.md", review.Place{}), "Take the catalog's file. Move your own aside, then run the same command again.\n    mv -i guide.md guide.md.mine\n"+keep)
	check(t, waysOf(t, r, plan.Conflicts, "text.txt", review.Place{}), "Take the catalog's file. Move your own aside, then run the same command again.\n    mv -i text.txt text.txt.mine\n"+
		"Adopt your own. Write the file with LF line ends, then run the same command again: then the file is the catalog's already.\n"+keep)
	check(t, waysOf(t, r, plan.Conflicts, "same.txt", review.Place{}), "Make room. Move what is there away, then run the same command again.\n    mv -i Same.txt Same.txt.mine\n"+keep)
}
