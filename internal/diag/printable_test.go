package diag_test

import (
	"testing"

	"example.org/compose/internal/diag"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 9, ""},
		{" a\r\n\n\tb\n", 9, "a b"},
		{"\x1b[31mred\x07", 9, "?[31mred?"},
		{"\xff\u202e\u2028x\ufffd", 9, "?? x?"},
		{"a\u00a0b\u200bc", 9, "a b?c"},
		{"äöü", 3, "äöü"},
		{"äöü", 2, "äö..."},
	} {
		if got := diag.Printable(tt.text, tt.limit); got != tt.want || !diag.IsPrintable(got) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]bool{"": true, "a b": true, "ä": true, "a\tb": false, "\xff": false, "\u202e": false, "\x7f": false} {
		if diag.IsPrintable(text) != want {
			t.Errorf("%q is printable: %v", text, !want)
		}
	}
}
