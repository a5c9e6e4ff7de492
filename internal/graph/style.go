package graph

import (
	"fmt"
	"strings"
)

// ground is what the colours that no role has are, in one theme.
type ground struct{ page, card, text, dim, line, red string }

var (
	lightGround = ground{"#ffffff", "#ffffff", "#1a2230", "#566072", "#8a94a6", "#b3261e"}
	darkGround  = ground{"#14181f", "#1b2029", "#e6eaf0", "#a3adbd", "#6d788a", "#ff8a80"}
)

// style returns the one style sheet.
func style() string {
	var b strings.Builder
	light, dark := properties(lightGround, func(t tone) shade { return t.light }), properties(darkGround, func(t tone) shade { return t.dark })
	b.WriteString("\n.cg{" + light + "}")
	b.WriteString("\n@media (prefers-color-scheme:dark){.cg{" + dark + "}}")
	b.WriteString("\n[data-theme=light] .cg{" + light + "}")
	b.WriteString("\n[data-theme=dark] .cg{" + dark + "}")
	b.WriteString("\n@media print{.cg,[data-theme] .cg{" + light + "}}")
	b.WriteString(`
.cg text{font:11px "Helvetica Neue",Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;fill:var(--cg-text)}
.cg .cg-heading{font-size:18px;font-weight:700}
.cg .cg-name{font-size:13px;font-weight:700}
.cg .cg-dim{fill:var(--cg-dim)}
.cg .cg-right{text-anchor:end}
.cg .cg-ground{fill:var(--cg-page)}
.cg .cg-card{fill:var(--cg-fill);stroke:var(--cg-own);stroke-width:1.25}
.cg .cg-shape{fill:var(--cg-own)}
.cg .cg-rule{stroke:var(--cg-own);stroke-opacity:.35}
.cg .cg-line{fill:none;stroke:var(--cg-own);stroke-width:1.25;stroke-opacity:.75}
.cg .cg-end{fill:var(--cg-own)}
.cg .cg-line.cg-selects{stroke-width:2}
.cg .cg-line.cg-conflicts{stroke:var(--cg-red);stroke-dasharray:4 3}
.cg .cg-end.cg-conflicts{fill:none;stroke:var(--cg-red);stroke-width:1.5}
.cg .cg-outside .cg-card{fill:none;stroke-dasharray:4 3}
.cg .cg-outside .cg-shape{fill:none;stroke:var(--cg-own)}
.cg .cg-outside text{fill:var(--cg-dim)}
.cg .cg-node:hover .cg-line{stroke-width:3;stroke-opacity:1}
.cg .cg-node:hover .cg-card{stroke-width:2.5}`)
	for _, t := range palette {
		fmt.Fprintf(&b, "\n.cg .cg-%s{--cg-own:var(--cg-%[1]s-line);--cg-fill:var(--cg-%[1]s-fill)}", t.class)
	}
	b.WriteString("\n.cg .cg-outside{--cg-own:var(--cg-dim)}\n")
	return b.String()
}

// properties sets the colours of one theme.
func properties(g ground, of func(tone) shade) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--cg-page:%s;--cg-text:%s;--cg-dim:%s;--cg-red:%s", g.page, g.text, g.dim, g.red)
	for _, t := range palette {
		fmt.Fprintf(&b, ";--cg-%s-line:%s;--cg-%s-fill:%s", t.class, of(t).line, t.class, of(t).fill)
	}
	return b.String()
}

// shapeOf returns the shape of a class; "" for none.
func shapeOf(class string) string {
	for _, t := range palette {
		if t.class == class {
			return t.shape
		}
	}
	return ""
}
