package bundle

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rename gives each reached package-level object its name in the merged file.
func (u *universe) rename() error {
	u.names = make(map[types.Object]string)
	taken := make(map[string]types.Object)
	for _, p := range u.packages {
		for _, d := range p.decls {
			for _, n := range d.units {
				if !n.reached || n.receiver != nil {
					continue
				}
				for _, obj := range n.objects {
					name := u.merged(p, obj.Name())
					if other, ok := taken[name]; ok {
						return fmt.Errorf("%s and %s would both be %s", other, obj, name)
					}
					taken[name] = obj
					u.names[obj] = name
				}
			}
		}
	}
	// A local name must not hide a merged one.
	for id, obj := range u.info.Defs {
		if obj != nil && u.units[obj] == nil && taken[id.Name] != nil && obj.Parent() != nil {
			return fmt.Errorf("%s: %s hides a name of the merged file", u.fset.Position(id.Pos()), id.Name)
		}
	}
	return nil
}

// merged puts the package's name before the name of an object; the program's own names stay.
func (u *universe) merged(p *pack, name string) string {
	if p == u.packages[len(u.packages)-1] || name == "_" {
		return name
	}
	first, size := utf8.DecodeRuneInString(name)
	upper := string(unicode.ToUpper(first)) + name[size:]
	if upper != name && p.types.Scope().Lookup(upper) != nil {
		return p.types.Name() + "_" + name // the exported namesake has the plain form
	}
	return p.types.Name() + upper
}

// newName returns what id is called in the merged file; "" where it keeps its name.
func (u *universe) newName(id *ast.Ident) string {
	obj := u.info.Uses[id]
	if obj == nil {
		obj = u.info.Defs[id]
	}
	if obj == nil {
		return ""
	}
	if v, ok := obj.(*types.Var); ok && v.Embedded() {
		// A field that is named after its type.
		t := v.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			return u.names[n.Origin().Obj()]
		}
	}
	return u.names[origin(obj)]
}

// edit is a piece of a file and what it becomes.
type edit struct {
	start, end int
	text       string
}

// text returns the unit's text with the names of the merged file.
func (n *unit) text() string {
	var edits []edit
	add := func(start, end token.Pos, text string) {
		edits = append(edits, edit{n.u.offset(start), n.u.offset(end), text})
	}
	ast.Inspect(n.node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			id, ok := node.X.(*ast.Ident)
			if !ok {
				return true
			}
			if _, ok := n.u.info.Uses[id].(*types.PkgName); ok {
				if name := n.u.newName(node.Sel); name != "" {
					add(node.Pos(), node.End(), name)
				}
				return false
			}
		case *ast.Ident:
			if name := n.u.newName(node); name != "" {
				add(node.Pos(), node.End(), name)
			}
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	at := n.start
	for i, e := range edits {
		if i == 0 {
			// A comment that begins with the old name begins with the new one.
			comment := string(n.src.text[at:e.start])
			old := string(n.src.text[e.start:e.end])
			comment = strings.Replace(comment, "// "+old+" ", "// "+e.text+" ", 1)
			b.WriteString(comment)
		} else {
			b.Write(n.src.text[at:e.start])
		}
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(n.src.text[at:n.end])
	return b.String()
}
