package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// docs/codes.md and the Code constants of the source list the same codes.
func TestCodes(t *testing.T) {
	report(t, checkCodes(t, load(t, moduleRoot), moduleRoot+"/docs/codes.md"))
	wantFindings(t, checkCodes(t, load(t, brokenRoot), brokenRoot+"/docs/codes.md"),
		"UNWRITTEN (catalog/codes.go:8) is missing in",
		"UNKNOWN_TO_SOURCE is listed and no constant has it",
		"LISTED_TWICE has 2 headings",
		"catalog/codes.go:15: the code LISTED_TWICE is spelled out; use its constant",
	)
}

// A code stands alone in a heading of the second or third level.
var heading = regexp.MustCompile("(?m)^##+ `?([A-Z][A-Z0-9_]*[A-Z0-9])`?$")

func checkCodes(t *testing.T, s *source, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]int)
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]]++
	}
	declared := codeConstants(s)
	var findings []string
	for code, where := range declared {
		if listed[code] == 0 {
			findings = append(findings, fmt.Sprintf("%s (%s) is missing in %s", code, where, page))
		}
	}
	for code, n := range listed {
		if declared[code] == "" {
			findings = append(findings, fmt.Sprintf("%s: %s is listed and no constant has it", page, code))
		}
		if n > 1 {
			findings = append(findings, fmt.Sprintf("%s: %s has %d headings", page, code, n))
		}
	}
	findings = append(findings, spelledOut(s, declared)...)
	slices.Sort(findings)
	return findings
}

// codeConstants returns where each code is declared: the value of a constant named Code... or code...
func codeConstants(s *source) map[string]string {
	codes := make(map[string]string)
	for _, f := range s.files {
		if f.test {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, value := range spec.Values {
					if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasPrefix(strings.ToLower(spec.Names[i].Name), "code") {
						code, _ := strconv.Unquote(lit.Value)
						codes[code] = s.at(f, lit)
					}
				}
			}
			return true
		})
	}
	return codes
}

// spelledOut finds codes that are written as a text where a constant belongs.
func spelledOut(s *source, declared map[string]string) []string {
	var findings []string
	for _, f := range s.files {
		if f.test {
			continue
		}
		for _, decl := range f.Decls {
			if _, isFunc := decl.(*ast.FuncDecl); !isFunc {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if code, _ := strconv.Unquote(lit.Value); declared[code] != "" {
						findings = append(findings, fmt.Sprintf("%s: the code %s is spelled out; use its constant", s.at(f, lit), code))
					}
				}
				return true
			})
		}
	}
	return findings
}
