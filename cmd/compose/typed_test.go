package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// sessions are the shell blocks of a page, each with the block of text that follows it at once, if one does.
var sessions = regexp.MustCompile("(?m)^```sh\n((?s:.*?))^```\n(?:\n```text\n((?s:.*?))^```\n)?")

// failing is a line of a shell block that ends in a note on its exit status.
var failing = regexp.MustCompile(`(?m)^(.*?) +# exits ([0-9]+)$`)

// typed NAME types what a page of docs shows into one shell, block after block, and wants the output that is shown, of both
// streams, as a reader sees it. A line that ends in "# exits 2" has to. In what is shown "..." stands for any text, and alone on
// a line for any lines; the ids of commits and digests are compared by what they are equal to, since they depend on who
// commits and when. With -update a block that shows something else is written anew, without any "...".
func typed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: typed NAME")
	}
	name := filepath.Join(docsFolder, args[0])
	read, err := os.ReadFile(name)
	ts.Check(err)
	page := string(read)
	blocks := sessions.FindAllStringSubmatchIndex(page, -1)
	if len(blocks) == 0 {
		ts.Fatalf("%s has no shell block", args[0])
	}
	script := strings.Builder{}
	script.WriteString(asOnATerminal)
	commands := ""
	for _, block := range blocks {
		text := page[block[2]:block[3]]
		commands += text
		script.WriteString(failing.ReplaceAllString(text, "if $1; then exit 99; else [ $$? = $2 ]; fi"))
		script.WriteString("\nprintf '\\036'\n")
	}
	err = ts.Exec("sh", "-euc", script.String())
	printed := strings.Split(ts.ReadFile("stdout"), "\x1e")
	if err != nil || len(printed) != len(blocks)+1 {
		ts.Fatalf("%s: %v after block %d of %d, which printed\n%s%s", args[0], err, len(printed)-1, len(blocks), printed[len(printed)-1], ts.ReadFile("stderr"))
	}
	ids := newSameIDs(commands)
	var now strings.Builder
	done := 0
	for i, block := range blocks {
		from, to := block[4], block[5]
		if from < 0 || ids.shown(page[from:to], printed[i]) {
			continue
		}
		if !*update {
			ts.Fatalf("%s shows\n%s\nand the commands print\n%s", args[0], page[from:to], printed[i])
		}
		now.WriteString(page[done:from] + printed[i])
		done = to
	}
	if done > 0 {
		ts.Check(os.WriteFile(name, []byte(now.String()+page[done:]), 0o666))
	}
}

// asOnATerminal makes a shell print what people see: 80 columns, both streams in one, and the human form, unless a command
// asks for another. compose is a program, as it is for a reader, and not a function, which could not be killed.
const asOnATerminal = `exec 2>&1
export COLUMNS=80
mkdir "$TMPDIR/typed"
cat > "$TMPDIR/typed/compose" <<END
#!/bin/sh
case " \$* " in *" --format "*) ;; *) set -- --format human "\$@" ;; esac
exec "$(command -v compose)" "\$@"
END
chmod +x "$TMPDIR/typed/compose"
PATH="$TMPDIR/typed:$PATH"
`

// sameIDs holds which id on a page stands for which one that was printed.
type sameIDs struct {
	of, back map[string]string
}

// id finds the ids of commits and the digests, whole or shortened to twelve digits.
var id = regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{12})\b`)

// newSameIDs returns the ids of a page. Those that its commands name are themselves.
func newSameIDs(commands string) *sameIDs {
	s := &sameIDs{map[string]string{}, map[string]string{}}
	for _, name := range id.FindAllString(commands, -1) {
		s.same(name, name)
	}
	return s
}

// same notes that an id on the page stands for a printed one, and says whether that fits what was noted before.
func (s *sameIDs) same(shown, printed string) bool {
	shown, printed = shown[:12], printed[:12]
	if s.of[shown] == "" && s.back[printed] == "" {
		s.of[shown], s.back[printed] = printed, shown
	}
	return s.of[shown] == printed
}

// shown says whether a text of the page shows an output.
func (s *sameIDs) shown(text, output string) bool {
	pattern, ids := shownAs(text)
	found := pattern.FindStringSubmatch(output)
	if found == nil {
		return false
	}
	for i, printed := range found[1:] {
		if !s.same(ids[i], printed) {
			return false
		}
	}
	return true
}

// shownAs makes a pattern of a shown output. It captures the ids, which it returns in their order.
func shownAs(text string) (pattern *regexp.Regexp, ids []string) {
	var p strings.Builder
	p.WriteString(`\A`)
	for line := range strings.Lines(text) {
		if line == "...\n" {
			p.WriteString(`(?:.*\n)*?`)
			continue
		}
		quoted := strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`)
		p.WriteString(id.ReplaceAllStringFunc(quoted, func(name string) string {
			ids = append(ids, name)
			return fmt.Sprintf(`\b([0-9a-f]{%d})\b`, len(name))
		}))
	}
	p.WriteString(`\z`)
	return regexp.MustCompile(p.String()), ids
}

func TestShownAs(t *testing.T) {
	const first, second = "0123456789ab", "ba9876543210"
	for _, test := range []struct {
		name, shown, output string
		want                bool
	}{
		{"any text", "a ... c\n", "a b c\n", true},
		{"any lines", "a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a line more", "a\n", "a\nb\n", false},
		{"another beginning", "a\n...\n", "b\na\n", false},
		{"another id", "at " + first + "\n", "at " + second + "\n", true},
		{"another id in both places", first + " " + first + "\n", second + " " + second + "\n", true},
		{"whole and shortened", first + " " + first + strings.Repeat("0", 28) + "\n", second + " " + second + strings.Repeat("f", 28) + "\n", true},
		{"one id for two", first + " " + first + "\n", first + " " + second + "\n", false},
		{"two ids for one", first + " " + second + "\n", first + " " + first + "\n", false},
		{"an id of the commands", strings.Repeat("a", 40) + "\n", strings.Repeat("b", 40) + "\n", false},
		{"no id", "at " + first + "\n", "at home\n", false},
	} {
		if got := newSameIDs("--revision "+strings.Repeat("a", 40)).shown(test.shown, test.output); got != test.want {
			t.Errorf("%s: %q shows %q: got %v, want %v", test.name, test.shown, test.output, got, test.want)
		}
	}
}
