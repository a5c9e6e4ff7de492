package codehost

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"example.org/compose/internal/targettest"
	"example.org/compose/lockv2"
)

// Whatever the bytes, a line that is found is one of the text, and a column is in it.
func FuzzLocate(f *testing.F) {
	lock, err := lockv2.Encode(targettest.Lock())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lock, "/files/0/destination")
	f.Add([]byte("{\"ä\": }"), "")
	f.Add([]byte("\xff\xfe\n{\"a\":\n[1,"), "/a/1")
	f.Fuzz(func(t *testing.T, b []byte, pointer string) {
		at := &place{}
		(&text{pointers: []string{pointer}, at: []*place{at}}).locate(b)
		lines := bytes.Split(b, []byte{'\n'})
		if at.line < 0 || at.line > len(lines) {
			t.Fatalf("line %d of %d", at.line, len(lines))
		}
		if at.line > 0 && at.column > 1+utf8.RuneCount(lines[at.line-1]) {
			t.Fatalf("column %d of %q", at.column, lines[at.line-1])
		}
	})
}
