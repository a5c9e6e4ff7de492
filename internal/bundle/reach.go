package bundle

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// universe is everything that may be written out.
type universe struct {
	module   string
	fset     *token.FileSet
	info     *types.Info
	packages []*pack // each after those that it imports; the program is the last

	units    map[types.Object]*unit // by package-level object or method
	names    map[types.Object]string
	dynamic  map[string]bool // names of methods that may be called through an interface
	standard map[string]string
}

// decl is one declaration of a file: a function, or a group of constants, variables or types.
type decl struct {
	group string // const, var or type, where the parts are written one by one; "" where the whole is one unit
	doc   string // the comment of a group, with a line end
	units []*unit
}

// unit is the least that is kept or left out.
type unit struct {
	u          *universe
	src        *source
	node       ast.Node
	start, end int // bytes of src.text, comments included
	objects    []types.Object
	receiver   *types.TypeName // of a method
	reached    bool
}

// divide cuts the packages into units.
func divide(u *universe) (*universe, error) {
	u.units = make(map[types.Object]*unit)
	for _, p := range u.packages {
		for _, src := range p.files {
			for _, d := range src.file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					p.decls = append(p.decls, u.function(src, d))
				case *ast.GenDecl:
					if d.Tok != token.IMPORT {
						p.decls = append(p.decls, u.group(src, d))
					}
				}
			}
		}
	}
	return u, nil
}

func (u *universe) function(src *source, d *ast.FuncDecl) *decl {
	n := u.unit(src, d, d.Doc, nil)
	u.define(n, d.Name)
	if f, ok := u.info.Defs[d.Name].(*types.Func); ok && d.Recv != nil {
		n.receiver = receiver(f)
	}
	return &decl{units: []*unit{n}}
}

// receiver returns the name of the type that f is a method of; nil for a function.
func receiver(f *types.Func) *types.TypeName {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}

func (u *universe) group(src *source, d *ast.GenDecl) *decl {
	if !d.Lparen.IsValid() || d.Tok == token.CONST && counted(d) {
		n := u.unit(src, d, d.Doc, nil)
		for _, spec := range d.Specs {
			u.define(n, specNames(spec)...)
		}
		return &decl{units: []*unit{n}}
	}
	group := &decl{group: d.Tok.String()}
	if d.Doc != nil {
		group.doc = string(src.text[u.offset(d.Doc.Pos()):u.offset(d.Doc.End())]) + "\n"
	}
	for _, spec := range d.Specs {
		var n *unit
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			n = u.unit(src, spec, spec.Doc, spec.Comment)
		case *ast.TypeSpec:
			n = u.unit(src, spec, spec.Doc, spec.Comment)
		}
		u.define(n, specNames(spec)...)
		group.units = append(group.units, n)
	}
	return group
}

// counted reports whether a constant of d takes its value from its place.
func counted(d *ast.GenDecl) bool {
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		found := len(v.Values) == 0
		for _, value := range v.Values {
			ast.Inspect(value, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && id.Name == "iota"
				return true
			})
		}
		if found {
			return true
		}
	}
	return false
}

func specNames(spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		return spec.Names
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}
	}
	return nil
}

func (u *universe) offset(pos token.Pos) int { return u.fset.Position(pos).Offset }

func (u *universe) unit(src *source, n ast.Node, doc, comment *ast.CommentGroup) *unit {
	part := &unit{u: u, src: src, node: n, start: u.offset(n.Pos()), end: u.offset(n.End())}
	if doc != nil {
		part.start = u.offset(doc.Pos())
	}
	if comment != nil {
		part.end = u.offset(comment.End())
	}
	return part
}

func (u *universe) define(n *unit, names ...*ast.Ident) {
	for _, name := range names {
		if obj := u.info.Defs[name]; obj != nil {
			n.objects = append(n.objects, obj)
			u.units[obj] = n
		}
	}
}

// reach marks what the program can come to: what is named in something reached, and of the methods of a
// reached type those that are named, or that an interface may call.
func (u *universe) reach() error {
	program := u.packages[len(u.packages)-1]
	start := program.types.Scope().Lookup("main")
	if start == nil {
		return fmt.Errorf("%s: has no main function", program.path)
	}
	u.standard = make(map[string]string)
	// Called by package fmt and package errors, whose parameters do not say so.
	u.dynamic = map[string]bool{"Error": true, "String": true, "Unwrap": true, "Is": true, "As": true}
	if err := u.mark(start); err != nil {
		return err
	}
	for again := true; again; {
		again = false
		for _, p := range u.packages {
			for _, d := range p.decls {
				for _, n := range d.units {
					if n.reached || n.receiver == nil || !u.dynamic[n.objects[0].Name()] || !u.units[n.receiver].reached {
						continue
					}
					again = true
					if err := u.mark(n.objects[0]); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (u *universe) mark(obj types.Object) error {
	part, ok := u.units[origin(obj)]
	if !ok || part.reached {
		return nil
	}
	part.reached = true
	var err error
	ast.Inspect(part.node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || err != nil {
			return err == nil
		}
		used := u.info.Uses[id]
		if used == nil {
			return true
		}
		if name, ok := used.(*types.PkgName); ok {
			err = u.imported(name.Imported())
			return err == nil
		}
		u.interfaces(used.Type(), 0)
		err = u.mark(used)
		return err == nil
	})
	return err
}

// origin returns the declared object of one that belongs to an instance of a generic type.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}

// imported notes a package of the standard library.
func (u *universe) imported(p *types.Package) error {
	if strings.HasPrefix(p.Path(), u.module+"/") {
		return nil
	}
	if other, ok := u.standard[p.Name()]; ok && other != p.Path() {
		return fmt.Errorf("%s and %s have the same name", other, p.Path())
	}
	u.standard[p.Name()] = p.Path()
	return nil
}

// imports returns the packages of the standard library that are reached, sorted.
func (u *universe) imports() []string {
	var list []string
	for _, path := range u.standard {
		list = append(list, path)
	}
	slices.Sort(list)
	return list
}

// interfaces notes the methods of the interfaces that t asks for: as itself, or as a parameter or result.
func (u *universe) interfaces(t types.Type, depth int) {
	if t == nil || depth > 2 {
		return
	}
	switch under := t.Underlying().(type) {
	case *types.Interface:
		for m := range under.Methods() {
			u.dynamic[m.Name()] = true
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{under.Params(), under.Results()} {
			for v := range tuple.Variables() {
				u.interfaces(v.Type(), depth+1)
			}
		}
	case *types.Slice:
		u.interfaces(under.Elem(), depth+1)
	}
}
