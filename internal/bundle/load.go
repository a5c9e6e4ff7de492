package bundle

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pack is one package of the module, parsed and type-checked.
type pack struct {
	path  string
	doc   string // the package comment, with a line end; "" for none
	types *types.Package
	files []*source // by name
	decls []*decl   // of all files, in order
}

// source is one file.
type source struct {
	name string // below the module
	text []byte
	file *ast.File
}

// loader reads packages, each after those that it imports.
type loader struct {
	module   Module
	fset     *token.FileSet
	info     *types.Info
	standard types.Importer
	done     map[string]*pack
	order    []*pack
}

func load(m Module) (*universe, error) {
	fset := token.NewFileSet()
	l := &loader{
		module: m, fset: fset, standard: importer.ForCompiler(fset, "source", nil), done: make(map[string]*pack),
		info: &types.Info{
			Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue),
		},
	}
	program, err := l.load(m.Program)
	if err != nil {
		return nil, err
	}
	if program.types.Name() != "main" {
		return nil, fmt.Errorf("%s: is no program", m.Program)
	}
	return &universe{module: m.Path, fset: fset, info: l.info, packages: l.order}, nil
}

// own reports whether path is a package of the module.
func (l *loader) own(path string) bool { return strings.HasPrefix(path, l.module.Path+"/") }

// Import makes the loader a types.Importer.
func (l *loader) Import(path string) (*types.Package, error) {
	if !l.own(path) {
		return l.standard.Import(path)
	}
	p, err := l.load(path)
	if err != nil {
		return nil, err
	}
	return p.types, nil
}

func (l *loader) load(path string) (*pack, error) {
	if p, ok := l.done[path]; ok {
		return p, nil
	}
	below := strings.TrimPrefix(path, l.module.Path+"/")
	names, err := filepath.Glob(filepath.Join(l.module.Dir, filepath.FromSlash(below), "*.go"))
	if err != nil {
		return nil, err
	}
	p := &pack{path: path}
	var files []*ast.File
	for _, name := range names { // sorted
		if strings.HasSuffix(name, "_test.go") || bound(filepath.Base(name)) {
			continue
		}
		src, err := l.parse(name, below+"/"+filepath.Base(name))
		if err != nil {
			return nil, err
		}
		if src == nil {
			continue
		}
		if src.file.Doc != nil {
			p.doc = string(src.text[l.offset(src.file.Doc.Pos()):l.offset(src.file.Doc.End())]) + "\n"
		}
		p.files = append(p.files, src)
		files = append(files, src.file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no Go files", path)
	}
	// go1.24 is what the header promises to the consumer's toolchain.
	config := types.Config{Importer: l, GoVersion: "go1.24"}
	if p.types, err = config.Check(path, l.fset, files, l.info); err != nil {
		return nil, err
	}
	l.done[path] = p
	l.order = append(l.order, p)
	return p, nil
}

func (l *loader) offset(pos token.Pos) int { return l.fset.Position(pos).Offset }

// parse reads a file and refuses what can't be moved into another one; nil for a file that is not for every system.
func (l *loader) parse(path, name string) (*source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(l.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:embed") || strings.HasPrefix(c.Text, "//go:linkname") {
				return nil, fmt.Errorf("%s: holds %q, which can't be written out", name, c.Text)
			}
			if !constraint.IsGoBuild(c.Text) || c.Pos() > file.Package {
				continue
			}
			kept, err := unbound(c.Text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if !kept {
				return nil, nil
			}
		}
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
			return nil, err
		case spec.Name != nil:
			return nil, fmt.Errorf("%s: renames an import, %q", name, imported)
		case imported == "C" || imported == "unsafe" || imported == "embed":
			return nil, fmt.Errorf("%s: imports %q, which can't be written out", name, imported)
		case !l.own(imported) && strings.Contains(strings.Split(imported, "/")[0], "."):
			return nil, fmt.Errorf("%s: imports %q, which is not in the standard library", name, imported)
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			return nil, errors.New(name + ": has an init function")
		}
	}
	return &source{name: name, text: text, file: file}, nil
}

// unbound reports whether a build constraint holds on a system without a name: what is written out has to serve every
// system, so where a package has a file for some and another for the rest, it is the rest's that is kept.
func unbound(line string) (bool, error) {
	expr, err := constraint.Parse(line)
	if err != nil {
		return false, err
	}
	return expr.Eval(func(string) bool { return false }), nil
}

// bound reports whether a file's name binds it to a system.
func bound(name string) bool {
	stem := strings.Split(strings.TrimSuffix(name, ".go"), "_")
	return slices.ContainsFunc(stem[1:], func(s string) bool { return slices.Contains(systems, s) })
}

// systems are the last parts of a file's name that bind it to a system; the rarer ones are left to review.
var systems = []string{"linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "dragonfly", "solaris", "illumos", "aix", "android", "ios", "js", "wasip1", "plan9", "amd64", "arm64", "386", "arm", "wasm"}
