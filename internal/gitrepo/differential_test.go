package gitrepo_test

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"example.org/compose/internal/gitrepo"
)

// TestAttributePatterns holds patterns and attributes against git's own, fixed ones and random ones.
func TestAttributePatterns(t *testing.T) {
	t.Parallel()
	lines := []string{
		"*.c text", "*.c -text", "*.c !text", "*.c text=auto", "a/*.c text", "/a/*.c text", "**/x text", "a/** text",
		"a/**/x text", "**/b/x text", "a** text", "a**/x text", "*x text", "[ab].c text", "[!a].c text", "[^a].c text",
		"[a-c]x text", "[]x].c text", "[[:alpha:]].c text", "[[:digit:][:upper:]]* text", "a\\*b text", "\\a.c text", "?.c text",
		"a?x text", "*/x text", "*/*/x text", "a/ text", "x text eol=lf", "x -text text", "x text -text", "x binary", "x -binary",
		"[attr]mine text\nx mine", "[attr]mine -text\n[attr]mine text\nx mine", "[attr]binary text\nx binary", "[attr] text\nx text",
		"! text", "!x text", "\\!x text", "\"a b\" text", "\"x\\t\" text", "\"x text", "# x text", "  x\t text", "x", "x te$xt text",
		"x -", "x !text\n", "*.[ch] text", "x[ text", "x[a text", "[x text", "a/[b-]x text", "[\\]]x text", "[a-\\c].c text", "A.C text",
		"** text", "/** text", "**/ text", "/x text", "/ text", "a//x text", "*** text", "a***x text", "a/***/x text", "x text\r", "x\ttext",
		"[[:bogus:]]x text", "[[:alpha:]-z]x text", "**x text", "x** text", "a/b text", "b/x text", "*/ text", "**/*x text",
	}
	paths := []string{
		"x", "a.c", "b.c", "c.c", "A.C", "ax", "bx", "a/x", "a/b", "a/b/x", "a/b/c/x", "b/x", "a/a.c", "a/b/a.c", "a b", "a*b", "!x", "].c", "]x",
		"-x", "a/bx", "a/-x", "1.c", "x[", "x[a", "abx", "aabx", "a/bb/x", "#", "text", "[attr]", "zx", "a-c",
	}
	rng := rand.New(rand.NewSource(7))
	pieces := []string{"a", "b", "x", ".c", "*", "**", "/", "?", "[ab]", "[!a]", "\\x", "**/", "/**", "-"}
	for range 150 {
		var p strings.Builder
		for range 1 + rng.Intn(5) {
			p.WriteString(pieces[rng.Intn(len(pieces))])
		}
		lines = append(lines, p.String()+" text")
	}
	var text strings.Builder
	for range 60 {
		fmt.Fprintf(&text, "%s\n", lines[rng.Intn(len(lines))])
	}
	lines = append(lines, text.String())
	for _, fold := range []bool{false, true} {
		g := newGit(t)
		g.run("config", "core.ignoreCase", fmt.Sprint(fold))
		// Each line is that of a folder of its own, but for those that only the top folder may have.
		var asked strings.Builder
		var inFolders []string
		for _, line := range lines {
			if strings.Contains(line, "[attr]") {
				g.write(".gitattributes", line+"\n")
				checkAttributes(t, []string{line}, paths, fold, g.checkAttr(strings.Join(paths, "\x00")+"\x00"))
				g.must(os.Remove(g.file(".gitattributes")))
				continue
			}
			folder := fmt.Sprintf("folder-%d/", len(inFolders))
			g.write(folder+".gitattributes", line+"\n")
			for _, path := range paths {
				asked.WriteString(folder + path + "\x00")
			}
			inFolders = append(inFolders, line)
		}
		checkAttributes(t, inFolders, paths, fold, g.checkAttr(asked.String()))
	}
}

// checkAttr is what git prints of the attribute text of paths.
func (g *gitRepo) checkAttr(paths string) []string {
	g.t.Helper()
	cmd := g.command("check-attr", "-z", "--stdin", "text")
	cmd.Stdin = strings.NewReader(paths)
	out, err := cmd.Output()
	g.must(err)
	return strings.Split(string(out), "\x00")
}

// checkAttributes holds lines against what git printed of each of them for all paths.
func checkAttributes(t *testing.T, lines, paths []string, fold bool, fields []string) {
	t.Helper()
	for i, line := range lines {
		for k, path := range paths {
			if got, want := gitrepo.AttributeValue(line+"\n", path, "text", fold), fields[3*(i*len(paths)+k)+2]; got != want {
				t.Errorf("%q, path %q, fold %v: %s, and git: %s", line, path, fold, got, want)
			}
		}
	}
}
