package strictjson

import "testing"

// The real bound is too large for a test of every run.
func TestBoundOfValues(t *testing.T) {
	for text, want := range map[string]bool{
		`[0,{"a":0}]`:         true, // four
		`[0,{"a":0},0]`:       false,
		`{"a":{"b":{"c":0}}}`: true,
		`[[[[0]]]]`:           false,
	} {
		p := parser{Document: Document{text: []byte(text)}, maxDepth: MaxDepth, maxValues: 4}
		if got := p.document(); got != want {
			t.Errorf("%s: read %v, want %v", text, got, want)
		}
		if !want && p.fault().Reason != "the document holds more than 4 values" {
			t.Errorf("%s: %v", text, p.fault())
		}
	}
}
