package skillrx

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/strictjson"
)

// File is one file and what it includes.
type File struct {
	Path     string     // relative to the root, canonical, / between its names
	Node     NodeDigest // HashNode of the path and the bytes
	Includes []string   // the paths of the files that it includes, in order, as often as it includes them
}

// Tree is a composition and the evidence for its value.
type Tree struct {
	Nodes []Node // each file once, in the order in which a reader of the whole text meets it; the root first
}

// Node is a file in a Tree.
type Node struct {
	Path        string
	Digest      NodeDigest
	Composition CompositionDigest // without a context
	Edges       []Edge            // in the order of the includes
}

// Edge is one include.
type Edge struct {
	Path       string            // of the included file
	Child      CompositionDigest // of the included file
	Occurrence uint32            // how often the same file was included before by this parent
}

// Compose returns the tree of the file at root. Files that it does not reach play no part.
//
// Errors, the first that a reader of the whole text would meet: SKILLRX_INVALID_PATH and
// SKILLRX_DUPLICATE_PATH, by the order of files; then ERR_INCLUDE_CYCLE and ERR_INCLUDE_NOT_FOUND.
func Compose(files []File, root string) (*Tree, error) {
	at := make(map[string]int, len(files))
	for i := range files {
		name := files[i].Path
		if fault := pathFault(name); fault != "" {
			return nil, &Error{code: CodeInvalidPath, path: strings.ToValidUTF8(name, "\uFFFD"), msg: fault}
		}
		if _, twice := at[name]; twice {
			return nil, &Error{code: CodeDuplicatePath, path: name, msg: "two files have this path; give each file once"}
		}
		at[name] = i
	}
	c := composer{files: files, at: at, node: make([]int, len(files)), done: make([]bool, len(files))}
	if err := c.walk(root); err != nil {
		return nil, err
	}
	return &c.tree, nil
}

// pathFault says why a path is not canonical; "" if it is.
func pathFault(name string) string {
	switch {
	case name == "":
		return "a file has no path; give each file its path below the root"
	case !utf8.ValidString(name):
		return "the path is not UTF-8"
	case strings.Contains(name, `\`):
		return "the path holds a backslash; separate names by /"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "the path holds a control character"
	case name[0] == '/' || name == "." || name == ".." || strings.HasPrefix(name, "../") || path.Clean(name) != name:
		return "the path is not the shortest one that is relative to the root"
	}
	return ""
}

// composer walks a graph from its root, each file once.
type composer struct {
	files []File
	at    map[string]int // path to place in files
	node  []int          // place in tree.Nodes plus one; 0 before the file is met
	done  []bool         // its composition is known; until then it is on the stack
	tree  Tree
	stack []frame
}

// frame is a file whose includes are being walked.
type frame struct {
	file, node int
	seen       map[string]uint32 // includes so far, by path; nil before the first
}

func (c *composer) walk(root string) error {
	if _, found := c.at[root]; !found {
		return &Error{code: CodeMissing, path: root, msg: "the root is not among the files"}
	}
	c.enter(c.at[root])
	for len(c.stack) > 0 {
		top := &c.stack[len(c.stack)-1]
		file, node := &c.files[top.file], &c.tree.Nodes[top.node]
		if len(node.Edges) == len(file.Includes) {
			node.Composition, c.done[top.file] = node.sum(nil), true
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		name := file.Includes[len(node.Edges)]
		child, found := c.at[name]
		switch {
		case !found:
			return &Error{code: CodeMissing, path: file.Path, Chain: c.chain(), msg: fmt.Sprintf("includes %q, which is not among the files", name)}
		case c.node[child] == 0:
			c.enter(child)
		case !c.done[child]:
			return &Error{code: CodeCycle, path: file.Path, Chain: append(c.chain(), name), msg: fmt.Sprintf("includes %q, which includes it", name)}
		default:
			if top.seen == nil {
				top.seen = make(map[string]uint32, len(file.Includes))
			}
			node.Edges = append(node.Edges, Edge{Path: name, Child: c.tree.Nodes[c.node[child]-1].Composition, Occurrence: top.seen[name]})
			top.seen[name]++
		}
	}
	return nil
}

func (c *composer) enter(file int) {
	c.tree.Nodes = append(c.tree.Nodes, Node{
		Path: c.files[file].Path, Digest: c.files[file].Node,
		Edges: make([]Edge, 0, len(c.files[file].Includes)),
	})
	c.node[file] = len(c.tree.Nodes)
	c.stack = append(c.stack, frame{file: file, node: len(c.tree.Nodes) - 1})
}

func (c *composer) chain() []string {
	chain := make([]string, len(c.stack))
	for i, f := range c.stack {
		chain[i] = c.files[f.file].Path
	}
	return chain
}

// Root returns the node of the file that was composed.
func (t *Tree) Root() *Node { return &t.Nodes[0] }

// Composition returns the value of the whole: the root's composition, or, where the text is rendered with options,
// that value bound to them. context may be nil.
func (t *Tree) Composition(context *ContextDigest) CompositionDigest {
	if context == nil {
		return t.Root().Composition
	}
	return t.Root().sum(context)
}

func (n *Node) sum(context *ContextDigest) CompositionDigest {
	h := sha256.New()
	io.WriteString(h, compositionDomain+"\x00"+n.Path+"\x00"+n.Digest.String()+"\x00")
	n.writeEdges(h)
	if context != nil {
		io.WriteString(h, "\x00"+context.String())
	}
	return CompositionDigest(h.Sum(nil))
}

// writeEdges writes the includes as a compact JSON array, in pieces.
func (n *Node) writeEdges(h hash.Hash) {
	const piece = 1 << 15
	b := make([]byte, 0, min(piece, 200*len(n.Edges))+2)
	b = append(b, '[')
	for i, e := range n.Edges {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"include_path":`...)
		b = strictjson.AppendCompact(b, strictjson.Str(e.Path))
		b = append(b, `,"child_sha":"`...)
		b = hex.AppendEncode(b, e.Child[:])
		b = fmt.Appendf(b, `","occurrence":%d}`, e.Occurrence)
		if len(b) > piece {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(append(b, ']'))
}
