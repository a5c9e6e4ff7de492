package review_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/review"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

func TestFilesOfAnUpdate(t *testing.T) {
	l := newLab(t, app("v1", func(c *catalogtest.Catalog) {
		c.Components[1].Materials = append(c.Components[1].Materials, catalogtest.Material{Destination: "old.txt", Content: "old\n"})
	}), app("v2", func(c *catalogtest.Catalog) {
		c.Components[1].Materials = append(c.Components[1].Materials, catalogtest.Material{Destination: "new.sh", Content: "new\n", Executable: true})
	}))
	check(t, shown(t, l.update()), `bin.dat capability.base managed replace
change a/bin.dat b/bin.dat
binary files differ
guide.md capability.base managed replace
change a/guide.md b/guide.md
@@ -1,3 +1,3 @@
 # Guide
-part v1
+part v2
 end
new.sh capability.base managed create
change /dev/null b/new.sh
# the file is executable
@@ -0,0 +1,1 @@
+new
old.txt capability.base managed remove
change a/old.txt /dev/null
@@ -1,1 +0,0 @@
-old
text.txt capability.base managed replace
change a/text.txt b/text.txt
@@ -1,3 +1,3 @@
 one
-v1
+v2
 three
`)
}

// Every destination is there once, in order, those that are left alone too.
func TestEveryFileIsThere(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v2", nil))
	l.write("text.txt", "mine\n")
	var got []string
	for f, err := range l.update().Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		what := string(f.Action)
		if f.Conflict != nil {
			what = f.Conflict.Code
		}
		got = append(got, fmt.Sprintf("%s %s %d", f.Destination, what, len(f.Comparisons)))
	}
	check(t, strings.Join(got, "\n"), `.template-composition/about.txt unchanged 0
bin.dat replace 1
contracts/manifest.json unchanged 0
guide.md replace 1
same.txt unchanged 0
seed.txt preserve 0
text.txt LOCAL_MODIFICATION 2`)
}

// A local modification has two differences, whatever kind of material the lock has: the consumer's own and the catalog's.
func TestLocalModification(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v2", nil))
	l.write("bin.dat", "\x00mine")
	l.write("contracts/manifest.json", "{}\n")
	l.write("guide.md", "# Guide\npart v1\nmy end\n")
	l.write("same.txt", "same\r\n")
	l.write("text.txt", "one\nv2\nthree\n")
	got := shown(t, l.update())
	manifest, rest := cut(t, got, "contracts/manifest.json ", "guide.md ")
	check(t, rest, `bin.dat capability.base managed LOCAL_MODIFICATION
edit locked/bin.dat disk/bin.dat
binary files differ
upstream locked/bin.dat catalog/bin.dat
binary files differ
guide.md capability.base managed LOCAL_MODIFICATION
edit locked/guide.md disk/guide.md
@@ -1,3 +1,3 @@
 # Guide
 part v1
-end
+my end
upstream locked/guide.md catalog/guide.md
@@ -1,3 +1,3 @@
 # Guide
-part v1
+part v2
 end
same.txt capability.base managed LOCAL_MODIFICATION
edit locked/same.txt disk/same.txt
# LF before, CRLF after
only the line ends differ
upstream locked/same.txt catalog/same.txt
the bytes are the same
text.txt capability.base managed LOCAL_MODIFICATION
edit locked/text.txt disk/text.txt
@@ -1,3 +1,3 @@
 one
-v1
+v2
 three
upstream locked/text.txt catalog/text.txt
@@ -1,3 +1,3 @@
 one
-v1
+v2
 three
`)
	for _, want := range []string{"contracts/manifest.json capability.base generated LOCAL_MODIFICATION\n", "-\t\"contracts\": [\n", "+{}\n", "upstream locked/contracts/manifest.json catalog/contracts/manifest.json\nthe bytes are the same\n"} {
		if !strings.Contains(strings.ReplaceAll(manifest, "  \"", "\t\""), want) {
			t.Errorf("the manifest's part lacks %q:\n%s", want, manifest)
		}
	}
}

// cut takes the part from one beginning of a line to another out of a text.
func cut(t *testing.T, text, from, to string) (part, rest string) {
	t.Helper()
	i := strings.Index(text, from)
	k := strings.Index(text, to)
	if i < 0 || k < i {
		t.Fatalf("no part from %q to %q in\n%s", from, to, text)
	}
	return text[i:k], text[:i] + text[k:]
}

func TestModifiedFileThatWouldGo(t *testing.T) {
	drop := func(c *catalogtest.Catalog) {
		c.Components[1].Materials = slices.DeleteFunc(c.Components[1].Materials, func(m catalogtest.Material) bool { return m.Destination == "text.txt" })
	}
	l := newLab(t, app("v1", nil), app("v1", drop))
	l.write("text.txt", "one\nv1\nmine")
	check(t, shown(t, l.update()), `text.txt capability.base managed LOCAL_MODIFICATION
edit locked/text.txt disk/text.txt
@@ -1,3 +1,3 @@
 one
 v1
-three
+mine
\
upstream locked/text.txt /dev/null
@@ -1,3 +0,0 @@
-one
-v1
-three
`)
}

func TestLockedBytesThatCannotBeHad(t *testing.T) {
	t.Run("an object is missing", func(t *testing.T) {
		before, after := app("v1", nil), app("v2", nil)
		l := newLab(t, before, after)
		repo := catalogtest.Repository(t) // the same history, but for one blob of its first revision
		source := "components/capability.base/files/text.txt"
		lost := before.Clone()
		lost[source] = catalogtest.File{Content: before[source].Content, Missing: true}
		if got, want := repo.Commit(lost), l.old.Lock.Source.Revision; got != want {
			t.Fatalf("got revision %s, want %s", got, want)
		}
		l.repo = repo
		l.new = l.composition(after)
		l.write("text.txt", "mine\n")
		got := shown(t, l.update(), "text.txt")
		if n := strings.Count(got, "the locked bytes can't be had: "+source+": "); n != 2 {
			t.Errorf("said %d times, want 2:\n%s", n, got)
		}
	})
	t.Run("they are others than the lock's", func(t *testing.T) {
		l := newLab(t, app("v1", nil), app("v2", nil))
		lock := l.old.Lock
		lock.Files = slices.Clone(lock.Files)
		for i := range lock.Files {
			if lock.Files[i].Destination == "text.txt" {
				lock.Files[i].Digest[0]++
			}
		}
		b, err := lockv2.Encode(&lock)
		if err != nil {
			t.Fatal(err)
		}
		l.write(lockv2.LockPath, string(b))
		why := "the locked bytes can't be had: the catalog at the lock's revision " + string(lock.Source.Revision) + " gives other bytes than the lock records\n"
		check(t, shown(t, l.update(), "text.txt"), "text.txt capability.base managed LOCAL_MODIFICATION\n"+
			"edit locked/text.txt disk/text.txt\n"+why+"upstream locked/text.txt catalog/text.txt\n"+why)
	})
}

func TestFilesThatAreGoneOrTaken(t *testing.T) {
	add := func(c *catalogtest.Catalog) {
		c.Components[1].Materials = append(c.Components[1].Materials, catalogtest.Material{Destination: "new.txt", Content: "theirs\n"},
			catalogtest.Material{Destination: "twin.txt", Content: "twin\n"})
	}
	l := newLab(t, app("v1", nil), app("v2", add))
	for _, name := range []string{"text.txt", "same.txt"} {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	l.write("new.txt", "mine\n")
	l.write("twin.txt", "twin\n")
	check(t, shown(t, l.update(), "new.txt", "same.txt", "text.txt", "twin.txt"), `new.txt capability.base managed DESTINATION_CONFLICT
change a/new.txt b/new.txt
@@ -1,1 +1,1 @@
-mine
+theirs
same.txt capability.base managed OLD_STATE_INVALID
text.txt capability.base managed OLD_STATE_INVALID
upstream locked/text.txt catalog/text.txt
@@ -1,3 +1,3 @@
 one
-v1
+v2
 three
twin.txt capability.base managed DESTINATION_CONFLICT
change a/twin.txt b/twin.txt
the bytes are the same
`)
}

func TestFilesOfAFirstComposition(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v1", nil))
	if err := os.RemoveAll(filepath.Join(l.dir, lockv2.StateFolder)); err != nil {
		t.Fatal(err)
	}
	l.write("text.txt", "one\nmine\nthree\n")
	l.write("same.txt", "same\r\n")
	if err := os.Remove(filepath.Join(l.dir, "bin.dat")); err != nil {
		t.Fatal(err)
	}
	root := l.open()
	plan, err := planner.Initial(t.Context(), l.new, root)
	if err != nil {
		t.Fatal(err)
	}
	check(t, shown(t, review.OfInitial(plan, root)), `.template-composition/about.txt lifecycle.composition-state managed create
change /dev/null b/.template-composition/about.txt
@@ -0,0 +1,1 @@
+managed by compose
bin.dat capability.base managed create
change /dev/null b/bin.dat
binary files differ
same.txt capability.base managed DESTINATION_CONFLICT
change a/same.txt b/same.txt
# CRLF before, LF after
only the line ends differ
text.txt capability.base managed DESTINATION_CONFLICT
change a/text.txt b/text.txt
@@ -1,3 +1,3 @@
 one
-mine
+v1
 three
`)
}

// The target may change between the plan and the look at it.
func TestFileThatChangesAfterThePlan(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v2", nil))
	l.write("same.txt", "mine\n")
	r := l.update()
	l.write("text.txt", "one\nlate\nthree\n")
	l.write("same.txt", "late\n")
	if err := os.Remove(filepath.Join(l.dir, "guide.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.dir, "guide.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	check(t, shown(t, r, "guide.md", "same.txt", "text.txt"), `guide.md capability.base managed replace
change a/guide.md b/guide.md
can't be read: is a folder where a file belongs; move it away
same.txt capability.base managed LOCAL_MODIFICATION
edit locked/same.txt disk/same.txt
# the file changed after the plan was made; plan again
@@ -1,1 +1,1 @@
-same
+late
upstream locked/same.txt catalog/same.txt
the bytes are the same
text.txt capability.base managed replace
change a/text.txt b/text.txt
# the file changed after the plan was made; plan again
@@ -1,3 +1,3 @@
 one
-late
+v2
 three
`)
}

func TestFilesEnd(t *testing.T) {
	l := newLab(t, app("v1", nil), app("v2", nil))
	r := l.update()
	n := 0
	for range r.Files(t.Context()) {
		n++
		break // what is still read must end before Files returns, or the root is used after it is closed
	}
	if n != 1 {
		t.Errorf("got %d files, want 1", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range r.Files(ctx) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v, want the end of the context", last)
	}
}
