package graph

import (
	"fmt"
	"math"
	"testing"

	"example.org/compose/lockv2"
)

// contrast is that of WCAG 2 between two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(color string) float64 {
		var r, g, b uint8
		if n, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); n != 3 || err != nil {
			t.Fatalf("%q is no colour", color)
		}
		linear := func(c uint8) float64 {
			if v := float64(c) / 255; v > 0.04045 {
				return math.Pow((v+0.055)/1.055, 2.4)
			}
			return float64(c) / 255 / 12.92
		}
		return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Everything that is drawn can be seen, in either theme: 4.5 to 1 for text and lines.
func TestContrast(t *testing.T) {
	for name, theme := range map[string]struct {
		ground ground
		of     func(tone) shade
	}{"light": {lightGround, func(t tone) shade { return t.light }}, "dark": {darkGround, func(t tone) shade { return t.dark }}} {
		check := func(what, front, back string) {
			if c := contrast(t, front, back); c < 4.5 {
				t.Errorf("%s: %s has a contrast of %.2f", name, what, c)
			}
		}
		for _, front := range []string{theme.ground.text, theme.ground.dim, theme.ground.red} {
			check("text on the page", front, theme.ground.page)
		}
		for _, tone := range palette {
			shade := theme.of(tone)
			check("the line of "+tone.class, shade.line, theme.ground.page)
			check("text on "+tone.class, theme.ground.text, shade.fill)
			check("dim text on "+tone.class, theme.ground.dim, shade.fill)
		}
	}
}

// Colour alone tells no role: each has a shape, a bracket of Mermaid's and a shape of Graphviz's of its own.
func TestRolesHaveShapes(t *testing.T) {
	seen := make(map[string]string)
	take := func(class, shape string) {
		if other, taken := seen[shape]; taken || shape == "" {
			t.Errorf("%s has the shape %q of %q", class, shape, other)
		}
		seen[shape] = class
	}
	for _, role := range []lockv2.Role{lockv2.Artifact, lockv2.Capability, lockv2.Lifecycle, lockv2.Foundation, lockv2.Topology, lockv2.Workspace} {
		take(string(role), shapeOf(string(role)))
		left, _ := mermaidShape(role)
		take(string(role), left)
		take(string(role), dotShape(role))
	}
	take(classRecipe, shapeOf(classRecipe))
}
