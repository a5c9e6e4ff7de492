package planner_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"pgregory.net/rapid"
)

// A plan of random catalogs for a random target is what the model says, and once it is carried out, the next plan
// is of nothing.
func TestManagedModel(t *testing.T) {
	if foldsCase(t) {
		t.Skip("the file system ignores case, and the model does not")
	}
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom([]planner.Operation{planner.Update, planner.Upgrade}).Draw(rt, "operation")
		oldExclude := drawExclude(rt, "old exclude")
		before := drawCatalog(rt, "old")
		old := composition(t, before, selection(t, "app", nil, oldExclude))
		cfg := planner.UpdateConfig(&old.Lock)
		if op == planner.Upgrade {
			cfg = selection(t, "app", nil, drawExclude(rt, "new exclude"))
		}
		next := composition(t, drawNext(rt, before), cfg)
		tree := composedModel(t, old)
		for range rapid.IntRange(0, 4).Draw(rt, "bends") {
			tree.bend(rt)
		}
		dir := tree.make(t)
		write(t, dir, lockv2.LockPath, string(old.LockBytes()))

		p := reconcile(t, op, next, dir)
		want := expected(t, op, old, next, tree)
		if got := strings.Join(classified(p), "\n"); got != strings.Join(want, "\n") {
			rt.Fatalf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
		checkNextLock(rt, op, old, next, p)
		for _, line := range want {
			seen[strings.Fields(line)[1]]++
		}
		if len(p.Conflicts) == 0 {
			seen["carried out by "+string(op)]++
			carryOut(t, p, dir)
			if again := reconcile(t, op, next, dir); !again.Noop() || len(again.Actions()) != 0 {
				rt.Fatalf("after it was carried out the plan is of %q", told(again))
			}
		}
	})
	if t.Logf("%v", seen); seen["unchanged"] < 5_000 {
		return // too few runs, by default or by a flag, for what follows to be certain
	}
	for _, outcome := range []string{"carried out by update", "carried out by upgrade", "create", "replace", "remove", "preserve", "unchanged", "LOCAL_MODIFICATION", "OLD_STATE_INVALID", "DESTINATION_CONFLICT",
		"FILE_OWNER_TRANSITION_UPGRADE_REQUIRED", "FILE_OWNER_TRANSITION_NOT_SUPPORTED", "OWNERSHIP_TRANSITION_UPGRADE_REQUIRED", "OWNERSHIP_TRANSITION_NOT_SUPPORTED"} {
		if seen[outcome] == 0 {
			t.Errorf("no target led to %s", outcome)
		}
	}
}

func foldsCase(t *testing.T) bool {
	dir := t.TempDir()
	write(t, dir, "x", "")
	_, err := os.Lstat(filepath.Join(dir, "X"))
	return err == nil
}

// pool is where materials may lie: files, folders and spellings that meet.
var pool = []lockv2.Destination{"a", "a/b", "A", "c/d", "c/e", "C/d", "c/deep/f", "g", "h", lockv2.StateFolder + "/own"}

var texts = []string{"", "x\n", "y\nz\n", "y\r\nz\r\n"}

var componentIDs = []string{"artifact.app", "capability.one", "capability.two"}

func drawExclude(rt *rapid.T, label string) []string {
	return rapid.SampledFrom([][]string{nil, nil, {"capability.one"}, {"capability.two"}}).Draw(rt, label)
}

func drawCatalog(rt *rapid.T, label string) catalogtest.Catalog {
	components := make([]catalogtest.Component, len(componentIDs))
	var taken []lockv2.Destination
	add := func(i int, m catalogtest.Material) {
		if next := append(slices.Clone(taken), lockv2.Destination(m.Destination)); lockv2.FirstCollision(next) == nil {
			taken = next
			components[i].Materials = append(components[i].Materials, m)
		}
	}
	for i, id := range componentIDs {
		components[i].ID = id
		components[i].Version = rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(rt, label+" version")
		add(i, catalogtest.Material{Destination: "fill/" + id, Content: "fill"})
	}
	for _, d := range pool {
		owner := rapid.SampledFrom([]int{-1, -1, 0, 0, 1, 2}).Draw(rt, label+" owner of "+string(d))
		if owner >= 0 {
			add(owner, catalogtest.Material{
				Destination: string(d),
				Ownership:   rapid.SampledFrom([]string{"managed", "managed", "seed"}).Draw(rt, label+" ownership"),
				Content:     rapid.SampledFrom(texts).Draw(rt, label+" content"),
			})
		}
	}
	switch rapid.IntRange(0, 4).Draw(rt, label+" gen.json") {
	case 0:
		add(0, catalogtest.Material{Destination: "gen.json", Content: "by hand\n"})
	case 1, 2:
		components[0].Registrations = registration("routes", rapid.SampledFrom([]string{"routes", "ways"}).Draw(rt, label+" contract"))
		add(0, catalogtest.Material{Destination: "gen.json", Generator: catalog.GeneratorContractManifestV1})
	case 3:
		add(0, catalogtest.Material{Destination: "gen.json", Generator: catalog.GeneratorContractManifestV1})
	}
	return catalogtest.Catalog{
		Components: components,
		Recipes:    []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app", Default: componentIDs[1:]}},
	}
}

// drawNext makes a later revision: other bytes alone, a change with all versions raised, or anything.
func drawNext(rt *rapid.T, before catalogtest.Catalog) catalogtest.Catalog {
	how := rapid.SampledFrom([]string{"bytes", "raised", "anything"}).Draw(rt, "later revision")
	if how == "anything" {
		return drawCatalog(rt, "new")
	}
	next := before
	next.Components = slices.Clone(before.Components)
	for i := range next.Components {
		c := &next.Components[i]
		var materials []catalogtest.Material
		for _, m := range c.Materials {
			switch rapid.SampledFrom([]string{"keep", "keep", "edit", "drop"}).Draw(rt, "fate of "+m.Destination) {
			case "edit":
				if m.Generator == "" {
					m.Content = rapid.SampledFrom(texts).Draw(rt, "new content")
				}
			case "drop":
				if how == "raised" && len(materials) > 0 {
					continue
				}
			}
			materials = append(materials, m)
		}
		c.Materials = materials
		if how == "raised" {
			c.Version++
			materials = append(materials, catalogtest.Material{Destination: "added/" + c.ID, Content: "added"})
			if rapid.Bool().Draw(rt, "adds") {
				c.Materials = materials
			}
		}
	}
	return next
}

// model is a target as a map: "d" for a folder, "l" for a symlink, "f" and the bytes for a file.
type model map[string]string

func composedModel(t *testing.T, comp *planner.Composition) model {
	tree := model{}
	for i := range comp.Materials {
		tree.put(string(comp.Materials[i].Destination), "f"+content(t, comp, &comp.Materials[i]))
	}
	return tree
}

// put sets what stands at a path, unless a file or link is on the way; "" takes it away.
func (tree model) put(path, node string) {
	var way []string
	for i, c := range path {
		if c == '/' {
			way = append(way, path[:i])
		}
	}
	for _, folder := range way {
		if there := tree[folder]; there != "" && there != "d" {
			return
		}
	}
	if node == "" || tree[path] != node {
		for below := range tree {
			if below == path || strings.HasPrefix(below, path+"/") {
				delete(tree, below)
			}
		}
	}
	if node == "" {
		return
	}
	for _, folder := range way {
		tree[folder] = "d"
	}
	tree[path] = node
}

func (tree model) bend(rt *rapid.T) {
	paths := []string{"c", "C", "G", "H", "a/B", "a/b/x", "c/D", "c/deep", "gen.json"}
	for _, d := range pool {
		paths = append(paths, string(d))
	}
	path := rapid.SampledFrom(paths).Draw(rt, "bent path")
	switch how := rapid.SampledFrom([]string{"delete", "write", "write", "crlf", "folder", "link"}).Draw(rt, "bend"); {
	case how == "delete":
		tree.put(path, "")
	case how == "write":
		tree.put(path, "f"+rapid.SampledFrom(texts).Draw(rt, "bytes"))
	case how == "folder":
		tree.put(path, "d")
	case how == "link":
		tree.put(path, "l")
	case strings.HasPrefix(tree[path], "f"):
		tree.put(path, strings.ReplaceAll(tree[path], "\n", "\r\n"))
	}
}

func (tree model) make(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, node := range tree {
		full := filepath.Join(dir, path)
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil {
			switch node[0] {
			case 'd':
				err = os.MkdirAll(full, 0o755)
			case 'l':
				err = os.Symlink("nowhere", full)
			default:
				err = os.WriteFile(full, []byte(node[1:]), 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// at says what stands at a path, without following a link: "file" and its bytes, or a reason.
func (tree model) at(path string) (string, string) {
	for i, c := range path {
		if c != '/' {
			continue
		}
		switch node := tree[path[:i]]; {
		case node == "":
			return "missing", ""
		case node == "l":
			return "symlink", ""
		case node != "d":
			return "parent-not-directory", ""
		}
	}
	switch node := tree[path]; {
	case node == "":
		return "missing", ""
	case node == "l":
		return "symlink", ""
	case node == "d":
		return "is-directory", ""
	default:
		return "file", node[1:]
	}
}

// taken says why a new file can't be made at a path; "" where it can.
func (tree model) taken(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		here := strings.Join(parts[:i+1], "/")
		for other := range tree {
			if strings.Count(other, "/") == i && strings.EqualFold(other, here) && other != here && other[:len(other)-len(parts[i])] == here[:len(here)-len(parts[i])] {
				return "case-collision"
			}
		}
		switch node := tree[here]; {
		case node == "":
			return ""
		case node == "l":
			return "symlink"
		case node != "d" && i < len(parts)-1:
			return "parent-not-directory"
		}
	}
	if tree[path] == "d" {
		return "is-directory"
	}
	return "exists"
}

// expected is the table of the contract once more, row by row in its order, as prose would tell it.
func expected(t *testing.T, op planner.Operation, old, next *planner.Composition, tree model) []string {
	required, refused := "_UPGRADE_REQUIRED", op == planner.Upgrade
	if refused {
		required = "_NOT_SUPPORTED"
	}
	all := map[lockv2.Destination]string{}
	bytesOf := map[lockv2.Destination]string{}
	for i := range next.Materials {
		m := &next.Materials[i]
		bytesOf[m.Destination] = content(t, next, m)
		all[m.Destination] = "create"
		if why := tree.taken(string(m.Destination)); why != "" {
			all[m.Destination] = "DESTINATION_CONFLICT " + why
		}
	}
	for i := range old.Materials {
		o := &old.Materials[i]
		recorded := content(t, old, o)
		kind, current := tree.at(string(o.Destination))
		at := slices.IndexFunc(next.Materials, func(m planner.Material) bool { return m.Destination == o.Destination })
		supplied := at >= 0
		var result string
		switch {
		case supplied && next.Materials[at].Component != o.Component:
			result = "FILE_OWNER_TRANSITION" + required
		case supplied && next.Materials[at].Ownership != o.Ownership:
			result = "OWNERSHIP_TRANSITION" + required
		case kind != "file":
			result = "OLD_STATE_INVALID " + kind
		case o.Ownership == lockv2.Seed:
			result = "preserve"
		case current != recorded && strings.ReplaceAll(current, "\r\n", "\n") == recorded:
			result = "LOCAL_MODIFICATION line_endings_only"
		case current != recorded:
			result = "LOCAL_MODIFICATION"
		case !supplied:
			result = "remove"
		case bytesOf[o.Destination] == recorded:
			result = "unchanged"
		default:
			result = "replace"
		}
		all[o.Destination] = result
	}
	var lines []string
	for destination, result := range all {
		lines = append(lines, fmt.Sprintf("%s %s", destination, result))
	}
	for _, was := range old.Lock.Components {
		for _, is := range next.Lock.Components {
			switch {
			case was.ID != is.ID || was == is:
			case was.Version == is.Version:
				lines = append(lines, string(was.ID)+" COMPONENT_DESCRIPTOR_CHANGED_WITHOUT_VERSION")
			case op == planner.Update:
				lines = append(lines, string(was.ID)+" COMPONENT_VERSION_UPGRADE_REQUIRED")
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// classified returns what a plan says of every destination, in the model's words.
func classified(p *planner.ManagedPlan) []string {
	var lines []string
	for _, f := range p.Files {
		lines = append(lines, fmt.Sprintf("%s %s", f.Destination, f.Kind))
	}
	for _, c := range p.Conflicts {
		line := fmt.Sprintf("%s%s %s", c.Destination, map[bool]string{true: string(c.Component)}[c.Destination == ""], c.Code)
		if c.Reason != "" {
			line += " " + c.Reason
		}
		for _, d := range c.Details {
			if d.Name == "line_endings_only" {
				line += " line_endings_only"
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func checkNextLock(rt *rapid.T, op planner.Operation, old, next *planner.Composition, p *planner.ManagedPlan) {
	if op == planner.Update && p.Lock.ConfigurationDigest != old.Lock.ConfigurationDigest {
		rt.Fatal("the configuration's digest is not carried")
	}
	if len(p.Lock.Files) != len(next.Materials) {
		rt.Fatalf("%d files in the new lock, %d materials", len(p.Lock.Files), len(next.Materials))
	}
	for i, f := range p.Lock.Files {
		want := lockv2.File{Destination: next.Materials[i].Destination, Component: next.Materials[i].Component, Ownership: next.Materials[i].Ownership, Digest: next.Materials[i].Digest}
		for _, o := range old.Lock.Files {
			if o.Destination == f.Destination && o.Ownership == lockv2.Seed && o.Component == f.Component && o.Ownership == f.Ownership {
				want.Digest = o.Digest
			}
		}
		if f != want {
			rt.Fatalf("the new lock has %+v, want %+v", f, want)
		}
	}
}

// carryOut does what a plan without conflicts says, and checks that each action finds what it is for.
func carryOut(t *testing.T, p *planner.ManagedPlan, dir string) {
	t.Helper()
	for _, a := range p.Actions() {
		full := filepath.Join(dir, string(a.Destination))
		b, err := os.ReadFile(full)
		if a.Kind == planner.Create {
			if !os.IsNotExist(err) {
				t.Errorf("create %s finds something: %v", a.Destination, err)
			}
		} else if sha256.Sum256(b) != a.From {
			t.Errorf("%s %s finds other bytes: %v", a.Kind, a.Destination, err)
		}
		if a.Kind == planner.Remove {
			remove(t, dir, string(a.Destination))
			continue
		}
		write(t, dir, string(a.Destination), content(t, p.Composition, a.Material))
	}
	write(t, dir, lockv2.LockPath, string(p.LockBytes()))
}
