package manual_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/manual"
)

// breaks are bash's own.
const breaks = " \t\n\"'@><=;|&(:"

// hostile are names that mean something to a shell.
func hostile() []string {
	return []string{
		"a b", "it's", `say "hi"`, "$(touch pwned)", "`touch pwned`", ";touch pwned;", "a && touch pwned", "|touch pwned", ">pwned", `a\b`, `end\`, "*", "?",
		"~", "~root", "#x", "{a,b}", "[x]", "!!", "$HOME", "${HOME}", "a=b:c@d", "é ü", "日本語", "'", `"`, "$'x'", "a'b\"c$d`e", "%s", "x^y", "(a)", "=cmd", " lead", "trail ",
	}
}

func TestParseLine(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       []string // nil: there is nothing to complete
	}{
		{"the first word", "compose ", []string{""}},
		{"words", "compose plan  --mode\tup", []string{"plan", "--mode", "up"}},
		{"an empty last word", "compose plan ", []string{"plan", ""}},
		{"single quotes", `compose a 'b c' d`, []string{"a", "b c", "d"}},
		{"double quotes", `compose "a \"b\" \$c \d" x`, []string{`a "b" $c \d`, "x"}},
		{"an open quote", `compose 'a b`, []string{"a b"}},
		{"a quote within", `compose a"b c"d`, []string{"ab cd"}},
		{"an empty argument", `compose '' x`, []string{"", "x"}},
		{"backslashes", `compose a\ b\'c`, []string{"a b'c"}},
		{"a backslash at the end", `compose a\`, []string{"a"}},
		{"a continued line", "compose a\\\nb", []string{"ab"}},
		{"expansions stay as they are written", `compose $HOME "$x" ~/a`, []string{"$HOME", "$x", "~/a"}},
		{"a value", "compose plan --mode=up", []string{"plan", "--mode=up"}},
		{"the name alone", "compose", nil},
		{"nothing", "", nil},
		{"a redirection", "compose plan > x", nil},
		{"another command", "compose plan; compose a", nil},
		{"within a substitution", "compose $(a", nil},
		{"a quote of C", `compose $'a`, nil},
		{"a quote behind an escaped dollar", `compose \$'a`, []string{"$a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := manual.ParseLine(test.line, breaks)
			if ok != (test.want != nil) || !slices.Equal(got.Words, test.want) {
				t.Errorf("got %q, %v; want %q", got.Words, ok, test.want)
			}
		})
	}
}

// What bash keeps of the last word is not in a reply, and the style of the quotes is the one that was begun.
func TestReplies(t *testing.T) {
	for _, test := range []struct{ line, word, want string }{
		{"compose pl", "plan", "plan"},
		{"compose --mode=up", "--mode=update", "update"},
		{"compose builtin:st", "builtin:starter", "starter"},
		{"compose https://a:80/x", "https://a:80/xy", "80/xy"},
		{`compose builtin\:st`, "builtin:starter", "builtin:starter"},
		{`compose "a b`, "a bc", `"a bc"`},
		{`compose 'it`, "it's", `'it'\''s'`},
		{`compose "a=b`, "a=bc", `"a=bc"`},
		{`compose --x="a`, "--x=a b", `"a b"`},
		{`compose a"b`, "abc", `"bc"`},
		{`compose a\ b`, "a bc d", `a\ bc\ d`},
		{`compose "a b"`, "a bc", `a\ bc`},
		{`compose "a`, "a!b", ""},
		{`compose --mode=up`, "--node", ""},
	} {
		l, ok := manual.ParseLine(test.line, breaks)
		if !ok {
			t.Fatalf("%s is not read", test.line)
		}
		if got := strings.Join(l.Replies([]manual.Candidate{{Word: test.word}}), "\n"); got != test.want {
			t.Errorf("%s to %s: got %s, want %s", test.line, test.word, got, test.want)
		}
	}
}

// Whatever a reply holds, bash reads it as the one word that was meant, and expands and runs nothing.
func TestBashReadsReplies(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	var script strings.Builder
	var want []string
	script.WriteString("take() { printf '%s\\n' \"$#:$1\"; }\n")
	for _, begun := range []string{"", "'", `"`} {
		l, ok := manual.ParseLine("compose "+begun, breaks)
		if !ok {
			t.Fatal(begun)
		}
		for _, word := range hostile() {
			replies := l.Replies([]manual.Candidate{{Word: word}})
			if len(replies) == 0 && begun == `"` && strings.Contains(word, "!") {
				continue
			}
			if len(replies) != 1 {
				t.Fatalf("%q in %q: %q", word, begun, replies)
			}
			script.WriteString("take " + replies[0] + "\n")
			want = append(want, "1:"+word)
		}
	}
	folder := t.TempDir()
	for _, flags := range [][]string{{}, {"--posix"}} {
		command := exec.Command(bash, append([]string{"--norc", "--noprofile"}, append(flags, "-s")...)...)
		command.Dir, command.Stdin, command.Env = folder, strings.NewReader(script.String()), []string{"LC_ALL=C.UTF-8", "HOME=/home/of-nobody"}
		var out, faults bytes.Buffer
		command.Stdout, command.Stderr = &out, &faults
		if err := command.Run(); err != nil || faults.Len() > 0 {
			t.Fatalf("%v: %s", err, &faults)
		}
		if got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"); !slices.Equal(got, want) {
			t.Errorf("bash %q\ngot  %q\nwant %q", flags, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "pwned")); err == nil {
		t.Error("a name was run")
	}
}

func FuzzParseLine(f *testing.F) {
	for _, word := range hostile() {
		f.Add("compose "+word, breaks, word)
		f.Add("compose '"+word, breaks, word)
	}
	f.Fuzz(func(t *testing.T, line, breaks, word string) {
		l, ok := manual.ParseLine(line, breaks)
		if !ok {
			return
		}
		if len(l.Words) == 0 {
			t.Fatal("a line without a word to complete")
		}
		last := l.Words[len(l.Words)-1]
		for _, reply := range l.Replies([]manual.Candidate{{Word: last + word}}) {
			if strings.ContainsAny(reply, "\n\x1b") {
				t.Fatalf("reply %q", reply)
			}
			// A reply is read as a whole word again.
			again, ok := manual.ParseLine("x "+reply, "")
			if !ok || len(again.Words) != 1 || !strings.HasSuffix(last+word, again.Words[0]) {
				t.Fatalf("%q to %q: %q is read as %q", line, last+word, reply, again.Words)
			}
		}
	})
}
