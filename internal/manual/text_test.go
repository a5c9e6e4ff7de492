package manual_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/compose/docs"
	"example.org/compose/internal/manual"
)

func TestBlocks(t *testing.T) {
	const text = "# Title\n\nOne\ntwo [three](x.md) [four] (five).\n\n- a\n  b\n- c\n\n  tool run\n    deeper\n\nlast\n\n```sh\nfenced\n\n# line\n```\n"
	want := []manual.Block{
		{Kind: manual.Heading, Text: "Title"}, {Kind: manual.Prose, Text: "One two three [four] (five)."}, {Kind: manual.Bullet, Text: "a b"}, {Kind: manual.Bullet, Text: "c"},
		{Kind: manual.Verbatim, Text: "tool run\n  deeper"}, {Kind: manual.Prose, Text: "last"}, {Kind: manual.Verbatim, Text: "fenced\n\n# line"},
	}
	if got := manual.Blocks(text); !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := manual.Blocks(""); got != nil {
		t.Errorf("nothing is %q", got)
	}
}

// Each topic has a file, a summary, and no more than what is read at once; each file is a topic.
func TestTopics(t *testing.T) {
	files, err := os.ReadDir("topics")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(manual.Topics()); got != len(files) {
		t.Errorf("%d topics and %d files", got, len(files))
	}
	for _, topic := range manual.Topics() {
		text := manual.TopicText(topic.Name)
		blocks := manual.Blocks(text)
		if topic.Summary == "" || len(blocks) < 3 || blocks[0].Kind != manual.Heading || !strings.HasPrefix(strings.ToLower(blocks[0].Text), strings.ReplaceAll(topic.Name, "-", " ")+": ") {
			t.Errorf("%s begins with %q", topic.Name, blocks[:min(len(blocks), 1)])
		}
		if words := len(strings.Fields(text)); words > 330 {
			t.Errorf("%s has %d words; it is read at a terminal, in a moment of need", topic.Name, words)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r > 126 || r < 32 && r != '\n' }) {
			t.Errorf("%s has more than printable ASCII", topic.Name)
		}
	}
	if got := manual.TopicText("../topics/trust"); got != "" {
		t.Error("a path is no topic")
	}
}

// Every code has an entry that says what it means and what to do.
func TestCodes(t *testing.T) {
	codes := manual.Codes(docs.Codes)
	if len(codes) < 50 {
		t.Fatalf("only %d codes", len(codes))
	}
	for _, code := range codes {
		entry := manual.CodeText(docs.Codes, code)
		if blocks := manual.Blocks(entry); len(blocks) < 2 || blocks[0].Text != code || strings.Count(entry, "\n### ") > 0 {
			t.Errorf("%s: %q", code, entry)
		}
	}
	if got := manual.CodeText(docs.Codes, "NO_SUCH_CODE"); got != "" {
		t.Errorf("got %q", got)
	}
}

func ExampleCodeText() {
	fmt.Println(manual.CodeText("# Codes\n\n### A\n\nFirst.\n\n### B\n\nSecond.\n\n## More\n", "B"))
	// Output:
	// ### B
	//
	// Second.
}
