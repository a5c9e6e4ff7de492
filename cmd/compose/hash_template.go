package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/skillrx"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/strictjson"
	"example.org/compose/resolver/include"
)

type hashTemplateCommand struct {
	checkFlag
	Root        string   `placeholder:"DIR" help:"The root: names in the manifest are relative to it, and nothing outside is read (default: the file's folder)."`
	Profile     string   `enum:"sc-compose,include-v1" default:"sc-compose" placeholder:"PROFILE" help:"sc-compose (default), the public rule, or include-v1, that of composed materials."`
	AllowedRoot []string `sep:"none" placeholder:"DIR" help:"Another folder that may be read; may be repeated. With include-v1 one, which has the part of partials/."`
	MaxDepth    int      `default:"32" placeholder:"N" help:"How deep includes may go, the file itself at 0 (default: 32; 128 counts at most)."`
	Context     string   `placeholder:"FILE" help:"Options of the rendering as JSON, to bind the skillrx value to."`
	Text        string   `placeholder:"FILE" help:"Write the expanded text to this file."`
	Tree        bool     `help:"Also print each file's own values and includes."`
	File        string   `arg:"" name:"file" help:"The text to begin with."`
}

func (c *hashTemplateCommand) Help() string {
	return "Lines such as @<parts/head.md> give way to the file that they name; docs/includes.md has the rule. --check compares source_composition_sha256."
}

func (c *hashTemplateCommand) Run(s *session) error {
	var known templateResult
	err := c.run(s, &known)
	if fault := (*include.Error)(nil); errors.As(err, &fault) && s.format == formatJSON {
		return s.answer(known.failed(fault), nil, exitRefused)
	}
	return err
}

// run fills in what becomes known, and answers.
func (c *hashTemplateCommand) run(s *session, result *templateResult) error {
	if err := c.check(""); err != nil {
		return err
	}
	switch {
	case c.MaxDepth < 0:
		return &usageError{msg: fmt.Sprintf("--max-depth %d is no depth; give 0 or more", c.MaxDepth)}
	case include.Profile(c.Profile) == include.Materials && len(c.AllowedRoot) > 1:
		return &usageError{msg: "--profile include-v1 knows one --allowed-root, which has the part of partials/"}
	}
	var options *skillrx.ContextDigest
	if c.Context != "" {
		digest, err := readContext(s.ctx, c.Context)
		if err != nil {
			return err
		}
		options = &digest
	}
	s.working("reading %s and what it includes", c.File)
	composition, err := c.resolve(s.ctx)
	if err != nil {
		return err
	}
	if err := result.hash(composition, options); err != nil {
		return err
	}
	if result.output, err = c.expand(s.ctx, composition); err != nil {
		return err
	}
	result.matches, result.withTree = c.against(result.source.String()), c.Tree
	exit := matchExit(result.matches)
	if s.format == formatHuman {
		return s.answer(strictjson.Value{}, result.text, exit)
	}
	if err := result.write(s.stdout); err != nil {
		return &commandError{diag.Wrap(codeWriteFailed, "standard output", "the answer could not be written", err)}
	}
	s.exit = exit
	return nil
}

// readContext reads the options of a rendering.
func readContext(ctx context.Context, name string) (skillrx.ContextDigest, error) {
	const most = 64 << 20
	b, err := readFile(ctx, name, most)
	if err != nil {
		return skillrx.ContextDigest{}, err
	}
	if len(b) > most {
		return skillrx.ContextDigest{}, &commandError{diag.New(codeReadFailed, name, fmt.Sprintf("the options have more than %d bytes", most))}
	}
	digest, err := skillrx.ParseContext(b)
	if coded := (diag.Coded)(nil); errors.As(err, &coded) {
		return digest, &commandError{diag.New(coded.Code(), name, err.Error())}
	}
	return digest, err
}

func (c *hashTemplateCommand) resolve(ctx context.Context) (*include.Composition, error) {
	profile := include.Profile(c.Profile)
	root := c.Root
	if root == "" {
		if root, _ = filepath.Split(c.File); root == "" {
			root = "."
		}
	}
	folder, err := include.OpenFolder(include.FolderOptions{Root: root, Allowed: c.AllowedRoot, NoSymlinks: profile == include.Materials})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	start, err := folder.Start(c.File)
	if err != nil {
		return nil, readError(c.File, err)
	}
	depth := c.MaxDepth
	if depth == 0 {
		depth = -1
	}
	composition, err := include.Resolve(ctx, folder, start, include.Options{Profile: profile, Depth: depth})
	if err != nil {
		return nil, err
	}
	return composition, c.spare(composition, append([]string{root}, c.AllowedRoot...))
}

// spare refuses to write the text over a file that it is made of.
func (c *hashTemplateCommand) spare(composition *include.Composition, roots []string) error {
	out, err := os.Stat(c.Text)
	if err != nil {
		return nil // nothing there, or something that the write will complain of
	}
	for _, place := range composition.Files() {
		info, err := os.Stat(roots[place.Root] + string(filepath.Separator) + filepath.FromSlash(place.Path))
		if err == nil && os.SameFile(info, out) {
			return &usageError{msg: fmt.Sprintf("--text %s is a file that the text is made of; write it elsewhere", c.Text)}
		}
	}
	return nil
}

// expand makes the whole text, writes it where it was asked for, and returns its SHA-256.
func (c *hashTemplateCommand) expand(ctx context.Context, composition *include.Composition) (string, error) {
	text, err := composition.Open()
	if err != nil {
		return "", err
	}
	text = untilDone{ctx, text}
	sum := sha256.New()
	if c.Text == "" {
		_, err = io.Copy(sum, text)
		return hex.EncodeToString(sum.Sum(nil)), err
	}
	file, err := openNamed(ctx, c.Text)
	if err == nil {
		defer file.Cleanup()
		out := bufio.NewWriterSize(file, 1<<16)
		_, err = io.Copy(io.MultiWriter(sum, out), text)
		if err == nil {
			err = out.Flush()
		}
		if err == nil {
			err = file.CloseAtomicallyReplace()
		}
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", &commandError{diag.Wrap(codeWriteFailed, c.Text, "the text can't be written", plainfile.Cause(err))}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// untilDone reads until a context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(p)
}

// templateResult is what is known of a text with all that it includes.
type templateResult struct {
	source   scsha.CompositionDigest
	output   string // SHA-256 of the expanded text
	skillrx  skillrx.CompositionDigest
	manifest scsha.Manifest
	tree     *skillrx.Tree
	withTree bool
	matches  *bool
}

func (r *templateResult) hash(composition *include.Composition, options *skillrx.ContextDigest) (err error) {
	if r.tree, err = composition.Tree(); err != nil {
		return err
	}
	r.skillrx = r.tree.Composition(options)
	if r.manifest, err = composition.Manifest(); err != nil {
		return err
	}
	r.source, err = scsha.CalculateCompositionHash(r.manifest)
	return err
}

// failed is the document of an error. Unlike in a plan, the chain is what it is about, so it stands at the top; where only the
// expansion is too large, the value that does without one is there too.
func (r *templateResult) failed(fault *include.Error) strictjson.Value {
	members := errorDocument(fault, fault, fault.Hint()).Members
	for i := range members {
		if members[i].Name == "details" {
			members[i] = fault.Details()[0]
		}
	}
	if r.tree != nil {
		members = append(members, strictjson.F("details", strictjson.Obj(strictjson.F("skillrx_composition_sha256", strictjson.Str(r.skillrx.String())))))
	}
	return strictjson.Obj(members...)
}

// write writes the document. There may be a million edges, so they are encoded one by one, and put where the document of a
// manifest without edges has an empty list: the first one, since within a string the quotes would be escaped.
func (r *templateResult) write(w io.Writer) error {
	before, after, _ := bytes.Cut(strictjson.Encode(r.document()), []byte(noEdges))
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(before)
	out.WriteString(strings.TrimSuffix(noEdges, "]"))
	const indent = "\n      "
	sources := make(map[scsha.Source]strictjson.Value, len(r.manifest.Nodes))
	for _, n := range r.manifest.Nodes {
		sources[n.Source] = sourceDocument(n.Source)
	}
	for i, e := range r.manifest.Edges {
		if i > 0 {
			out.WriteByte(',')
		}
		edge := strictjson.Encode(strictjson.Obj(
			strictjson.F("parent", sources[e.Parent]),
			strictjson.F("child", sources[e.Child]),
			strictjson.F("occurrence", strictjson.Int(int64(e.Occurrence))),
		))
		out.WriteString(indent)
		out.Write(bytes.ReplaceAll(bytes.TrimSuffix(edge, []byte("\n")), []byte("\n"), []byte(indent)))
	}
	if len(r.manifest.Edges) > 0 {
		out.WriteString("\n    ")
	}
	out.WriteByte(']')
	out.Write(after)
	return out.Flush()
}

const noEdges = `"edges": []`

// document is the document without the edges of the manifest.
func (r *templateResult) document() strictjson.Value {
	members := []strictjson.Member{
		strictjson.F("source_composition_sha256", strictjson.Str(r.source.String())),
		strictjson.F("rendered_output_sha256", strictjson.Str(r.output)),
		strictjson.F("skillrx_composition_sha256", strictjson.Str(r.skillrx.String())),
		strictjson.F("manifest", manifestDocument(&r.manifest)),
	}
	if r.withTree {
		members = append(members, strictjson.F("tree", strictjson.List(r.tree.Nodes, treeNode)))
	}
	return strictjson.Obj(append(members, matchMembers(r.matches)...)...)
}

func manifestDocument(m *scsha.Manifest) strictjson.Value {
	return strictjson.Obj(
		strictjson.F("schema", strictjson.Str(m.Schema)),
		strictjson.F("nodes", strictjson.List(m.Nodes, func(n scsha.Node) strictjson.Value {
			return strictjson.Obj(strictjson.F("source", sourceDocument(n.Source)), strictjson.F("sha256", strictjson.Str(n.SHA256)))
		})),
		strictjson.F("edges", strictjson.Arr()),
	)
}

func sourceDocument(s scsha.Source) strictjson.Value {
	return strictjson.Obj(strictjson.F("kind", strictjson.Str(s.Kind)), strictjson.F("value", strictjson.Str(s.Value)))
}

func treeNode(n skillrx.Node) strictjson.Value {
	return strictjson.Obj(
		strictjson.F("path", strictjson.Str(n.Path)),
		strictjson.F("node_sha256", strictjson.Str(n.Digest.String())),
		strictjson.F("composition_sha256", strictjson.Str(n.Composition.String())),
		strictjson.F("edges", strictjson.List(n.Edges, func(e skillrx.Edge) strictjson.Value {
			return strictjson.Obj(
				strictjson.F("include_path", strictjson.Str(e.Path)),
				strictjson.F("child_sha", strictjson.Str(e.Child.String())),
				strictjson.F("occurrence", strictjson.Int(int64(e.Occurrence))),
			)
		})),
	)
}

func (r *templateResult) text(w *textWriter) {
	mark := ""
	if matchExit(r.matches) != exitDone {
		mark = " (another value)"
	}
	w.line("source composition   %s%s", r.source, mark)
	w.line("rendered output      %s", r.output)
	w.line("skillrx composition  %s", r.skillrx)
	w.line("")
	w.line("%s, %s:", diag.Count(len(r.manifest.Nodes), "file"), diag.Count(len(r.manifest.Edges), "include"))
	for _, n := range r.manifest.Nodes {
		w.line("  %s  %s", n.SHA256, n.Source.Value)
	}
	if !r.withTree {
		return
	}
	w.line("")
	for _, n := range r.tree.Nodes {
		w.line("%s", n.Path)
		w.line("  node         %s", n.Digest)
		w.line("  composition  %s", n.Composition)
		for _, e := range n.Edges {
			w.line("  includes     %s  %s (%d before)", e.Child, e.Path, e.Occurrence)
		}
	}
}
