package graph

import (
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
)

// Fonts of a picture.
var (
	fontHeading = font{18, true}
	fontName    = font{13, true}
	fontText    = font{11, false}
)

// Sizes of a card in pixels.
const (
	cardPad   = 12
	cardLeast = 128 // width
	cardMost  = 236
	lineName  = 17 // from one line of text to the next
	lineText  = 15
	glyph     = 14
	glyphRoom = glyph + 6
)

// detail is how much a card tells: the more cards there are, the less each.
type detail struct {
	summary int // lines
	folders int // lines; 0 folds all into one line with the counts
}

func detailFor(cards int) detail {
	switch {
	case cards <= 8:
		return detail{summary: 2, folders: 5}
	case cards <= 20:
		return detail{summary: 0, folders: 3}
	}
	return detail{}
}

// card is what is written on one node.
type card struct {
	class   string
	name    string
	kind    string // what it is, in the second line
	text    []string
	rows    [][2]string // folder and what lies in it
	tooltip string
	outside bool
}

func (m *Model) recipeCard(d detail) card {
	c := card{class: classRecipe, name: string(m.Recipe.ID), kind: "recipe", tooltip: "recipe " + string(m.Recipe.ID) + "\n" + summary(m.Recipe.Summary)}
	if d.summary > 0 {
		c.text = fontText.wrap(summary(m.Recipe.Summary), cardMost-2*cardPad, d.summary)
	}
	return c
}

// card writes a component on a card.
func (c *Component) card(d detail) card {
	made := card{class: string(c.ID.Role()), name: name(c.ID), kind: fmt.Sprintf("%s · v%d", c.ID.Role(), c.Version), tooltip: c.tooltip()}
	if c.Reason != Artifact { // of which the role says it
		made.kind += " · " + c.because()
	}
	if d.summary > 0 {
		made.text = fontText.wrap(summary(c.Summary), cardMost-2*cardPad, d.summary)
	}
	if d.folders == 0 {
		made.text = append(made.text, fontText.fit(c.Files().String(), cardMost-2*cardPad))
		if tops := c.tops(cardMost - 2*cardPad); tops != "" {
			made.text = append(made.text, tops)
		}
		return made
	}
	shown, more := folded(c.Folders, d.folders)
	for _, f := range shown {
		made.rows = append(made.rows, [2]string{f.label(), f.Files.String()})
	}
	if more > 0 {
		made.rows = append(made.rows, [2]string{"and " + diag.Count(more, "more folder"), ""})
	}
	return made
}

// tops lists the folders at the top of the target, as many as fit.
func (c *Component) tops(most int) string {
	folders := c.Folders
	for deepest := deepest(folders); deepest > 1; deepest-- {
		folders = raised(folders, deepest)
	}
	text := ""
	for i, f := range folders {
		rest := ""
		if i+1 < len(folders) {
			rest = fmt.Sprintf(" +%d", len(folders)-i-1)
		}
		longer := strings.TrimPrefix(text+", "+f.label(), ", ")
		if fontText.width(longer+rest) > most {
			if i == 0 {
				return fontText.fit(longer, most)
			}
			return fmt.Sprintf("%s +%d", text, len(folders)-i)
		}
		text = longer
	}
	return text
}

// tooltip tells all about a component that fits into one.
func (c *Component) tooltip() string {
	lines := []string{fmt.Sprintf("%s v%d, %s", c.ID, c.Version, c.because()), summary(c.Summary)}
	for _, list := range []struct {
		words string
		ids   []lockv2.ComponentID
	}{{"requires", c.Requires}, {"needed by", c.NeededBy}, {"conflicts with", c.Conflicts}} {
		if len(list.ids) > 0 {
			lines = append(lines, list.words+" "+join(list.ids))
		}
	}
	shown, more := folded(c.Folders, 12)
	for _, f := range shown {
		lines = append(lines, f.label()+" "+f.Files.String())
	}
	if more > 0 {
		lines = append(lines, "and "+diag.Count(more, "more folder"))
	}
	return strings.Join(lines, "\n")
}

// join lists ids, the first of many.
func join(ids []lockv2.ComponentID) string {
	const most = 12
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(ids)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(id))
	}
	return b.String()
}

// outsideCard is the card of what can't be in the composition.
func (o *Outside) card() card {
	return card{class: string(o.ID.Role()), name: name(o.ID), kind: string(o.ID.Role()) + " · not in it", outside: true,
		tooltip: string(o.ID) + ", not in the composition\n" + summary(o.Summary)}
}

// size returns how much room the card needs.
func (c *card) size() (w, h int) {
	w = max(fontName.width(c.name)+glyphRoom, fontText.width(c.kind)+glyphRoom)
	for _, line := range c.text {
		w = max(w, fontText.width(line))
	}
	for _, row := range c.rows {
		w = max(w, fontText.width(row[0])+fontText.width(row[1])+16)
	}
	h = lineName + lineText + lineText*(len(c.text)+len(c.rows)) + 14
	if len(c.rows) > 0 {
		h += rowsGap
	}
	return min(max(w+2*cardPad, cardLeast), cardMost), h
}

// rowsGap is above the rows, where a line divides them from the rest.
const rowsGap = 8
