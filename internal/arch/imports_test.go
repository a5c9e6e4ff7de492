package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// layers is the picture in docs/architecture.md, from the ground up. A package imports only packages of the
// lines above its own.
var layers = [][]string{
	{"docs", "fingerprint", "internal/diag", "internal/filelock", "internal/glob", "internal/plainfile", "internal/portable", "internal/screen", "internal/strictjson"},
	{"fingerprint/scsha", "fingerprint/skillrx", "fingerprint/treedigest", "internal/collation", "internal/gitconfig", "internal/giturl", "internal/jsonplace", "internal/jsonschema", "internal/manual", "internal/signature"},
	{"internal/credential", "internal/gitssh", "lockv2", "schemas"},
	{"internal/gitrepo", "internal/gitwire", "internal/rootfs", "policy"},
	{"internal/gitpack", "internal/starter", "resolver/include", "validator"},
	{"internal/gitlocal"},
	{"internal/gitcache"},
	{"catalog", "internal/skills"},
	{"internal/codehost", "internal/history", "resolver"},
	{"internal/scaffold", "planner"},
	{"internal/graph", "internal/review", "txn"},
	{"internal/report"},
	{"bindings/python/native", "cmd/compose", "docs/examples/contextcache", "docs/examples/filetable", "internal/benchcmp/calls", "internal/benchcmp/limit", "internal/benchcmp/sample"},
	{"internal/arch", "internal/benchcmp", "internal/bundle", "internal/bundle/consumer", "internal/catalogtest", "internal/dropin", "internal/gitserver", "internal/targettest"},
}

// modules lists the modules from elsewhere that each package may use. The others, and everything that the
// consumer's validator is made of, use the standard library alone.
var modules = map[string][]string{
	"cmd/compose":             {"github.com/alecthomas/kong", "github.com/google/renameio/v2", "golang.org/x/term"},
	"internal/benchcmp":       {"golang.org/x/sys"},
	"internal/benchcmp/limit": {"golang.org/x/sys"},
	"internal/review":         {"github.com/rogpeppe/go-internal"},
	"internal/screen":         {"golang.org/x/sys", "golang.org/x/term", "golang.org/x/text"},
	"internal/collation":      {"golang.org/x/text"},
	"internal/filelock":       {"golang.org/x/sys"},
	"internal/gitcache":       {"github.com/go-git/go-git/v5"},
	"internal/gitlocal":       {"github.com/go-git/go-git/v5"},
	"internal/gitpack":        {"github.com/go-git/go-git/v5"},
	"internal/gitrepo":        {"github.com/go-git/go-git/v5", "golang.org/x/sys"},
	"internal/gitssh":         {"golang.org/x/crypto"},
	"internal/gitwire":        {"github.com/go-git/go-git/v5"},
	"internal/signature":      {"github.com/ProtonMail/go-crypto", "golang.org/x/crypto"},
	"internal/starter":        {"github.com/go-git/go-git/v5"},
	"txn":                     {"golang.org/x/sys"},
}

// cgo is the only package that C may be part of: compose itself is built without a C compiler.
const cgo = "bindings/python/native"

// testModules lists what tests, and the packages that serve them, may use beside that.
var testModules = []string{
	"github.com/go-git/go-git/v5",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema/v5",
	"go.yaml.in/yaml/v3",
	"golang.org/x/sys",
	"pgregory.net/rapid",
}

// standalone are the packages that one generator writes out as the consumer's validator: they and what they
// import, at any depth, use the standard library alone.
var standalone = []string{"fingerprint", "fingerprint/scsha", "fingerprint/skillrx", "fingerprint/treedigest", "internal/bundle/consumer", "lockv2", "validator"}

func TestImports(t *testing.T) {
	report(t, checkImports(load(t, moduleRoot)))
	wantFindings(t, checkImports(load(t, brokenRoot)),
		"fingerprint/kong.go imports github.com/alecthomas/kong, which is not among the modules of fingerprint",
		"lockv2/up.go imports planner, which is not below lockv2",
		"planner/planner_test.go imports example.com/assert, which is not among the modules of the tests of planner",
		"planner/plans_plan9.go imports example.com/plans, which is not among the modules of planner",
		"catalog/cgo.go imports C, which only bindings/python/native may",
		"catalog/writes.go imports golang.org/x/sys/unix, which is not among the modules of catalog",
		"stray/stray.go: package stray has no place",
		"lockv2 is to use the standard library alone: lockv2 -> fingerprint -> github.com/alecthomas/kong",
		"fingerprint is to use the standard library alone: fingerprint -> github.com/alecthomas/kong",
		"lockv2 is to use the standard library alone: lockv2 -> planner -> example.com/plans",
	)
}

// Every package that is named here exists and uses what it may use, so that a table does not outlive its reasons.
func TestTablesAreCurrent(t *testing.T) {
	files := load(t, moduleRoot).files
	there := make(map[string]bool)
	for _, f := range files {
		there[f.pkg] = true
	}
	for _, pkg := range slices.Concat(slices.Concat(layers...), slices.Collect(maps.Keys(modules)), standalone) {
		if !there[pkg] {
			t.Errorf("package %s is in a table and not in the module", pkg)
		}
	}
	for pkg, list := range modules {
		for _, m := range list {
			if !slices.ContainsFunc(files, func(f *file) bool {
				return f.pkg == pkg && !f.test && slices.ContainsFunc(f.imports(), func(name string) bool { return of(name, []string{m}) })
			}) {
				t.Errorf("package %s may use %s and does not", pkg, m)
			}
		}
	}
	for _, m := range testModules {
		if !slices.ContainsFunc(files, func(f *file) bool {
			return f.test && slices.ContainsFunc(f.imports(), func(name string) bool { return of(name, []string{m}) })
		}) {
			t.Errorf("tests may use %s and do not", m)
		}
	}
}

func checkImports(s *source) []string {
	rank := make(map[string]int)
	for i, layer := range layers {
		for _, pkg := range layer {
			rank[pkg] = i
		}
	}
	var findings []string
	finding := func(format string, args ...any) { findings = append(findings, fmt.Sprintf(format, args...)) }
	for _, f := range s.files {
		own, placed := rank[f.pkg]
		if !placed {
			finding("%s: package %s has no place in layers", f.path, f.pkg)
			continue
		}
		for _, name := range f.imports() {
			below, inside := strings.CutPrefix(name, modulePath+"/")
			switch {
			case inside:
				// A test may look down from above: an example of lockv2 may use txn.
				if r, placed := rank[below]; !f.test && (!placed || r >= own) {
					finding("%s imports %s, which is not below %s", f.path, below, f.pkg)
				}
			case standard(name):
			case name == "C":
				if f.pkg != cgo {
					finding("%s imports C, which only %s may", f.path, cgo)
				}
			case f.test:
				if !of(name, slices.Concat(modules[f.pkg], testModules)) {
					finding("%s imports %s, which is not among the modules of the tests of %s", f.path, name, f.pkg)
				}
			case !of(name, modules[f.pkg]):
				finding("%s imports %s, which is not among the modules of %s", f.path, name, f.pkg)
			}
		}
	}
	return append(findings, checkStandalone(s)...)
}

// checkStandalone follows the imports of each standalone package, for every system at once.
func checkStandalone(s *source) []string {
	imports := make(map[string][]string)
	for _, f := range s.files {
		if !f.test {
			imports[f.pkg] = append(imports[f.pkg], f.imports()...)
		}
	}
	var findings []string
	for _, root := range standalone {
		seen := make(map[string]bool)
		var walk func(pkg, chain string)
		walk = func(pkg, chain string) {
			if seen[pkg] {
				return
			}
			seen[pkg] = true
			for _, name := range slices.Compact(slices.Sorted(slices.Values(imports[pkg]))) {
				if below, inside := strings.CutPrefix(name, modulePath+"/"); inside {
					walk(below, chain+" -> "+below)
				} else if !standard(name) {
					findings = append(findings, fmt.Sprintf("%s is to use the standard library alone: %s -> %s", root, chain, name))
				}
			}
		}
		walk(root, root)
	}
	return findings
}

// standard reports whether an import path is of the standard library: its first part has no dot.
func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".") && name != "C"
}

// of reports whether the package of that path belongs to one of the modules.
func of(name string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") })
}
