package manual

import (
	"fmt"
	"strings"
)

// Reference returns the page of every command in Markdown.
func (p *Program) Reference() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n" + made + "What they have in common, such as output, exit statuses and variables, is in [cli.md](../cli.md).\n\n| command | |\n| --- | --- |\n")
	for _, c := range p.Leaves() {
		fmt.Fprintf(&b, "| [`%s %s`](#%s) | %s |\n", p.Name, c.Name(), anchor(p.Name+" "+c.Name()), cell(c.Summary))
	}
	b.WriteString("\n## Flags of every command\n\n")
	flagTable(&b, p.Flags)
	for _, c := range p.Leaves() {
		fmt.Fprintf(&b, "\n## %s %s\n\n```\n%s\n```\n\n%s\n", p.Name, c.Name(), p.Usage(c), sentence(c.Summary))
		for _, block := range Blocks(c.About) {
			switch block.Kind {
			case Verbatim:
				b.WriteString("\n```\n" + block.Text + "\n```\n")
			case Bullet:
				b.WriteString("\n- " + markdown(block.Text) + "\n")
			default:
				b.WriteString("\n" + markdown(block.Text) + "\n")
			}
		}
		if len(c.Args) > 0 {
			b.WriteString("\n| argument | |\n| --- | --- |\n")
			for i := range c.Args {
				fmt.Fprintf(&b, "| `%s` | %s |\n", c.Args[i].usage(), cell(c.Args[i].Help))
			}
		}
		if len(c.Flags) > 0 {
			b.WriteString("\n")
			flagTable(&b, c.Flags)
		}
	}
	return b.String()
}

// made begins a page that is not written by hand.
const made = "Made from the code by `go test ./cmd/compose -run TestGenerated -update`; a test keeps it so.\n"

func flagTable(b *strings.Builder, flags []Flag) {
	b.WriteString("| flag | |\n| --- | --- |\n")
	for i := range flags {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(flags[i].usage(), "|", "\\|"), cell(flags[i].Help))
	}
}

// anchor is how GitHub names a heading.
func anchor(heading string) string { return strings.ReplaceAll(heading, " ", "-") }

// cell is a text in a table.
func cell(text string) string { return strings.ReplaceAll(markdown(text), "|", "\\|") }

// markdown is a text that stands for itself.
func markdown(text string) string {
	return strings.NewReplacer("*", "\\*", "_", "\\_", "<", "\\<", "[", "\\[").Replace(text)
}

// Schema is a schema and where its documents come from.
type Schema struct {
	Name, Title, About string
	From               []string // the commands that print it; none for a file
}

// SchemaReference returns the page of the schemas in Markdown.
func SchemaReference(list []Schema) string {
	var b strings.Builder
	b.WriteString("# Schemas\n\n" + made + "The form of every document that compose reads or prints, as JSON Schema (draft 2020-12). Documents are in the form of [json.md](../json.md).\n\n| schema | describes | printed by |\n| --- | --- | --- |\n")
	for _, s := range list {
		var from []string
		for _, command := range s.From {
			from = append(from, "`"+command+"`")
		}
		fmt.Fprintf(&b, "| [`%s`](../../schemas/%s.schema.json) | %s: %s | %s |\n", s.Name, s.Name, cell(s.Title), cell(s.About), strings.Join(from, ", "))
	}
	return b.String()
}
