package graph

import (
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
)

// legend returns what the shapes and lines mean, those alone that are there, and how much room it needs.
func (p *picture) legend(wide int) (string, int) {
	type entry struct{ mark, words string }
	var entries []entry
	for _, t := range palette {
		if slices.ContainsFunc(p.cards, func(c card) bool { return c.class == t.class && !c.outside }) {
			entries = append(entries, entry{fmt.Sprintf(`<g class="cg-%s"><path class="cg-shape" d="%s"/></g>`, t.class, t.shape), t.class})
		}
	}
	for _, l := range []struct{ style, words, class string }{
		{selects, "selects", classRecipe}, {requires, "requires", "artifact"}, {conflicts, "can't be together with", "outside"},
	} {
		if slices.Contains(p.styles, l.style) {
			var line, end strings.Builder
			fmt.Fprintf(&line, "M0 7H%d", 28-endOf(&end, l.style, 28, 7))
			entries = append(entries, entry{fmt.Sprintf(`<g class="cg-%s"><path class="cg-line %s" d="%s"/><path class="cg-end %s" d="%s"/></g>`, l.class, l.style, line.String(), l.style, end.String()), l.words})
		}
	}
	var b strings.Builder
	x, y := 0, margin
	for _, e := range entries {
		mark := glyphRoom
		if strings.Contains(e.mark, "cg-line") {
			mark = 34
		}
		need := mark + fontText.width(e.words) + 20
		if x > 0 && x+need > wide {
			x, y = 0, y+lineText+6
		}
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">%s<text class="cg-dim" x="%d" y="11">%s</text></g>`+"\n", x, y, e.mark, mark, xml(e.words))
		x += need
	}
	if p.implied > 0 {
		y += lineText + 6
		fmt.Fprintf(&b, `<text class="cg-dim" x="0" y="%d">%s</text>`+"\n", y+11, xml(fontText.fit("Not drawn, because others imply them: "+diag.Count(p.implied, "requirement")+".", wide)))
	}
	return b.String(), y + lineText
}
