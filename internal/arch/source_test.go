package arch

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	modulePath = "example.org/compose"
	moduleRoot = "../.."
	brokenRoot = "testdata/house" // a module of the same path that breaks every rule
)

// A source is every Go file of a module, whatever system it is for.
type source struct {
	fset  *token.FileSet
	files []*file // by path
}

// A file is one parsed Go file.
type file struct {
	path string // below the module's root, with slashes
	pkg  string // the folder, such as internal/diag; "." for the root
	test bool   // of a test, or of a package that serves tests: its name ends in test, or it is internal/gitserver
	*ast.File
}

// library reports whether the file is part of what others build on: it is no test and belongs to no command.
func (f *file) library() bool {
	return !f.test && f.Name.Name != "main" && !strings.HasPrefix(f.pkg, "cmd/")
}

// imports returns the paths that the file imports.
func (f *file) imports() []string {
	var list []string
	for _, spec := range f.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser took it
		}
		list = append(list, name)
	}
	return list
}

// at returns where a node stands, as path:line.
func (s *source) at(f *file, n ast.Node) string {
	return f.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// load parses the module below root. Folders that go commands pass by are passed by here too.
func load(t *testing.T, root string) *source {
	t.Helper()
	s := &source{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := d.Name()
			if name != root && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // an editor's temporary file
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		parsed, err := parser.ParseFile(s.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s.files = append(s.files, &file{path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go") || strings.HasSuffix(path.Dir(rel), "test") || path.Dir(rel) == "internal/gitserver", File: parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.files) == 0 {
		t.Fatalf("no Go files below %s", root)
	}
	return s
}

// report fails the test once for each finding.
func report(t *testing.T, findings []string) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}

// wantFindings fails unless each wanted text is in a finding of its own, and there is none beside them.
func wantFindings(t *testing.T, findings []string, want ...string) {
	t.Helper()
	left := append([]string(nil), findings...)
	for _, w := range want {
		found := false
		for i, f := range left {
			if strings.Contains(f, w) {
				left = append(left[:i], left[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("the broken module: no finding with %q", w)
		}
	}
	for _, f := range left {
		t.Errorf("the broken module: unexpected finding: %s", f)
	}
}
