package include

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
)

// Resolve reads the file at start, as seen from the root, and all that it includes, at any depth. Of several faults it
// returns the first in the order of the expansion: an *Error, or ctx's error. ERR_INCLUDE_TOO_LARGE comes from here only
// where the files themselves are beyond a bound; for their expansion see Composition.Check.
func Resolve(ctx context.Context, files Files, start string, opt Options) (*Composition, error) {
	r := &resolver{
		ctx: ctx, files: files, profile: opt.Profile, depth: opt.depth(),
		at: map[Place]*file{}, sources: map[string]bool{}, located: map[query]Place{},
	}
	place, err := files.Locate(ctx, Place{Path: "."}, start)
	if err != nil {
		code, ended := codeOf(err)
		if ended {
			return nil, err
		}
		return nil, newError(code, clip(start), err.Error(), nil)
	}
	if _, err := r.visit(place); err != nil {
		return nil, err
	}
	return &Composition{files: r.order}, nil
}

// file is a file of a composition, read and scanned.
type file struct {
	place  Place
	source string // in manifests
	name   string // in chains and messages
	text   scsha.TextDigest
	node   skillrx.NodeDigest
	steps  []step

	done  bool // all that it includes is known; until then it is on the stack
	index int  // in the order of first reading

	// Of its whole expansion, itself not counted; where they would be beyond everything, they are huge.
	height     int // levels below
	expansions int64
	size       int64 // bytes
}

// step is a piece of a file: text as it is, then the expansion of another file.
type step struct {
	text  []byte
	child *file // nil where only text is left
}

// resolver walks a graph of includes from its start, each file once.
type resolver struct {
	ctx     context.Context
	files   Files
	profile Profile
	depth   int

	at      map[Place]*file
	sources map[string]bool
	located map[query]Place
	order   []*file
	stack   []*file

	includes int   // directives scanned
	read     int64 // bytes
}

// query is a target and the folder that it is seen from.
type query struct {
	base   Place
	target string
}

// visit returns the file at place, which is included at the depth that the stack has.
//
// What a file includes is known once it is done, so a second visit only has to look whether it goes too deep from here. It
// can't lead to a cycle: whatever is on the stack now and below the file would have been so when it was first walked.
func (r *resolver) visit(place Place) (*file, error) {
	depth := len(r.stack)
	if depth > r.depth {
		return nil, r.tooDeep(r.stack)
	}
	if f := r.at[place]; f != nil {
		switch {
		case !f.done:
			return nil, newError(CodeCycle, r.top().name, fmt.Sprintf("includes %q, which includes it; take one of the includes out", f.name), append(chain(r.stack), f.name))
		case depth+f.height > r.depth:
			return nil, r.tooDeep(append(r.stack[:depth:depth], deepest(f, r.depth-depth)...))
		}
		return f, nil
	}
	f := &file{place: place, source: place.Source(), name: r.files.Name(place), index: len(r.order)}
	r.at[place] = f
	r.order, r.stack = append(r.order, f), append(r.stack, f)
	if err := r.scan(f); err != nil {
		return nil, err
	}
	r.stack = r.stack[:depth]
	f.done = true
	return f, nil
}

// deepest returns the first path down from f that is longer than depth levels, as long as depth allows.
func deepest(f *file, depth int) []*file {
	path := []*file{f}
	for ; depth > 0; depth-- {
		for _, s := range f.steps {
			if s.child != nil && s.child.height+1 > depth {
				f = s.child
				break
			}
		}
		path = append(path, f)
	}
	return path
}

func (r *resolver) tooDeep(stack []*file) error {
	return newError(CodeDepth, stack[len(stack)-1].name, fmt.Sprintf("includes a file at depth %d; at most %d is allowed: include less deeply", len(stack), r.depth), chain(stack))
}

func (r *resolver) top() *file { return r.stack[len(r.stack)-1] }

func chain(stack []*file) []string {
	names := make([]string, len(stack))
	for i, f := range stack {
		names[i] = f.name
	}
	return names
}

// fault is an error about the file on top of the stack, which is the last in the chain.
func (r *resolver) fault(code, format string, args ...any) error {
	return newError(code, r.top().name, fmt.Sprintf(format, args...), chain(r.stack))
}

// faultAt is fault about one line of that file.
func (r *resolver) faultAt(line int, code, format string, args ...any) error {
	e := newError(code, r.top().name, fmt.Sprintf("line %d: %s", line, fmt.Sprintf(format, args...)), chain(r.stack))
	e.Line = line
	return e
}

// scan reads f and resolves its includes, in order.
func (r *resolver) scan(f *file) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if reason := sourceFault(f.source); reason != "" {
		return r.fault(CodeConfigRead, "%s, so that it can't stand in a manifest; rename the file", reason)
	}
	if r.sources[f.source] {
		return r.fault(CodeConfigRead, "two files are called %q in manifests; rename one of their folders", f.source)
	}
	r.sources[f.source] = true
	text, err := r.files.Read(r.ctx, f.place, MaxText-r.read)
	if err != nil {
		code, ended := codeOf(err)
		switch {
		case ended:
			return err
		case code == CodeTooLarge:
			return r.fault(code, "the files together have more than %d bytes (256 MiB); make them smaller", MaxText)
		}
		return r.fault(code, "%v", err)
	}
	r.read += int64(len(text))
	if f.text, err = scsha.CalculateHash(text); err != nil {
		return r.fault(CodeConfigRead, "%v", err)
	}
	f.node = skillrx.HashNode(f.source, text)
	start := 0
	if r.profile != Materials {
		var closed bool
		if start, closed = body(text); !closed {
			return newError(CodeConfigParse, f.name, "the front matter has no end; close it with a line ---", nil)
		}
	}
	return r.expand(f, text, start)
}

// sourceFault says why a path can't be a source; "" if it can.
func sourceFault(source string) string {
	switch {
	case !utf8.ValidString(source):
		return "the path is not UTF-8"
	case strings.Contains(source, `\`):
		return "the path holds a backslash"
	case strings.ContainsFunc(source, unicode.IsControl):
		return "the path holds a control character"
	}
	return ""
}

// expand takes the text of f apart, from start on, into steps.
func (r *resolver) expand(f *file, text []byte, start int) error {
	at := start
	for {
		d, found := next(text, at)
		if !found {
			f.add(text[at:], nil)
			return nil
		}
		line := func() int { return 1 + bytes.Count(text[:d.at], []byte("\n")) }
		if d.kind == unresolved || d.kind == conditional && r.profile == Materials {
			return r.faultAt(line(), CodeDynamicUnresolved, "%s names no file that is known before rendering; write @<path> alone on its line",
				clip(string(bytes.TrimSpace(text[d.at:d.end]))))
		}
		before := text[at:d.at]
		if d.kind == conditional {
			before = fmt.Appendf(before[:len(before):len(before)], "{%% if %s %%}", d.condition)
		}
		if err := r.include(f, before, d.targets[0], line); err != nil {
			return err
		}
		if d.kind == conditional {
			if err := r.include(f, []byte("{% else %}"), d.targets[1], line); err != nil {
				return err
			}
			f.add([]byte("{% endif %}"), nil)
		}
		at = d.end
	}
}

// include adds the text before a directive, and the file that it names.
func (r *resolver) include(f *file, before []byte, target string, line func() int) error {
	if r.includes++; r.includes > MaxExpansions {
		return r.faultAt(line(), CodeTooLarge, "the files together have more than %d includes; include less", MaxExpansions)
	}
	place, err := r.locate(f.place, target)
	if err != nil {
		code, ended := codeOf(err)
		if ended {
			return err
		}
		return r.faultAt(line(), code, "%q %v", clip(target), err)
	}
	child, err := r.visit(place)
	if err != nil {
		return err
	}
	f.add(before, child)
	return nil
}

// locate looks a target up, once from each folder.
func (r *resolver) locate(from Place, target string) (Place, error) {
	asked := query{from.folder(), target}
	if place, found := r.located[asked]; found {
		return place, nil
	}
	place, err := r.lookUp(from, target)
	if err == nil {
		r.located[asked] = place
	}
	return place, err
}

// lookUp goes by the order of the profile: only where nothing is there it goes on.
func (r *resolver) lookUp(from Place, target string) (place Place, err error) {
	tries := []query{{from.folder(), target}, {Place{Path: "."}, target}}
	if r.profile == Materials {
		tries[1].base.Root = from.Root
		if rest, found := strings.CutPrefix(target, "partials/"); found {
			tries = append(tries, query{Place{Root: 1, Path: "."}, rest})
		}
	}
	for i, q := range tries {
		if i > 0 && q == tries[i-1] {
			continue
		}
		if place, err = r.files.Locate(r.ctx, q.base, q.target); err == nil {
			return place, nil
		}
		if code, ended := codeOf(err); ended || code != CodeNotFound {
			break
		}
	}
	return Place{}, err
}

// huge is more than any bound, and can be added to itself.
const huge = 1 << 61

func sum(a, b int64) int64 { return min(a+b, huge) }

// add appends a step to f.
func (f *file) add(text []byte, child *file) {
	if len(text) == 0 && child == nil {
		return
	}
	f.steps = append(f.steps, step{text, child})
	f.size = sum(f.size, int64(len(text)))
	if child != nil {
		f.height = max(f.height, child.height+1)
		f.expansions = sum(f.expansions, sum(1, child.expansions))
		f.size = sum(f.size, child.size)
	}
}
