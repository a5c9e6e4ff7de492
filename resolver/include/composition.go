package include

import (
	"fmt"
	"io"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
)

// Composition is a text and all that it includes, resolved. It holds the text of the files, and is not changed: its
// methods may be called at once.
type Composition struct {
	files []*file // in the order of first reading, the start file first
}

// Files returns the place of every file, in the order of first reading, the start file first.
func (c *Composition) Files() []Place {
	places := make([]Place, len(c.files))
	for i, f := range c.files {
		places[i] = f.place
	}
	return places
}

// Size returns the bytes of the expansion, where Check returns nil.
func (c *Composition) Size() int64 { return c.files[0].size }

// Check returns ERR_INCLUDE_TOO_LARGE where the expansion is beyond MaxExpansions or MaxText. The chain leads to the file in
// which the bound is met. It takes no memory, however long the expansion.
func (c *Composition) Check() error {
	f := c.files[0]
	if f.expansions <= MaxExpansions && f.size <= MaxText {
		return nil
	}
	stack := []*file{f}
	var expansions, size int64
	tooLarge := func(what string, most int) error {
		return newError(CodeTooLarge, f.name, fmt.Sprintf("the whole text would have more than %d %s; include less", most, what), chain(stack))
	}
	for {
		inside := f
		for _, s := range f.steps {
			if size += int64(len(s.text)); size > MaxText {
				return tooLarge("bytes (256 MiB)", MaxText)
			}
			if s.child == nil {
				continue
			}
			if expansions++; expansions > MaxExpansions {
				return tooLarge("includes", MaxExpansions)
			}
			if expansions+s.child.expansions > MaxExpansions || size+s.child.size > MaxText {
				inside = s.child
				break
			}
			expansions += s.child.expansions
			size += s.child.size
		}
		if inside == f { // not reached: the sums say that a bound is met below
			return tooLarge("bytes", MaxText)
		}
		f, stack = inside, append(stack, inside)
	}
}

// Open returns a reader of the expanded text. It is made while it is read. The error is Check's.
func (c *Composition) Open() (io.Reader, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	return &reader{stack: []cursor{{file: c.files[0]}}}, nil
}

// Expand writes the expanded text. Besides errors of w it returns Check's, before anything is written.
func (c *Composition) Expand(w io.Writer) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// cursor is how far a file is expanded.
type cursor struct {
	file *file
	step int
}

// reader expands a composition piece by piece.
type reader struct {
	stack []cursor
	text  []byte // what is left of the piece
}

// advance gets the next piece that is not empty; false at the end.
func (r *reader) advance() bool {
	for len(r.text) == 0 {
		if len(r.stack) == 0 {
			return false
		}
		top := &r.stack[len(r.stack)-1]
		if top.step == len(top.file.steps) {
			r.stack = r.stack[:len(r.stack)-1]
			continue
		}
		s := &top.file.steps[top.step]
		top.step++
		r.text = s.text
		if s.child != nil {
			r.stack = append(r.stack, cursor{file: s.child})
		}
	}
	return true
}

func (r *reader) Read(p []byte) (n int, err error) {
	for n < len(p) && r.advance() {
		copied := copy(p[n:], r.text)
		n += copied
		r.text = r.text[copied:]
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Manifest returns the resolved manifest: every file once, and an edge for each include of the expansion, in its order.
// The error is Check's.
func (c *Composition) Manifest() (scsha.Manifest, error) {
	if err := c.Check(); err != nil {
		return scsha.Manifest{}, err
	}
	m := scsha.Manifest{
		Schema: scsha.ManifestAlgorithm,
		Nodes:  make([]scsha.Node, len(c.files)),
		Edges:  make([]scsha.Edge, 0, c.files[0].expansions),
	}
	for i, f := range c.files {
		m.Nodes[i] = scsha.Node{Source: f.manifestSource(), SHA256: f.text.String()}
	}
	occurrences := make([]uint32, len(c.files)) // per parent, over all its children, for the whole run
	for stack := []cursor{{file: c.files[0]}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.step == len(top.file.steps) {
			stack = stack[:len(stack)-1]
			continue
		}
		child := top.file.steps[top.step].child
		top.step++
		if child != nil {
			m.Edges = append(m.Edges, scsha.Edge{Parent: top.file.manifestSource(), Child: child.manifestSource(), Occurrence: occurrences[top.file.index]})
			occurrences[top.file.index]++
			stack = append(stack, cursor{file: child})
		}
	}
	return m, nil
}

func (f *file) manifestSource() scsha.Source {
	return scsha.Source{Kind: scsha.LocalPath, Value: f.source}
}

// Tree returns the evidence of package skillrx, whose value is there whatever the length of the expansion.
func (c *Composition) Tree() (*skillrx.Tree, error) {
	files := make([]skillrx.File, len(c.files))
	for i, f := range c.files {
		files[i] = skillrx.File{Path: f.source, Node: f.node}
		for _, s := range f.steps {
			if s.child != nil {
				files[i].Includes = append(files[i].Includes, s.child.source)
			}
		}
	}
	return skillrx.Compose(files, c.files[0].source)
}
