package report

import "example.org/compose/internal/review"

// conflictSection tells the conflicts by reason, with the ways out.
func (p *page) conflictSection() {
	total := p.Count(Conflicting)
	if total == 0 {
		return
	}
	p.put("<section id=\"conflict\" class=\"conflict\" aria-labelledby=\"conflict-title\">\n<h2 id=\"conflict-title\">Conflicts <small>%s</small></h2>\n", thousands(total))
	for i := range p.Conflicts {
		g := &p.Conflicts[i]
		p.put("<div class=\"group\">\n<p class=\"why\"><span class=\"code\">%s</span> %s</p>\n", g.Code, upper(g.Why))
		p.list(len(g.Files))
		for j := range g.Files[:p.roomFor(len(g.Files))] {
			ways := g.Files[j].Ways
			if j == 0 || p.ways >= maxWays { // the first's are told below
				ways = nil
			}
			p.ways++
			p.file(&g.Files[j], ways)
		}
		p.put("</ul>\n")
		p.cut.Conflicts += p.more(len(g.Files), "conflict")
		if len(g.Files[0].Ways) > 0 {
			p.put("<div class=\"ways\">\n")
			switch {
			case len(g.Files) == 1:
				p.put("<p>The ways out:</p>\n")
			case len(g.Files) <= maxWays:
				p.put("<p>The ways out for <span class=\"path\">%s</span>; those of the others are with their differences:</p>\n", g.Files[0].name())
			default:
				p.put("<p>The ways out for <span class=\"path\">%s</span>, and likewise for each:</p>\n", g.Files[0].name())
			}
			p.waysOut(g.Files[0].Ways)
			p.put("</div>\n")
		}
		p.put("</div>\n")
	}
	p.put("</section>\n")
}

// waysOut lists ways out of a conflict.
func (p *page) waysOut(ways []review.Way) {
	p.put("<ol>\n")
	for i := range ways {
		p.put("<li><strong>%s.</strong> %s\n", ways[i].Title, ways[i].Text)
		for _, step := range ways[i].Steps {
			if step.Note != "" {
				p.put("<p class=\"step\">%s:</p>\n", upperFirst(step.Note))
			}
			p.command(step.Command)
		}
		p.put("</li>\n")
	}
	p.put("</ol>\n")
}

// componentSection lists the components that come, change and go.
func (p *page) componentSection() {
	if len(p.Components) == 0 {
		return
	}
	p.put("<section id=\"components\" aria-labelledby=\"components-title\">\n<h2 id=\"components-title\">Components <small>%s</small></h2>\n<ul class=\"components\">\n", p.Report.components())
	for i := range p.Components {
		c := &p.Components[i]
		p.put("<li class=\"%s\">", c.bucket())
		p.sign(c.bucket())
		p.put("<span class=\"path\">%s</span><span class=\"note\">%s</span></li>\n", c.ID, c.change())
	}
	p.put("</ul>\n</section>\n")
}
