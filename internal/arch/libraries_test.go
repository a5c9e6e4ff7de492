package arch

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// misuse lists the functions that panic when a programmer uses them wrongly, as their doc comments say. Hostile
// input never reaches one of these panics.
var misuse = map[string]bool{}

// writers match the files that write: below a target what is behind one small interface, for each kind of system, and
// one file of each package that keeps what was fetched, so that whoever asks what a crash leaves behind has one place
// to read.
var writers = []string{"txn/disk_*.go", "internal/gitcache/disk.go", "internal/gitpack/disk.go", "internal/scaffold/disk.go"}

// Libraries print nothing, read no environment, end no process, and leave writing to package txn.
func TestLibraries(t *testing.T) {
	report(t, checkLibraries(load(t, moduleRoot), misuse, writers))
	wantFindings(t, checkLibraries(load(t, brokenRoot), map[string]bool{"planner.Must": true, "planner.Gone": true}, []string{"planner/wr*.go"}),
		"planner/noisy.go:11: a library does not call os.Exit",
		"planner/noisy.go:12: a library does not call log.Fatal",
		"planner/noisy.go:13: a library does not call fmt.Println",
		"planner/noisy.go:14: a library does not use os.Stderr",
		"planner/noisy.go:15: a library does not call os.Getenv",
		"planner/noisy.go:16: a library does not call println",
		"planner/noisy.go:17: Noise panics",
		"catalog/writes.go:10: only",
		"catalog/writes.go:11: only",
		"catalog/writes.go:12: only",
		"planner.Gone is listed in misuse and does not panic",
	)
}

// noisy are the functions and variables of the standard library that a library leaves alone, by package.
var noisy = map[string]func(name string) bool{
	"fmt": func(name string) bool { return strings.HasPrefix(name, "Print") },
	"log": func(name string) bool { return true },
	"os": func(name string) bool {
		return slices.Contains([]string{"Exit", "Stdin", "Stdout", "Stderr", "Getenv", "LookupEnv", "Environ", "ExpandEnv"}, name)
	},
}

// writing are functions, and methods of os.Root and os.File, that change a file system.
var writing = []string{
	"Chmod", "Chown", "Chtimes", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile",
	"Remove", "RemoveAll", "Rename", "Symlink", "Sync", "Truncate", "WriteFile",
}

// unixWriting are those of golang.org/x/sys/unix and syscall.
var unixWriting = []string{
	"Chmod", "Fchmod", "Fchmodat", "Fdatasync", "Fsync", "Ftruncate", "Link", "Linkat", "Mkdir", "Mkdirat", "Mknod", "Mknodat",
	"Rename", "RenameatxNp", "Renameat", "Renameat2", "Rmdir", "Symlink", "Symlinkat", "Syncfs", "Truncate", "Unlink", "Unlinkat",
}

func checkLibraries(s *source, misuse map[string]bool, writers []string) []string {
	var findings []string
	panics := make(map[string]bool)
	for _, f := range s.files {
		if !f.library() {
			continue
		}
		names := importNames(f)
		for _, decl := range f.Decls {
			where := ""
			if fn, ok := decl.(*ast.FuncDecl); ok {
				where = fn.Name.Name
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					findings = append(findings, noise(s, f, names, n)...)
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok {
						switch id.Name {
						case "print", "println":
							findings = append(findings, fmt.Sprintf("%s: a library does not call %s", s.at(f, n), id.Name))
						case "panic":
							panics[f.pkg+"."+where] = true
							if !misuse[f.pkg+"."+where] {
								findings = append(findings, fmt.Sprintf("%s: %s panics; return an error, or document the misuse and list it here", s.at(f, n), where))
							}
						}
					}
					own := slices.ContainsFunc(writers, func(pattern string) bool {
						own, _ := path.Match(pattern, f.path)
						return own
					})
					if !own && writes(names, n) {
						findings = append(findings, fmt.Sprintf("%s: only %s write", s.at(f, n), strings.Join(writers, ", ")))
					}
				}
				return true
			})
		}
	}
	for _, name := range keys(misuse) {
		if !panics[name] {
			findings = append(findings, name+" is listed in misuse and does not panic")
		}
	}
	return findings
}

// noise reports a use of what a library leaves alone.
func noise(s *source, f *file, names map[string]string, n *ast.SelectorExpr) []string {
	id, ok := n.X.(*ast.Ident)
	if !ok {
		return nil
	}
	pkg := names[id.Name]
	if is, listed := noisy[pkg]; !listed || !is(n.Sel.Name) {
		return nil
	}
	verb := "call"
	if strings.HasPrefix(n.Sel.Name, "Std") {
		verb = "use"
	}
	return []string{fmt.Sprintf("%s: a library does not %s %s.%s", s.at(f, n), verb, pkg, n.Sel.Name)}
}

// writes reports whether a call may change a file system. In a file that imports os, a method counts by its name,
// whatever has it: without types nothing better is known. A file without os holds no os.Root and no os.File of its own.
func writes(names map[string]string, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if id, ok := sel.X.(*ast.Ident); ok && names[id.Name] != "" {
		switch names[id.Name] {
		case "os":
		case "golang.org/x/sys/unix", "golang.org/x/sys/windows", "syscall":
			return slices.Contains(unixWriting, sel.Sel.Name)
		default:
			return false // a function of some other package, such as a constructor
		}
	}
	if importsOS := slices.Contains(slices.Collect(maps.Values(names)), "os"); !importsOS || !slices.Contains(writing, sel.Sel.Name) {
		return false
	}
	// OpenFile writes only when its flags say so; rootfs.OpenFile has none.
	return sel.Sel.Name != "OpenFile" || len(call.Args) == 3 && mentions(call.Args[1], "O_WRONLY", "O_RDWR", "O_CREATE", "O_TRUNC", "O_APPEND")
}

// mentions reports whether one of the names is somewhere in the expression.
func mentions(e ast.Expr, names ...string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(names, id.Name) {
			found = true
		}
		return !found
	})
	return found
}

// importNames returns the import path behind each package name of a file.
func importNames(f *file) map[string]string {
	names := make(map[string]string)
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := p[strings.LastIndex(p, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// keys returns the names of a set, sorted.
func keys(set map[string]bool) []string {
	list := []string{}
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Every package says what it is for.
func TestPackageComments(t *testing.T) {
	check := func(s *source) []string {
		comments := make(map[string]int)
		for _, f := range s.files {
			if !strings.HasSuffix(f.path, "_test.go") {
				comments[f.pkg] += 0
				if f.Doc != nil {
					comments[f.pkg]++
				}
			}
		}
		var findings []string
		for pkg, n := range comments {
			if n != 1 {
				findings = append(findings, fmt.Sprintf("package %s has %d package comments, want one", pkg, n))
			}
		}
		slices.Sort(findings)
		return findings
	}
	report(t, check(load(t, moduleRoot)))
	wantFindings(t, check(load(t, brokenRoot)), "package stray has 0 package comments")
}
