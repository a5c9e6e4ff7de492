package manual

import (
	"embed"
	"strings"
)

//go:embed topics/*.txt
var topics embed.FS

// Topic is a text of compose help.
type Topic struct{ Name, Summary string }

// topicNames are in the order in which they are listed: what is needed most first.
func topicNames() []string {
	return []string{"ownership", "conflicts", "recovery", "configuration", "sources", "trust", "exit-codes", "environment"}
}

// Topics returns the topics, the one that is needed most first.
func Topics() []Topic {
	var list []Topic
	for _, name := range topicNames() {
		title, _, _ := strings.Cut(TopicText(name), "\n")
		_, summary, _ := strings.Cut(title, ": ")
		list = append(list, Topic{name, summary})
	}
	return list
}

// TopicText returns the text of a topic, for Blocks, its title in the first line; "" for an unknown one.
func TopicText(name string) string {
	b, err := topics.ReadFile("topics/" + name + ".txt")
	if err != nil {
		return ""
	}
	return string(b)
}

// Codes returns the names of the entries of docs/codes.md, in its order.
func Codes(page string) []string {
	var list []string
	for line := range strings.Lines(page) {
		if code, ok := codeOf(line); ok {
			list = append(list, code)
		}
	}
	return list
}

// CodeText returns the entry of a code in docs/codes.md, for Blocks, with its heading; "" where it has none.
func CodeText(page, code string) string {
	var entry strings.Builder
	in := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			found, ok := codeOf(line)
			in = ok && found == code
		}
		if in {
			entry.WriteString(line)
		}
	}
	return strings.TrimSpace(entry.String())
}

// codeOf reads a heading.
func codeOf(line string) (string, bool) {
	code, ok := strings.CutPrefix(strings.TrimSpace(line), "### ")
	code = strings.Trim(code, "`")
	return code, ok && code != "" && code == strings.ToUpper(code) && !strings.Contains(code, " ")
}
