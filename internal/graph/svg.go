package graph

import (
	"bytes"
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
)

// Distances of a picture in pixels.
const (
	margin    = 24
	headLines = 80 // heading and what is below it
	leastWide = 520
	radius    = 7 // of the corner of a line
	maxChips  = 10
)

// SVG returns the picture as one <svg> element without an XML declaration, so that it is a file of its own and fits into
// an HTML page. Nothing in it runs, and nothing is fetched; its text is text. It is light or dark as prefers-color-scheme
// says, or as the attribute data-theme="light" or "dark" of an element around it does, and light on paper.
//
// Its classes begin with cg, and so do the custom properties that the colours come from; its two ids are cg-title and
// cg-desc. It has no style attribute, only one <style> element whose rules apply to class cg and below.
func (m *Model) SVG() []byte {
	p := &picture{model: m, detail: detailFor(len(m.Components))}
	p.gather()
	p.lay()
	return p.write()
}

// picture is one SVG at work.
type picture struct {
	drawing
	model   *Model
	detail  detail
	cards   []card   // of the nodes
	styles  []string // of the nets
	implied int      // how many requirements are left out
	out     bytes.Buffer
}

// Styles of a net.
const (
	selects   = "cg-selects"
	requires  = "cg-requires"
	conflicts = "cg-conflicts"
)

// gather makes nodes and nets of the model.
func (p *picture) gather() {
	m := p.model
	p.node(m.recipeCard(p.detail))
	for i := range m.Components {
		p.node(m.Components[i].card(p.detail))
	}
	place := m.index()
	var selected []int
	for i := range m.Components {
		if m.Components[i].Reason != Needed {
			selected = append(selected, i+1)
		}
	}
	p.net(selects, 0, selected)
	kept, left := m.requirements(p.detail.folders == 0)
	p.implied = left
	for i := range m.Components {
		var to []int
		for _, id := range kept[i] {
			to = append(to, place[id]+1)
		}
		p.net(requires, i+1, to)
	}
	p.gatherOutside()
}

// gatherOutside adds what is not in the composition: each by itself where they are few, else counted for each component.
func (p *picture) gatherOutside() {
	m := p.model
	chips := make(map[string]int)
	if len(m.Outside) <= maxChips {
		for i := range m.Outside {
			chips[string(m.Outside[i].ID)] = p.node(m.Outside[i].card())
		}
	}
	for i := range m.Components {
		c := &m.Components[i]
		if len(c.Conflicts) == 0 {
			continue
		}
		var to []int
		if len(chips) == 0 {
			to = append(to, p.node(card{class: "outside", name: diag.Count(len(c.Conflicts), "component"), kind: "not in it", outside: true,
				tooltip: "not in the composition: " + join(c.Conflicts)}))
		}
		for _, id := range c.Conflicts {
			if chip, found := chips[string(id)]; found {
				to = append(to, chip)
			}
		}
		p.net(conflicts, i+1, to)
	}
}

func (p *picture) node(c card) int {
	w, h := c.size()
	p.cards = append(p.cards, c)
	p.nodes = append(p.nodes, node{w: w, h: h, aside: c.outside})
	return len(p.nodes) - 1
}

func (p *picture) net(style string, from int, to []int) {
	if len(to) > 0 {
		p.styles = append(p.styles, style)
		p.nets = append(p.nets, net{from: from, to: to, low: style == conflicts})
	}
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// write puts everything into one element.
func (p *picture) write() []byte {
	m := p.model
	wide := max(p.width, leastWide)
	legend, below := p.legend(wide)
	width, height := wide+2*margin, headLines+2*margin+p.height+below
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="cg" role="img" aria-labelledby="cg-title" aria-describedby="cg-desc" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", width, height, width, height)
	p.printf("<title id=\"cg-title\">%s</title>\n<desc id=\"cg-desc\">%s</desc>\n<style>%s</style>\n", xml(m.heading()), xml(m.description()), style())
	p.printf(`<rect class="cg-ground" width="%d" height="%d"/>`+"\n", width, height)
	p.text("cg-heading", margin, margin+18, fontHeading.fit(m.heading(), wide))
	p.text("cg-text", margin, margin+38, fontText.fit(summary(m.Recipe.Summary), wide))
	p.text("cg-dim", margin, margin+55, fontText.fit(m.extent(), wide))
	p.printf(`<g transform="translate(%d %d)">`+"\n", margin+(wide-p.width)/2, margin+headLines)
	for i := range p.nodes {
		p.writeNode(i)
	}
	p.printf("</g>\n<g transform=\"translate(%d %d)\">\n%s</g>\n</svg>\n", margin, margin+headLines+p.height, legend)
	return p.out.Bytes()
}

// writeNode writes a card and the lines that leave it, as one group, so that both light up together.
func (p *picture) writeNode(i int) {
	n, c := &p.nodes[i], &p.cards[i]
	class := "cg-node cg-" + c.class
	if c.outside {
		class += " cg-outside"
	}
	p.printf("<g class=\"%s\"><title>%s</title>\n", class, xml(c.tooltip))
	for k := range p.nets {
		if p.nets[k].from == i {
			line, ends := p.lines(k)
			p.printf("<path class=\"cg-line %s\" d=\"%s\"/><path class=\"cg-end %s\" d=\"%s\"/>\n", p.styles[k], line, p.styles[k], ends)
		}
	}
	p.printf(`<rect class="cg-card" x="%d" y="%d" width="%d" height="%d" rx="7"/>`, n.x, n.y, n.w, n.h)
	y := n.y + (n.h-p.textHeight(i))/2
	if shape := shapeOf(c.class); shape != "" {
		p.printf(`<path class="cg-shape" transform="translate(%d %d)" d="%s"/>`, n.x+cardPad, y+4, shape)
	}
	room := n.w - 2*cardPad
	y += lineName - 1
	p.text("cg-name", n.x+cardPad+glyphRoom, y, fontName.fit(c.name, room-glyphRoom))
	y += lineText
	p.text("cg-dim", n.x+cardPad+glyphRoom, y, fontText.fit(c.kind, room-glyphRoom))
	for _, line := range c.text {
		y += lineText
		p.text("cg-text", n.x+cardPad, y, line)
	}
	if len(c.rows) > 0 {
		p.printf(`<path class="cg-rule" d="M%d %dh%d"/>`, n.x+cardPad, y+rowsGap, room)
		y += rowsGap
	}
	for _, row := range c.rows {
		y += lineText
		count := fontText.width(row[1])
		p.text("cg-text", n.x+cardPad, y, fontText.fitEnd(row[0], room-count-10))
		p.text("cg-dim cg-right", n.x+cardPad+room, y, row[1])
	}
	p.printf("</g>\n")
}

// textHeight returns how high what is written on a card is; the card may be higher.
func (p *picture) textHeight(i int) int {
	_, h := p.cards[i].size()
	return h - 8
}

func (p *picture) text(class string, x, y int, s string) {
	p.printf(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, xml(s))
}

// lines returns the path of a net and the path of its ends.
func (p *picture) lines(k int) (line, ends string) {
	var b, e strings.Builder
	for c := range p.channels {
		ch := &p.channels[c]
		for i := range ch.wires {
			w := &ch.wires[i]
			if w.net != k {
				continue
			}
			for j, y := range w.to {
				right := ch.right
				if w.ends[j] {
					right -= endOf(&e, p.styles[k], ch.right, y)
				} else { // on through the next column
					right = p.channels[c+1].left
				}
				bend(&b, w, ch.left, right, y)
			}
			if p.styles[k] == conflicts && c == p.nodes[p.nets[k].from].column {
				cross(&e, ch.left+5, w.from)
			}
		}
	}
	return b.String(), e.String()
}

// endOf draws the end of a line at a card and returns how much shorter the line is for it.
func endOf(e *strings.Builder, style string, x, y int) int {
	if style == conflicts {
		cross(e, x-5, y)
		return 0
	}
	fmt.Fprintf(e, "M%d %dl-7-3.5v7z", x-1, y)
	return 6
}

func cross(e *strings.Builder, x, y int) { fmt.Fprintf(e, "M%d %dl6 6m0-6l-6 6", x-3, y-3) }

// bend draws a wire from the left to one of its places on the right.
func bend(b *strings.Builder, w *wire, left, right, y int) {
	if y == w.from {
		fmt.Fprintf(b, "M%d %dH%d", left, y, right)
		return
	}
	r, sign := min(radius, max(y-w.from, w.from-y)/2), 1
	if y < w.from {
		sign = -1
	}
	fmt.Fprintf(b, "M%d %dH%dQ%d %d %d %dV%dQ%d %d %d %dH%d", left, w.from, w.x-r, w.x, w.from, w.x, w.from+sign*r,
		y-sign*r, w.x, y, w.x+r, y, right)
}

// xml escapes for the text of an element.
func xml(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
