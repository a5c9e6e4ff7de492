package sample

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// Layout is how the files of a revision lie in a repository.
type Layout int

const (
	// Whole is a catalog: the materials below their components, with descriptors, a recipe and the index.
	Whole Layout = iota
	// Flat is the materials alone, at their destinations, as a tool without catalogs would keep them.
	Flat
)

// Import writes a stream for git fast-import: the branch main and the tags A and B.
func (c *Catalog) Import(w io.Writer, l Layout) error {
	s := stream{Writer: bufio.NewWriterSize(w, 1<<16)}
	if c.options.Ballast > 0 {
		s.commit("ballast")
		random := rand.NewChaCha8([32]byte{1})
		noise := make([]byte, 1<<20)
		for i := range c.options.Ballast {
			_, _ = random.Read(noise) // never fails
			s.file(fmt.Sprintf("ballast/%d/%d.bin", i%16, i), noise)
		}
	}
	versions := map[string]int{}
	s.commit("A")
	if l == Whole {
		c.importDescriptors(&s, A, versions)
	}
	for _, f := range c.files[A] {
		s.file(f.place(l), c.Content(f))
	}
	s.tag(A)
	for i := range c.options.Commits {
		s.commit("between")
		s.file("notes.txt", fmt.Appendf(nil, "note %d\n", i))
	}
	s.commit("B")
	for _, f := range c.files[A] {
		if _, gone := slices.BinarySearch(c.Removed, f.Destination); gone {
			fmt.Fprintf(s, "D %s\n", f.place(l))
		}
	}
	if l == Whole {
		c.importDescriptors(&s, B, versions)
	}
	for _, f := range c.files[B] {
		if _, created := slices.BinarySearch(c.Created, f.Destination); created || f.Edited {
			s.file(f.place(l), c.Content(f))
		}
	}
	s.tag(B)
	fmt.Fprint(s, "done\n")
	return s.Flush()
}

// place is where the file is in a repository.
func (f File) place(l Layout) string {
	if l == Flat {
		return f.Destination
	}
	return "components/" + f.Component + "/files/" + f.Destination
}

// importDescriptors writes what makes a catalog of the files. A component whose list of materials changed gets the next version.
func (c *Catalog) importDescriptors(s *stream, r Revision, versions map[string]int) {
	materials := map[string][]map[string]string{}
	for _, f := range c.files[r] {
		materials[f.Component] = append(materials[f.Component],
			map[string]string{"source": "files/" + f.Destination, "destination": f.Destination, "ownership": "managed"})
	}
	changed := map[string]bool{}
	for _, list := range [][]string{c.Created, c.Removed} {
		for _, f := range slices.Concat(c.files[A], c.files[B]) {
			if _, is := slices.BinarySearch(list, f.Destination); is {
				changed[f.Component] = true
			}
		}
	}
	for i, id := range c.components {
		if r == A || changed[id] {
			versions[id]++
		}
		requires := []string{}
		if i == 0 {
			requires = c.components[1:2]
		}
		role, _, _ := strings.Cut(id, ".")
		s.json("components/"+id+"/component.json", map[string]any{
			"schema_version": 1, "id": id, "component_role": role, "version": versions[id], "summary": "Files of " + id + ".",
			"requires": requires, "conflicts": []string{}, "materials": materials[id],
		})
	}
	others := slices.Sorted(slices.Values(c.components[1:]))
	s.json("recipes/"+Recipe+".json", map[string]any{
		"schema_version": 1, "id": Recipe, "summary": "Every component.", "artifact": c.components[0],
		"required_components": others, "default_components": []string{}, "optional_components": []string{},
	})
	s.json("catalog/catalog.json", map[string]any{
		"schema_version": 1, "repository": "example/sample", "components": slices.Sorted(slices.Values(c.components)), "recipes": []string{Recipe},
	})
}

// stream is what git fast-import reads. Its errors are those of Flush.
type stream struct {
	*bufio.Writer
	commits int
}

func (s *stream) commit(message string) {
	s.commits++
	fmt.Fprintf(s, "commit refs/heads/main\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata %d\n%s\n", s.commits, 1700000000+s.commits, len(message), message)
}

func (s *stream) tag(r Revision) {
	fmt.Fprintf(s, "reset refs/tags/%s\nfrom :%d\n\n", r, s.commits)
}

func (s *stream) file(path string, content []byte) {
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n", path, len(content))
	_, _ = s.Write(content) // Flush tells
	fmt.Fprintln(s)
}

func (s *stream) json(path string, value any) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		text = []byte(err.Error()) // no such value is made
	}
	s.file(path, append(text, '\n'))
}
