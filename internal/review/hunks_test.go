package review_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/review"
)

// unified renders a comparison as tests read it.
func unified(c *review.Comparison) string {
	var b strings.Builder
	for _, note := range c.Notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	if c.Omitted != "" {
		fmt.Fprintf(&b, "%s\n", strings.TrimSuffix(c.Omitted.String()+": "+c.Why, ": "))
	}
	for _, h := range c.Hunks {
		fmt.Fprintln(&b, h.Header())
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c", l.Op)
			if l.Skipped > 0 {
				fmt.Fprintf(&b, "<%d before>", l.Skipped)
			}
			b.WriteString(l.Text)
			if l.Cut > 0 {
				fmt.Fprintf(&b, "<%d more>", l.Cut)
			}
			b.WriteByte('\n')
			if l.NoNewline {
				b.WriteString("\\\n")
			}
		}
	}
	return b.String()
}

func numbered(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		if text, found := change[i]; found {
			b.WriteString(text)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	const escapes = "# characters that would not be seen are shown as escapes, such as \\x1b or \\r\n"
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		name           string
		old, new       *string
		want           string
		added, removed int
	}{
		{"a changed line", text("a\nb\nc\n"), text("a\nB\nc\n"), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", 1, 1},
		{"two places", text(numbered(20, nil)), text(numbered(20, map[int]string{0: "", 19: "line 19\nmore\n"})),
			"@@ -1,4 +1,3 @@\n-line 0\n line 1\n line 2\n line 3\n@@ -18,3 +17,4 @@\n line 17\n line 18\n line 19\n+more\n", 1, 1},
		{"a new file", nil, text("a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0},
		{"a file that goes", text("a\nb\n"), nil, "@@ -1,2 +0,0 @@\n-a\n-b\n", 0, 2},
		{"a new file without a byte", nil, text(""), "# the file is new, and empty\n", 0, 0},
		{"an empty file that goes", text(""), nil, "# the file goes, and was empty\n", 0, 0},
		{"the same bytes", text("a\n"), text("a\n"), "the bytes are the same\n", 0, 0},
		{"no final line end", text("a\nb"), text("a\nb\n"), "@@ -1,2 +1,2 @@\n a\n-b\n\\\n+b\n", 1, 1},
		{"no final line end on both sides", text("a\nb"), text("A\nb"), "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\\n", 1, 1},
		{"CRLF on both sides", text("a\r\nb\r\n"), text("A\r\nb\r\n"), "# lines end in CRLF\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n", 1, 1},
		{"a new file with CRLF", nil, text("a\r\n"), "# lines end in CRLF\n@@ -0,0 +1,1 @@\n+a\n", 1, 0},
		{"CRLF made LF", text("a\r\nb\r\n"), text("a\nb\n"), "# CRLF before, LF after\nonly the line ends differ\n", 0, 0},
		{"line ends mixed", text("a\r\nb\n"), text("a\nb\n"), "# some CRLF and some LF before, LF after\nonly the line ends differ\n", 0, 0},
		{"CRLF made LF, and more", text("a\r\nb\r\n"), text("a\nB\n"), escapes + "@@ -1,2 +1,2 @@\n-a\\r\n-b\\r\n+a\n+B\n", 2, 2},
		{"a CR at the very end, among CRLF", text("a\r\nb\r"), text("A\r\nb\r"),
			"# lines end in CRLF\n" + escapes + "@@ -1,2 +1,2 @@\n-a\n+A\n b\\r\n\\\n", 1, 1},
		{"lines of old Macs", text("a\rb\r"), text("a\rc\r"), escapes + "@@ -1,1 +1,1 @@\n-a\\rb\\r\n\\\n+a\\rc\\r\n\\\n", 1, 1},
		{"a byte order mark", text("\ufeffa\n"), text("a\n"), escapes + "@@ -1,1 +1,1 @@\n-\\u{feff}a\n+a\n", 1, 1},
		{"control characters", text("a\n"), text("a\x1b[2J\x07\u009b\u202eb\tc\n"), escapes + "@@ -1,1 +1,1 @@\n-a\n+a\\x1b[2J\\x07\\u{9b}\\u{202e}b\tc\n", 1, 1},
		{"no UTF-8", text("caf\xe9\n"), text("café\n"), escapes + "@@ -1,1 +1,1 @@\n-caf\\xe9\n+café\n", 1, 1},
		{"the replacement character itself", text("a\n"), text("\ufffd\n"), "@@ -1,1 +1,1 @@\n-a\n+\ufffd\n", 1, 1},
		{"a NUL byte", text("a\x00"), text("a\n"), "binary files differ\n", 0, 0},
		{"UTF-16", nil, text("\xff\xfea\x00\n\x00"), "binary files differ\n", 0, 0},
		{"a long line", nil, text(strings.Repeat("é", review.MaxLine+7) + "\n"),
			fmt.Sprintf("# of lines of more than %d characters a part is shown\n@@ -0,0 +1,1 @@\n+%s<7 more>\n", review.MaxLine, strings.Repeat("é", review.MaxLine)), 1, 0},
		{"a line as long as fits", nil, text(strings.Repeat("é", review.MaxLine) + "\n"), "@@ -0,0 +1,1 @@\n+" + strings.Repeat("é", review.MaxLine) + "\n", 1, 0},
		{"long lines that differ late", text(strings.Repeat("é", 600) + "a" + strings.Repeat("x", 600) + "\n"), text(strings.Repeat("é", 600) + "b\n"),
			fmt.Sprintf("# of lines of more than %d characters a part is shown\n@@ -1,1 +1,1 @@\n-<580 before>%sa%s<121 more>\n+<580 before>%[2]sb\n", review.MaxLine, strings.Repeat("é", 20), strings.Repeat("x", 479)), 1, 1},
		{"too many bytes", text("a\n"), text(strings.Repeat("a", review.MaxText+1)), "too long to compare line by line\n", 0, 0},
		{"too many lines", text("a\n"), text(strings.Repeat("a\n", review.MaxLines+1)), "too long to compare line by line\n", 0, 0},
		{"lines that look like those of a diff", text("a\n\\ No newline at end of file\n"), text("-- a\n++ b\n@@ -1,1 +1,1 @@\n\\ No newline at end of file\n"),
			"@@ -1,2 +1,4 @@\n-a\n+-- a\n+++ b\n+@@ -1,1 +1,1 @@\n \\ No newline at end of file\n", 3, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bytesOf := func(s *string) []byte {
				if s == nil {
					return nil
				}
				return []byte(*s)
			}
			c, err := review.Compare(bytesOf(tt.old), bytesOf(tt.new))
			if err != nil {
				t.Fatal(err)
			}
			if got := unified(&c); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if c.Added != tt.added || c.Removed != tt.removed {
				t.Errorf("got +%d -%d, want +%d -%d", c.Added, c.Removed, tt.added, tt.removed)
			}
		})
	}
}

func TestEscapesAreTold(t *testing.T) {
	shown, escapes, cut := review.VisibleLine([]byte("\\x1b\x1bé\xff"), 100)
	if want := `\x1b\x1bé\xff`; shown != want || cut != 0 {
		t.Fatalf("got %q, want %q", shown, want)
	}
	var marked []string
	for _, e := range escapes {
		marked = append(marked, fmt.Sprintf("%d %s", e.Start, shown[e.Start:e.End]))
	}
	if got, want := strings.Join(marked, ", "), `4 \x1b, 10 \xff`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzCompare holds the hunks of a difference against the two texts: every line stands where it says, and what is in no hunk is the
// same on both sides.
func FuzzCompare(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte("a\r\nb\r\n"), []byte("b\r\n"))
	f.Add([]byte("@@ -1,1 +1,1 @@\n-a\n"), []byte("\\ No newline at end of file\n\x1b\xff"))
	f.Add([]byte(numbered(30, nil)), []byte(numbered(30, map[int]string{3: "x\n", 17: "", 29: "y"})))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		c, err := review.Compare(old, new)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Hunks) == 0 {
			if c.Omitted == "" && len(c.Notes) == 0 {
				t.Error("no hunks, and no word why")
			}
			return
		}
		checkHunks(t, &c, linesOf(old), linesOf(new))
	})
}

// linesOf returns the lines of a text, with their ends.
func linesOf(text []byte) [][]byte {
	return slices.Collect(bytes.Lines(text))
}

func checkHunks(t *testing.T, c *review.Comparison, old, new [][]byte) {
	same := func(fromOld, toOld, fromNew, toNew int) {
		if toOld-fromOld != toNew-fromNew || !bytes.Equal(bytes.Join(old[fromOld:toOld], nil), bytes.Join(new[fromNew:toNew], nil)) {
			t.Fatalf("lines %d to %d and %d to %d are in no hunk and differ", fromOld, toOld, fromNew, toNew)
		}
	}
	start := func(start, lines int) int {
		if lines == 0 {
			return start
		}
		return start - 1
	}
	var atOld, atNew, added, removed int
	quiet := len(c.Notes) > 0 && c.Notes[0] == "lines end in CRLF"
	for _, h := range c.Hunks {
		same(atOld, start(h.OldStart, h.OldLines), atNew, start(h.NewStart, h.NewLines))
		atOld, atNew = start(h.OldStart, h.OldLines), start(h.NewStart, h.NewLines)
		endOld, endNew := atOld+h.OldLines, atNew+h.NewLines
		for _, l := range h.Lines {
			var sides [][]byte
			if l.Op != review.Added {
				sides = append(sides, old[atOld])
			}
			if l.Op != review.Removed {
				sides = append(sides, new[atNew])
			}
			for _, text := range sides {
				line, ended := bytes.CutSuffix(text, []byte("\n"))
				if quiet && ended {
					line = bytes.TrimSuffix(line, []byte("\r"))
				}
				skip := 0
				for range l.Skipped {
					_, size := utf8.DecodeRune(line[skip:])
					skip += size
				}
				want, _, cut := review.VisibleLine(line[skip:], review.MaxLine)
				if l.Text != want || l.Cut != cut || l.NoNewline == ended || l.Skipped > 0 && l.Op == review.Context {
					t.Fatalf("got %+v, want %q, cut %d, ended %v", l, want, cut, ended)
				}
			}
			if strings.ContainsFunc(l.Text, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) || !utf8.ValidString(l.Text) {
				t.Fatalf("%q is not safe to print", l.Text)
			}
			if l.Op != review.Added {
				atOld++
			}
			if l.Op != review.Removed {
				atNew++
			}
			added += count(l.Op == review.Added)
			removed += count(l.Op == review.Removed)
		}
		if atOld != endOld || atNew != endNew {
			t.Fatalf("%s has other lines than it says", h.Header())
		}
	}
	same(atOld, len(old), atNew, len(new))
	if added != c.Added || removed != c.Removed {
		t.Fatalf("counted +%d -%d, got +%d -%d", added, removed, c.Added, c.Removed)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
