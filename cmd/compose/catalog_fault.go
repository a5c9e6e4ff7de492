package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/jsonplace"
	"example.org/compose/internal/screen"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// catalogFault is a fault of a catalog, with the place where a person sees it.
type catalogFault struct {
	code    string
	message string // whole, as every reader of the error has it
	what    string // without the place
	at      textPlace
	named   textPlace // where the descriptor names a material that is at fault; else without a path
}

// textPlace is a place in a file of the catalog.
type textPlace struct {
	path, pointer string
	line, column  int // from 1; 0 where they are not known

	text       string // the line, without its end; "" where it is not known
	begin, end int    // what of it is meant
}

func (p textPlace) String() string {
	switch {
	case p.line == 0:
		return p.path
	case p.column == 0:
		return fmt.Sprintf("%s:%d", p.path, p.line)
	}
	return fmt.Sprintf("%s:%d:%d", p.path, p.line, p.column)
}

// locateFaults finds the lines of faults. What can't be read has none.
func locateFaults(ctx context.Context, source *catalog.Source, faults []diag.Coded) ([]catalogFault, error) {
	located := make([]catalogFault, len(faults))
	inFile := map[string][]*textPlace{} // those that a pointer leads to, by file
	texts := textsOf{ctx: ctx, source: source, read: map[string][]byte{}, named: map[string]map[string]string{}}
	for i, f := range faults {
		l := &located[i]
		*l = newFault(f)
		switch known := (*catalog.Error)(nil); {
		case errors.As(f, &known):
			if line, column := known.Position(); line > 0 {
				l.at.line, l.at.column = line, column
				l.at.showPosition(texts.of(l.at.path))
				break
			}
			if l.at.pointer == "" {
				l.named = texts.material(l.at.path)
			}
			for _, at := range []*textPlace{&l.at, &l.named} {
				if at.pointer != "" {
					inFile[at.path] = append(inFile[at.path], at)
				}
			}
		default:
			// The recipe as a whole is at fault; the first of its entries that is part of it shows where to begin.
			entry := l.at
			if entry.pointer = texts.entry(f); entry.pointer != "" {
				entry.find(texts.of(entry.path))
				entry.pointer = ""
				l.at = entry
			}
		}
	}
	for path, places := range inFile {
		findAll(texts.of(path), places)
	}
	return located, ctx.Err()
}

// newFault tells FILE#/pointer apart, and the place from the message.
func newFault(f diag.Coded) catalogFault {
	l := catalogFault{code: f.Code(), message: f.Error(), at: textPlace{path: f.Path()}}
	l.what = strings.TrimPrefix(l.message, f.Path()+": ")
	known := (*catalog.Error)(nil)
	if !errors.As(f, &known) {
		return l
	}
	l.at.path, l.at.pointer = known.Where()
	if name := l.at.pointer[strings.LastIndexByte(l.at.pointer, '/')+1:]; strings.HasPrefix(l.what, "is ") && strings.Trim(name, "0123456789") != "" {
		l.what = strconv.Quote(name) + " " + l.what
	}
	if syntax := (*strictjson.Error)(nil); errors.As(f, &syntax) {
		l.what = strings.TrimSuffix(l.what, syntax.Error()) + syntax.Reason
	} else if line, _ := known.Position(); line > 0 {
		l.what = strings.TrimPrefix(l.what, fmt.Sprintf("line %d: ", line))
	}
	return l
}

// textsOf reads files of a source, each once; nothing for one that can't be read.
type textsOf struct {
	ctx    context.Context
	source *catalog.Source
	read   map[string][]byte
	named  map[string]map[string]string // by descriptor: the pointer of each material's source, by its path
}

func (t *textsOf) of(path string) []byte {
	text, done := t.read[path]
	if !done {
		text, _ = t.source.File(t.ctx, path) // the fault that is shown says what is wrong with it
		t.read[path] = text
	}
	return text
}

// material returns the place of the descriptor that names the material with that path.
func (t *textsOf) material(path string) textPlace {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 3 || parts[0] != "components" || parts[2] == "component.json" {
		return textPlace{}
	}
	descriptor := parts[0] + "/" + parts[1] + "/component.json"
	named, done := t.named[descriptor]
	if !done {
		named = map[string]string{}
		t.named[descriptor] = named
		doc, _ := strictjson.Parse(t.of(descriptor), 0) // one that can't be parsed names nothing
		materials, _ := doc.Get("materials")
		for i, m := range materials.Items {
			if source, _ := m.Get("source"); source.Kind == strictjson.String {
				named[parts[0]+"/"+parts[1]+"/"+source.Text] = fmt.Sprintf("/materials/%d/source", i)
			}
		}
	}
	if pointer := named[path]; pointer != "" {
		return textPlace{path: descriptor, pointer: pointer}
	}
	return textPlace{}
}

// entry returns the pointer of the first entry of a recipe that is one of the components which are at fault together.
func (t *textsOf) entry(f diag.Coded) string {
	fault := (*planner.Error)(nil)
	if !errors.As(f, &fault) {
		return ""
	}
	doc, err := strictjson.Parse(t.of(f.Path()), 0)
	if err != nil {
		return ""
	}
	involved := func(v strictjson.Value) bool { return slices.Contains(fault.Components, lockv2.ComponentID(v.Text)) }
	for _, list := range []string{"required_components", "default_components"} {
		ids, _ := doc.Get(list)
		if i := slices.IndexFunc(ids.Items, involved); i >= 0 {
			return fmt.Sprintf("/%s/%d", list, i)
		}
	}
	if artifact, _ := doc.Get("artifact"); involved(artifact) {
		return "/artifact"
	}
	return ""
}

// findAll finds the places in one text to which pointers lead.
func findAll(text []byte, places []*textPlace) {
	pointers := make([]string, len(places))
	for i, p := range places {
		pointers[i] = p.pointer
	}
	for i, found := range jsonplace.Find(text, pointers...) {
		if found.Line == 0 {
			continue
		}
		p := places[i]
		p.line, p.column = found.Line, found.Column
		p.show(text, found.Begin, found.End)
	}
}

func (p *textPlace) find(text []byte) { findAll(text, []*textPlace{p}) }

// show takes the line out of the text in which begin to end is meant.
func (p *textPlace) show(text []byte, begin, end int) {
	start := bytes.LastIndexByte(text[:begin], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	p.text = string(bytes.TrimSuffix(line, []byte("\r")))
	p.begin, p.end = min(begin-start, len(p.text)), min(end-start, len(p.text))
}

// showPosition is show for a line and column that are known: one character is meant, or without a column the line.
func (p *textPlace) showPosition(text []byte) {
	begin := 0
	for range p.line - 1 {
		n := bytes.IndexByte(text[begin:], '\n')
		if n < 0 {
			return
		}
		begin += n + 1
	}
	if p.column > 0 {
		begin = min(begin+p.column-1, len(text))
		_, size := utf8.DecodeRune(text[begin:])
		p.show(text, begin, begin+size)
		return
	}
	line, _, _ := bytes.Cut(text[begin:], []byte("\n"))
	indent := len(line) - len(bytes.TrimLeft(line, " \t"))
	p.show(text, begin+indent, begin+len(bytes.TrimRight(line, " \t\r")))
}

// text is the human form: where, what, and the line itself.
func (f catalogFault) text(w *textWriter) {
	for i, line := range spans("%s: %s %s", strong(f.at), f.what, faint("["+f.code+"]")).Wrap(w.screen.Width() - 2) {
		w.put(min(2*i, 2), line)
	}
	f.at.excerpt(w)
	if f.named.path != "" && f.named.line > 0 {
		w.line("  named at %s", strong(f.named))
		f.named.excerpt(w)
	}
}

// excerpt shows the line with what is meant underlined, as far as the screen has room.
func (p textPlace) excerpt(w *textWriter) {
	if strings.TrimSpace(p.text) == "" {
		return
	}
	const tab, dots = "    ", "..."
	margin := fmt.Sprintf("%5d | ", p.line)
	most := w.screen.Width() - len(margin)
	shown := func(text string) string { return printable(strings.ReplaceAll(text, "\t", tab)) }
	// A line may be the whole file: look at what could be shown alone.
	before, meant, after := p.text[:p.begin], p.text[p.begin:p.end], p.text[p.end:]
	before, meant, after = tail(before, 4*most), head(meant, 4*most), head(after, 4*most)
	before, meant, after = shown(before), shown(meant), shown(after)
	before, cut := fitTail(before, most/2-len(dots))
	if cut {
		before = dots + before
	}
	room := most - screen.Width(before)
	if screen.Width(meant)+screen.Width(after) > room {
		if meant, cut = fitHead(meant, room-len(dots)); cut {
			after = dots
		} else {
			after, _ = fitHead(after, room-len(dots)-screen.Width(meant))
			after += dots
		}
	}
	w.line("%s%s%s%s", faint(margin), before, meant, after)
	w.line("%s%s%s", faint(strings.Repeat(" ", len(margin)-2)+"| "), strings.Repeat(" ", screen.Width(before)), bad(strings.Repeat("^", max(screen.Width(meant), 1))))
}

// head and tail return at most n bytes of text; fitHead and fitTail at most n columns, and whether some are missing.
func head(text string, n int) string { return text[:min(n, len(text))] }
func tail(text string, n int) string { return text[max(len(text)-n, 0):] }

func fitHead(text string, n int) (string, bool) {
	width := 0
	for i, char := range text {
		if width += screen.Width(string(char)); width > n {
			return text[:i], true
		}
	}
	return text, false
}

func fitTail(text string, n int) (string, bool) {
	cut := false
	for screen.Width(text) > n {
		_, size := utf8.DecodeRuneInString(text)
		text, cut = text[size:], true
	}
	return text, cut
}

// document is one entry of the document of a catalog check.
func (f catalogFault) document() strictjson.Value {
	members := []strictjson.Member{strictjson.F("code", strictjson.Str(f.code))}
	members = append(members, f.at.members()...)
	members = append(members, strictjson.F("message", strictjson.Str(validText(f.message))))
	if f.named.path != "" {
		members = append(members, strictjson.F("named_at", strictjson.Obj(f.named.members()...)))
	}
	return strictjson.Obj(members...)
}

func (p textPlace) members() []strictjson.Member {
	members := []strictjson.Member{strictjson.F("path", strictjson.Str(validText(p.path)))}
	if p.pointer != "" {
		members = append(members, strictjson.F("pointer", strictjson.Str(validText(p.pointer))))
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"line", p.line}, {"column", p.column}} {
		if n.value > 0 {
			members = append(members, strictjson.F(n.name, strictjson.Int(int64(n.value))))
		}
	}
	return members
}
