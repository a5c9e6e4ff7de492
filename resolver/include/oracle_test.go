package include_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/resolver/include"
)

// oracle expands by the plain reading of docs/includes.md, every file as often as it is included. It knows no bound of
// length, so it is for small texts.
type oracle struct {
	files     *memory
	materials bool
	depth     int
	steps     int // left

	text    strings.Builder
	nodes   []string
	edges   []string
	counts  map[string]int
	reached map[string][]string // includes of each file, in order
	stack   []string
}

// stop ends the oracle's recursion.
type stop struct {
	code  string
	chain []string
}

var errTooLong = errors.New("too long for the oracle")

func (o *oracle) run(start string) (failed *stop, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			failed = &r
		case error:
			err = r
		default:
			panic(r)
		}
	}()
	place, err := o.files.Locate(context.Background(), include.Place{Path: "."}, start)
	if err != nil {
		return &stop{codeOf(err), []string{}}, nil
	}
	o.file(place)
	return nil, nil
}

func codeOf(err error) string {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		return coded.Code()
	}
	return err.Error()
}

func (o *oracle) fail(code string, more ...string) {
	panic(stop{code, append(slices.Clone(o.stack), more...)})
}

func (o *oracle) file(place include.Place) {
	if o.steps--; o.steps < 0 {
		panic(errTooLong)
	}
	name := place.Source()
	if len(o.stack) > o.depth {
		o.fail("ERR_INCLUDE_DEPTH")
	}
	if slices.Contains(o.stack, name) {
		o.fail("ERR_INCLUDE_CYCLE", name)
	}
	o.stack = append(o.stack, name)
	_, seen := o.reached[name]
	if strings.ContainsAny(name, "\\") || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) || !utf8.ValidString(name) {
		o.fail("ERR_CONFIG_READ")
	}
	raw, isFile := o.files.files[o.files.path(place)]
	if !isFile {
		o.fail("ERR_INCLUDE_IS_A_DIRECTORY")
	}
	if !utf8.ValidString(raw) {
		o.fail("ERR_CONFIG_READ")
	}
	if !seen {
		o.nodes = append(o.nodes, name)
	}
	o.reached[name] = []string{}
	if !o.materials {
		raw = o.unfronted(raw)
	}
	for line := range strings.Lines(raw) {
		o.line(place, line)
	}
	o.stack = o.stack[:len(o.stack)-1]
}

var block = regexp.MustCompile(`\A---\r?\n((?:.*\n)*?)(?:---|\.\.\.)\r*(?:\n|\z)`)

// unfronted takes front matter off.
func (o *oracle) unfronted(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	for n := 0; strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") || text == "---"; n++ {
		m := block.FindStringSubmatch(text)
		if m == nil {
			panic(stop{"ERR_CONFIG_PARSE", []string{}})
		}
		if n > 0 && regexp.MustCompile(`\{[{%#]`).MatchString(m[1]) {
			break
		}
		text = text[len(m[0]):]
	}
	return text
}

var choice = regexp.MustCompile(`(?s)^\s*\{\{(.*?) if (.*?) else (.*)\}\}\s*$`)

func (o *oracle) line(place include.Place, line string) {
	trimmed := strings.TrimSpace(line)
	if !strings.HasPrefix(trimmed, "@<") {
		o.text.WriteString(line)
		return
	}
	if !strings.HasSuffix(trimmed, ">") || len(trimmed) <= 3 {
		o.fail("ERR_INCLUDE_DYNAMIC_UNRESOLVED")
	}
	target := trimmed[2 : len(trimmed)-1]
	if m := choice.FindStringSubmatch(target); m != nil {
		then, okThen := literal(m[1])
		otherwise, okOtherwise := literal(m[3])
		condition := strings.TrimSpace(m[2])
		if !okThen || !okOtherwise || condition == "" || o.materials {
			o.fail("ERR_INCLUDE_DYNAMIC_UNRESOLVED")
		}
		o.text.WriteString("{% if " + condition + " %}")
		o.include(place, then)
		o.text.WriteString("{% else %}")
		o.include(place, otherwise)
		o.text.WriteString("{% endif %}")
		return
	}
	if inner, found := strings.CutPrefix(strings.TrimSpace(target), "{{"); found && strings.HasSuffix(inner, "}}") {
		var ok bool
		if target, ok = literal(strings.TrimSuffix(inner, "}}")); !ok {
			o.fail("ERR_INCLUDE_DYNAMIC_UNRESOLVED")
		}
	}
	if regexp.MustCompile(`\{\{|\{%|\$\{`).MatchString(target) {
		o.fail("ERR_INCLUDE_DYNAMIC_UNRESOLVED")
	}
	o.include(place, target)
}

func literal(text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, quote := range []string{`"`, `'`} {
		if len(text) > 2 && strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote) {
			text = text[1 : len(text)-1]
			bad := strings.Contains(text, "{{") || strings.Contains(text, "}}") || strings.Contains(text, " if ") || strings.Contains(text, " else ") ||
				strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
			return text, !bad
		}
	}
	return "", false
}

func (o *oracle) include(from include.Place, target string) {
	var folder include.Place
	folder.Root = from.Root
	if i := strings.LastIndexByte(from.Path, '/'); i >= 0 {
		folder.Path = from.Path[:i]
	} else {
		folder.Path = "."
	}
	type try struct {
		base   include.Place
		target string
	}
	tries := []try{{folder, target}, {include.Place{Path: "."}, target}}
	if o.materials {
		tries[1].base.Root = from.Root
		if rest, found := strings.CutPrefix(target, "partials/"); found {
			tries = append(tries, try{include.Place{Root: 1, Path: "."}, rest})
		}
	}
	var place include.Place
	var err error
	for _, t := range tries {
		if place, err = o.files.Locate(context.Background(), t.base, t.target); err == nil || codeOf(err) != "ERR_INCLUDE_NOT_FOUND" {
			break
		}
	}
	if err != nil {
		o.fail(codeOf(err))
	}
	parent, child := from.Source(), place.Source()
	o.edges = append(o.edges, fmt.Sprintf("%s>%s %d", parent, child, o.counts[parent]))
	o.counts[parent]++
	o.file(place)
	o.reached[parent] = append(o.reached[parent], child)
}

// against holds what Resolve makes of files against the oracle, and returns what came out: "" or a code.
func against(t *testing.T, files *memory, start string, how include.Options) (code string) {
	t.Helper()
	o := &oracle{files: files, materials: how.Profile == include.Materials, depth: how.Depth, steps: 2000, counts: map[string]int{}, reached: map[string][]string{}}
	failed, long := o.run(start)
	c, err := include.Resolve(context.Background(), files, start, how)
	for name, n := range files.reads {
		if n > 1 {
			t.Fatalf("%s was read %d times", name, n)
		}
	}
	if long != nil {
		return "too long" // no answer from the oracle; that Resolve came to an end is enough
	}
	if failed != nil {
		if code, chain := fault(err); code != failed.code || !slices.Equal(chain, failed.chain) {
			t.Fatalf("%v: %s %q, want %s %q", err, code, chain, failed.code, failed.chain)
		}
		return failed.code
	}
	if err != nil {
		t.Fatalf("%v; the oracle has no fault", err)
	}
	if got := expansion(t, c); got != o.text.String() {
		t.Fatalf("text %q, want %q", got, o.text.String())
	}
	m, err := c.Manifest()
	must(t, err)
	var nodes, edges []string
	for i, n := range m.Nodes {
		nodes = append(nodes, n.Source.Value)
		sum, err := scsha.CalculateHash([]byte(files.files[files.path(c.Files()[i])]))
		if err != nil || n.SHA256 != sum.String() {
			t.Fatalf("%s has the digest %s, want %s, %v", n.Source.Value, n.SHA256, sum, err)
		}
	}
	for _, e := range m.Edges {
		edges = append(edges, fmt.Sprintf("%s>%s %d", e.Parent.Value, e.Child.Value, e.Occurrence))
	}
	if !slices.Equal(nodes, o.nodes) || !slices.Equal(edges, o.edges) {
		t.Fatalf("nodes %q, edges %q; want %q, %q", nodes, edges, o.nodes, o.edges)
	}
	if _, err := scsha.CalculateCompositionHash(m); err != nil {
		t.Fatalf("the manifest has no value: %v", err)
	}
	tree, err := c.Tree()
	must(t, err)
	for i, n := range tree.Nodes {
		var includes []string
		for _, e := range n.Edges {
			includes = append(includes, e.Path)
		}
		raw := files.files[files.path(c.Files()[i])]
		if n.Path != nodes[i] || n.Digest != skillrx.HashNode(n.Path, []byte(raw)) || !slices.Equal(includes, o.reached[n.Path]) {
			t.Fatalf("node %+v, want %s with %q", n, nodes[i], o.reached[n.Path])
		}
	}
	return ""
}

// archive reads a text of lines "== path" and contents into files.
func archive(text string) (files map[string]string, first string) {
	files = map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, "== "); found {
			name = strings.TrimSuffix(rest, "\n")
			if !portable.MatchString(name) {
				name = ""
				continue
			}
			if files[name] = ""; first == "" {
				first = name
			}
		} else if name != "" {
			files[name] += line
		}
	}
	// A name is a file or a folder.
	for name := range files {
		for other := range files {
			if strings.HasPrefix(other, name+"/") {
				delete(files, other)
			}
		}
	}
	return files, first
}

var portable = regexp.MustCompile(`^(root|partials|outside)(/[^/\x00.][^/\x00]*)+$`)

// FuzzResolve: whatever the files, Resolve ends, reads each once and nothing outside, and agrees with the oracle.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		"== root/a\nx\n@<b>\n@<c/d>\n@<b>\n== root/b\n@<c/e>\n== root/c/d\n@<e>\n@<b>\n== root/c/e\nend",
		"== root/a\n@<b>\n@<c>\n== root/b\n@<d>\n== root/d\n@<e>\n== root/e\n== root/c\n@<b>\n",
		"== root/a\n@<b>\n== root/b\n@<a>\n", "== root/a\n@<../outside/x>\n== outside/x\n", "== root/a\n@<partials/x>\n== partials/x\n@<y>\n== partials/y\n",
		"== root/a\n---\nx\n---\n---\n{{\n---\n@<{{ \"b\" if x else 'c' }}>\n== root/b\n\ufeff---\n...\nb== root/c\nc",
		"== root/a\n@<../partials/x>\n@<b\\c>\n== partials/x\n@<../root/b>\n== root/b\n== root/b\\c\n", "== root/a/b\n@<..>\n@<.>\n", "== root/a\n@<b/../b>\n@<x/../b>\n== root/b\n",
	} {
		f.Add(seed, byte(5))
	}
	f.Fuzz(func(t *testing.T, text string, depth byte) {
		files, start := archive(text)
		if start == "" || files[start] == "" {
			return
		}
		start, inside := strings.CutPrefix(start, "root/")
		if !inside {
			return
		}
		for _, profile := range []include.Profile{include.Public, include.Materials} {
			against(t, newMemory(files, "root", "partials"), start, include.Options{Profile: profile, Depth: 1 + int(depth)%8})
		}
	})
}

// Many small graphs, so that depth, cycles and repeated files meet in every way.
func TestAgainstOracle(t *testing.T) {
	seed := uint32(1)
	random := func(n int) int { // the same on every run
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	names := []string{"a", "b", "c", "d/a", "d/b", "d/e/a"}
	seen := map[string]int{}
	targets := []string{"a", "b", "c", "d/a", "d/b", "../a", "e/a", "../b", "partials/p", "partials/q", "d/e/a", "../../c", "none", "../../x", "../partials/p", "d"}
	for range 5_000 {
		files := map[string]string{"partials/p": "@<q>\n", "partials/q": "q\n"}
		for i, name := range names {
			text := ""
			for range random(3) {
				target := targets[random(11)]
				if random(12) == 0 {
					target = targets[random(len(targets))]
				}
				text += "@<" + target + ">\n" + name
				if random(2) == 0 {
					text += "\n"
				}
			}
			files["root/"+name] = text + names[i] + "\n"
		}
		for _, profile := range []include.Profile{include.Public, include.Materials} {
			seen[against(t, newMemory(files, "root", "partials"), "a", include.Options{Profile: profile, Depth: 1 + random(6)})]++
		}
	}
	for _, code := range []string{"", "ERR_INCLUDE_NOT_FOUND", "ERR_INCLUDE_CYCLE", "ERR_INCLUDE_DEPTH", "ERR_INCLUDE_ESCAPE", "ERR_INCLUDE_IS_A_DIRECTORY"} {
		if seen[code] < 30 {
			t.Errorf("%q came out %d times, which shows too little", code, seen[code])
		}
	}
}
