// Package sample makes catalogs of any size with two revisions, to measure and to count with.
//
// Start with New, and give what Import writes to git fast-import. Revision A holds the files of the Options; in B, its descendant,
// 5 % more are new, 30 % are replaced and 5 % are gone. Sizes are log-normal, about 7 KB a file, the bytes are
// words, so that they compress as texts do.
//
// The same Options make the same bytes, and so the same object ids, on one kind of processor: sizes come from floating point.
package sample

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Recipe is the recipe of every catalog: it takes all its components.
const Recipe = "sample"

// The tags of the two revisions.
const (
	A Revision = "A"
	B Revision = "B"
)

// Revision is the tag of a revision.
type Revision string

// Options say how large a catalog is.
type Options struct {
	Files int     // in revision A, 10 at least
	Scale float64 // of the size of each file; 0 means 1
	Edits float64 // the share of files that B replaces, creating and removing none; 0 means the usual change

	Commits int // between A and B, that touch nothing of the catalog
	Ballast int // MiB beside the catalog, in files of one that do not compress
}

// File is one material.
type File struct {
	Destination string
	Component   string
	Edited      bool // holds the bytes that B gave it
}

// Catalog is a catalog with its two revisions.
type Catalog struct {
	Created, Replaced, Removed []string // destinations, sorted

	options    Options
	components []string
	files      map[Revision][]File
	words      []byte
}

// The shape of a catalog: ten components of all its files, twenty files to a folder.
const (
	componentCount = 10
	perFolder      = 20
)

var kinds = []struct{ folder, suffix string }{{"docs", "md"}, {"src", "go"}, {"tools", "sh"}, {"schemas", "json"}, {"tests", "txt"}}

// New returns the catalog of these options. It makes no bytes yet.
func New(o Options) *Catalog {
	if o.Scale == 0 {
		o.Scale = 1
	}
	c := &Catalog{options: o, components: []string{"artifact.sample", "lifecycle.composition-state"}, files: map[Revision][]File{}, words: words(1 << 20)}
	for i := range componentCount - len(c.components) {
		c.components = append(c.components, fmt.Sprintf("capability.part-%d", i))
	}
	created, replaced, removed := o.Files/20, o.Files*3/10, o.Files/20
	if o.Edits > 0 {
		created, replaced, removed = 0, int(float64(o.Files)*o.Edits), 0
	}
	order := c.random("order", "").Perm(max(o.Files-componentCount, 0)) // the first file of each component stays as it is
	for i := range o.Files + created {
		f := File{Destination: destination(i), Component: c.components[i%componentCount]}
		if i >= o.Files {
			c.Created = append(c.Created, f.Destination)
			c.files[B] = append(c.files[B], f)
			continue
		}
		c.files[A] = append(c.files[A], f)
		at := o.Files
		if i >= componentCount {
			at = order[i-componentCount]
		}
		switch {
		case at < removed:
			c.Removed = append(c.Removed, f.Destination)
			continue
		case at < removed+replaced:
			c.Replaced = append(c.Replaced, f.Destination)
			f.Edited = true
		}
		c.files[B] = append(c.files[B], f)
	}
	for _, files := range c.files {
		slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Destination, b.Destination) })
	}
	for _, list := range [][]string{c.Created, c.Replaced, c.Removed} {
		slices.Sort(list)
	}
	return c
}

func destination(i int) string {
	group := i / componentCount / perFolder
	kind := kinds[group%len(kinds)]
	return fmt.Sprintf("%s/part-%d/group-%03d/file-%06d.%s", kind.folder, i%componentCount, group, i, kind.suffix)
}

// Files returns the materials of a revision, sorted by destination.
func (c *Catalog) Files(r Revision) []File { return c.files[r] }

// Content returns the bytes of a material.
func (c *Catalog) Content(f File) []byte {
	size := c.size(f)
	head := fmt.Sprintf("# %s, edited %t\n", f.Destination, f.Edited)
	content := append(make([]byte, 0, size+len(head)), head...)
	for from := c.random("bytes", f.Destination+fmt.Sprint(f.Edited)).IntN(len(c.words)); len(content) < size; from = 0 {
		content = append(content, c.words[from:min(len(c.words), from+size-len(content))]...)
	}
	content = content[:max(size, len(head))]
	content[len(content)-1] = '\n'
	return content
}

// size is log-normal around 3 KB, and of one file in 200 between 64 and 512 KiB. An edit changes it by a tenth at most.
func (c *Catalog) size(f File) int {
	r := c.random("size", f.Destination)
	size := min(max(3000*math.Exp(1.2*r.NormFloat64()), 200), 64<<10)
	if r.IntN(200) == 0 {
		size = (64 << 10) * math.Pow(8, r.Float64())
	}
	if f.Edited {
		size *= 0.9 + 0.2*r.Float64()
	}
	return int(size * c.options.Scale)
}

// random is a source of its own for each purpose and name, so that no value depends on the order of calls.
func (c *Catalog) random(purpose, name string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, purpose, "\x00", name)
	return rand.New(rand.NewPCG(1, h.Sum64()))
}

// words is a text of about that size, in lines.
func words(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]string, 400)
	for i := range list {
		word := make([]byte, 2+r.IntN(8))
		for j := range word {
			word[j] = "etaoinshrdlu"[min(r.IntN(12), r.IntN(12))]
		}
		list[i] = string(word)
	}
	text := make([]byte, 0, size+200)
	for len(text) < size {
		for range 4 + r.IntN(10) {
			text = append(append(text, list[min(r.IntN(len(list)), r.IntN(len(list)))]...), ' ')
		}
		text = fmt.Appendf(text, "%06x\n", r.IntN(1<<24))
	}
	return text
}
