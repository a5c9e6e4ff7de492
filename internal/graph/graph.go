// Package graph draws a resolved composition: recipe, components, what they require and exclude, and their materials folded by
// folder, as Mermaid, DOT and a self-contained SVG.
package graph
