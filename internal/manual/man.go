package manual

import (
	"fmt"
	"strings"
)

// File is a generated file, by its name in its folder.
type File struct {
	Name string
	Text string
}

// Pages returns the man pages: one of the program, one of each command, and one of each topic in section 7.
func (p *Program) Pages() []File {
	pages := []File{{p.Name + ".1", p.mainPage()}}
	for _, c := range p.Leaves() {
		pages = append(pages, File{p.pageName(c) + ".1", p.page(c)})
	}
	for _, t := range Topics() {
		pages = append(pages, File{p.Name + "-" + t.Name + ".7", p.topicPage(t)})
	}
	return pages
}

// pageName is how man knows the page of a command: compose-catalog-check.
func (p *Program) pageName(c *Command) string {
	return p.Name + "-" + strings.Join(c.Words, "-")
}

func (p *Program) mainPage() string {
	var r roff
	r.title(p.Name, 1, p.Summary)
	r.section("SYNOPSIS")
	r.synopsis(p.Name, "COMMAND", "[flags]")
	r.section("DESCRIPTION")
	r.paragraph(p.Summary)
	r.blocks(Blocks(p.About))
	r.section("COMMANDS")
	for _, c := range p.Leaves() {
		r.tagged(reference(p.pageName(c), 1), sentence(c.Summary))
	}
	r.section("OPTIONS OF EVERY COMMAND")
	r.flags(p.Flags)
	r.section("EXIT STATUS")
	r.blocks(afterTitle(Blocks(TopicText("exit-codes"))))
	r.section("ENVIRONMENT")
	r.blocks(afterTitle(Blocks(TopicText("environment"))))
	r.section("SEE ALSO")
	var also []string
	for _, t := range Topics() {
		also = append(also, reference(p.Name+"-"+t.Name, 7))
	}
	r.raw(strings.Join(also, ",\n"))
	return r.String()
}

func (p *Program) page(c *Command) string {
	var r roff
	r.title(p.pageName(c), 1, c.Summary)
	r.section("SYNOPSIS")
	words := append([]string{p.Name}, c.Words...)
	var rest []string
	for i := range c.Args {
		rest = append(rest, c.Args[i].usage())
	}
	r.synopsis(strings.Join(words, " "), append(rest, "[flags]")...)
	r.section("DESCRIPTION")
	r.paragraph(sentence(c.Summary))
	r.blocks(Blocks(c.About))
	if len(c.Args) > 0 {
		r.section("ARGUMENTS")
		for _, a := range c.Args {
			r.tagged(italic(a.Value), a.Help)
		}
	}
	if len(c.Flags) > 0 {
		r.section("OPTIONS")
		r.flags(c.Flags)
	}
	r.section("OPTIONS OF EVERY COMMAND")
	r.flags(p.Flags)
	r.section("SEE ALSO")
	r.raw(reference(p.Name, 1) + ",\n" + reference(p.Name+"-exit-codes", 7))
	return r.String()
}

func (p *Program) topicPage(t Topic) string {
	var r roff
	r.title(p.Name+"-"+t.Name, 7, t.Summary)
	r.section("DESCRIPTION")
	r.blocks(afterTitle(Blocks(TopicText(t.Name))))
	r.section("SEE ALSO")
	r.raw(reference(p.Name, 1))
	return r.String()
}

// afterTitle leaves out the heading that a text begins with.
func afterTitle(blocks []Block) []Block {
	if len(blocks) > 0 && blocks[0].Kind == Heading {
		return blocks[1:]
	}
	return blocks
}

// sentence ends a text with a period.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

// roff writes a man page with the macros of man(7), which every implementation knows.
type roff struct {
	strings.Builder
	begun bool // a section has begun and is empty
}

// escape makes a text of roff's input: nothing in it is a request, an escape, or a dash that is no minus.
func escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

func bold(text string) string   { return `\fB` + escape(text) + `\fR` }
func italic(text string) string { return `\fI` + escape(text) + `\fR` }

func reference(page string, section int) string { return fmt.Sprintf("%s(%d)", bold(page), section) }

func (r *roff) raw(text string) {
	r.WriteString(text + "\n")
	r.begun = strings.HasPrefix(text, ".SH") || strings.HasPrefix(text, ".SS")
}

// apart begins a paragraph, which a section does by itself.
func (r *roff) apart() {
	if !r.begun {
		r.raw(".PP")
	}
}

// title begins a page. There is no date: the same program has the same pages.
func (r *roff) title(name string, section int, summary string) {
	r.raw(`.\" Made from the command line of the program: go test ./cmd/compose -run TestGenerated -update`)
	r.raw(fmt.Sprintf(`.TH "%s" "%d" "" "" ""`, escape(strings.ToUpper(name)), section))
	r.section("NAME")
	r.raw(escape(name) + ` \- ` + escape(strings.TrimSuffix(summary, ".")))
}

func (r *roff) section(name string) { r.raw(".SH " + name) }

func (r *roff) paragraph(text string) {
	r.apart()
	r.raw(escape(text))
}

func (r *roff) synopsis(command string, rest ...string) {
	text := bold(command)
	for _, word := range rest {
		text += " " + escape(word)
	}
	r.raw(text)
}

// tagged writes a term, which is roff's input already, and what it means.
func (r *roff) tagged(term, text string) {
	r.raw(".TP")
	r.raw(term)
	r.raw(escape(text))
}

func (r *roff) flags(flags []Flag) {
	for _, f := range flags {
		term := bold("--" + f.Name)
		if f.Value != "" {
			term += " " + italic(f.Value)
		}
		r.tagged(term, sentence(f.Help))
	}
}

func (r *roff) blocks(blocks []Block) {
	for _, b := range blocks {
		switch b.Kind {
		case Heading:
			r.raw(".SS " + escape(b.Text))
		case Bullet:
			r.raw(".IP \\(bu 2")
			r.raw(escape(b.Text))
		case Verbatim:
			r.apart()
			r.raw(".RS 4\n.nf")
			for line := range strings.Lines(b.Text) {
				r.raw(escape(strings.TrimRight(line, "\n")))
			}
			r.raw(".fi\n.RE")
		default:
			r.paragraph(b.Text)
		}
	}
}
