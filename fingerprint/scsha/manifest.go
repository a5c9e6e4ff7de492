package scsha

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Manifest is a resolved composition: every text once, and the includes between them, both in the
// order that its maker gives them.
type Manifest struct {
	Schema string // sc-sha/manifest/v1, or v1 for short
	Nodes  []Node
	Edges  []Edge
}

// Node is one text.
type Node struct {
	Source Source
	SHA256 string // its TextDigest, as 64 hexadecimal digits
}

// Edge is one include.
type Edge struct {
	Parent, Child Source
	Occurrence    uint32 // counts the includes of one parent from 0
}

// Source names a text: sources of two kinds are never the same.
type Source struct {
	Kind  SourceKind
	Value string // not empty; no backslash and no control character
}

// SourceKind says what the value of a source is.
type SourceKind string

// The kinds of source.
const (
	LocalPath SourceKind = "local_path"
	URL       SourceKind = "url"
)

// CalculateCompositionHash returns the identity of a manifest. The first fault, in this order: the
// schema (SC_SHA_INVALID_MANIFEST when it is empty, else SC_SHA_UNSUPPORTED_MANIFEST_SCHEMA); node by node the
// digest (SC_SHA_INVALID_DIGEST), then the source (SC_SHA_INVALID_CANONICAL_SOURCE); the edges' sources;
// a source that two nodes share (SC_SHA_DUPLICATE_SOURCE); an edge to or from no node
// (SC_SHA_UNKNOWN_EDGE_ENDPOINT). Cycles, self edges and repeated edges are no fault.
func CalculateCompositionHash(manifest Manifest) (CompositionDigest, error) {
	m, err := build(manifest)
	if err != nil {
		return CompositionDigest{}, err
	}
	if err := m.check(); err != nil {
		return CompositionDigest{}, err
	}
	return m.sum(), nil
}

// typed is a manifest whose values are good one by one.
type typed struct {
	nodes []typedNode
	edges []typedEdge
}

type typedNode struct {
	source tagged
	digest TextDigest
}

type typedEdge struct {
	parent, child tagged
	occurrence    uint32
}

type tagged struct {
	tag   byte // 0 local_path, 1 url
	value string
}

func build(manifest Manifest) (*typed, error) {
	switch manifest.Schema {
	case ManifestAlgorithm, "v1":
	case "":
		return nil, &Error{CodeInvalidManifest, "/schema", `is empty; want "` + ManifestAlgorithm + `"`}
	default:
		return nil, &Error{CodeUnsupportedManifestSchema, "/schema", fmt.Sprintf("is %q; want %q", clip(manifest.Schema), ManifestAlgorithm)}
	}
	m := &typed{
		nodes: make([]typedNode, len(manifest.Nodes)),
		edges: make([]typedEdge, len(manifest.Edges)),
	}
	for i, node := range manifest.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		if len(node.SHA256) != hex.EncodedLen(sha256.Size) {
			return nil, &Error{CodeInvalidDigest, at + "/sha256", fmt.Sprintf("has %d characters; want 64 hexadecimal digits", len(node.SHA256))}
		}
		if _, err := hex.Decode(m.nodes[i].digest[:], []byte(node.SHA256)); err != nil {
			return nil, &Error{CodeInvalidDigest, at + "/sha256", fmt.Sprintf("is %q; want 64 hexadecimal digits", node.SHA256)}
		}
		var err error
		if m.nodes[i].source, err = node.Source.typed(at + "/source"); err != nil {
			return nil, err
		}
	}
	for i, edge := range manifest.Edges {
		at := fmt.Sprintf("/edges/%d", i)
		parent, err := edge.Parent.typed(at + "/parent")
		if err != nil {
			return nil, err
		}
		child, err := edge.Child.typed(at + "/child")
		if err != nil {
			return nil, err
		}
		m.edges[i] = typedEdge{parent, child, edge.Occurrence}
	}
	return m, nil
}

func (s Source) typed(at string) (tagged, error) {
	fault, shown := "", clip(s.Value)
	switch {
	case s.Kind != LocalPath && s.Kind != URL:
		at += "/kind"
		fault = fmt.Sprintf("is %q; want local_path or url", clip(string(s.Kind)))
	case s.Value == "":
		fault = "is empty"
	case strings.Contains(s.Value, `\`):
		fault = fmt.Sprintf("%q holds a backslash; segments are separated by /", shown)
	case strings.ContainsFunc(s.Value, unicode.IsControl):
		fault = fmt.Sprintf("%q holds a control character", shown)
	case !utf8.ValidString(s.Value):
		fault = fmt.Sprintf("%q is not UTF-8", shown)
	}
	if fault != "" {
		return tagged{}, &Error{CodeInvalidCanonicalSource, at, fault}
	}
	if s.Kind == URL {
		return tagged{1, s.Value}, nil
	}
	return tagged{0, s.Value}, nil
}

// clip cuts a text of any length to what a message can hold.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// check finds what is wrong between the values.
func (m *typed) check() error {
	known := make(map[tagged]int, len(m.nodes))
	for i, node := range m.nodes {
		if first, found := known[node.source]; found {
			return &Error{CodeDuplicateSource, fmt.Sprintf("/nodes/%d/source", i), fmt.Sprintf("%q is the source of /nodes/%d too", clip(node.source.value), first)}
		}
		known[node.source] = i
	}
	for i, edge := range m.edges {
		at := fmt.Sprintf("/edges/%d", i)
		if _, found := known[edge.parent]; !found {
			return &Error{CodeUnknownEdgeEndpoint, at + "/parent", fmt.Sprintf("%q is the source of no node", clip(edge.parent.value))}
		}
		if _, found := known[edge.child]; !found {
			return &Error{CodeUnknownEdgeEndpoint, at + "/child", fmt.Sprintf("%q is the source of no node", clip(edge.child.value))}
		}
	}
	return nil
}

// sum hashes the manifest in its framing.
func (m *typed) sum() CompositionDigest {
	h := sha256.New()
	m.frame(h)
	return CompositionDigest(h.Sum(nil))
}

// frame writes what is hashed: integers big-endian, a length before every value.
func (m *typed) frame(w io.Writer) {
	f := framing{w}
	f.text(ManifestAlgorithm)
	f.w.Write([]byte{1})
	f.uint64(len(m.nodes))
	for _, node := range m.nodes {
		f.source(node.source)
		f.text(string(node.digest[:]))
	}
	f.uint64(len(m.edges))
	for _, edge := range m.edges {
		f.source(edge.parent)
		f.source(edge.child)
		f.w.Write(binary.BigEndian.AppendUint32(nil, edge.occurrence))
	}
}

// framing is not package fingerprint's: this package stands alone.
type framing struct{ w io.Writer }

func (f framing) uint64(n int) { f.w.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func (f framing) text(s string) {
	f.uint64(len(s))
	io.WriteString(f.w, s)
}

func (f framing) source(s tagged) {
	f.w.Write([]byte{s.tag})
	f.text(s.value)
}
