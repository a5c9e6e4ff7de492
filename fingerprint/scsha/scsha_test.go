package scsha_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/compose/fingerprint/scsha"
)

func TestTextZeroValue(t *testing.T) {
	var text scsha.Text
	got, err := text.Sum()
	want, wantErr := scsha.CalculateHash(nil)
	if got != want || err != nil || wantErr != nil {
		t.Errorf("got %s, %v; want %s, %v", got, err, want, wantErr)
	}
}

func TestTextSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"\xff":                 "byte 1 ",
		"abc\xff":              "byte 4 ",
		"é\xe2\x82":            "byte 3 ",
		"a\xe2\x82b":           "byte 2 ",
		"\xed\xa0\x80":         "byte 1 ",
		"\xc0\x80":             "byte 1 ",
		"ab\xf4\x90\x80\x80cd": "byte 3 ",
	} {
		for size := 1; size <= len(text); size++ {
			if _, err := inPieces([]byte(text), size); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q in pieces of %d: error %v, want %s", text, size, err, want)
			}
		}
	}
}

func inPieces(text []byte, size int) (scsha.TextDigest, error) {
	var t scsha.Text
	for len(text) > 0 {
		n := min(size, len(text))
		t.Write(text[:n])
		text = text[n:]
	}
	return t.Sum()
}

// Faults that the vectors do not have: what a caller in Go can pass and a manifest as JSON can't.
func TestCompositionRefuses(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	local := func(value string) scsha.Source { return scsha.Source{Kind: scsha.LocalPath, Value: value} }
	node := scsha.Node{Source: local("a"), SHA256: digest}
	tests := []struct {
		name       string
		m          scsha.Manifest
		code, path string
	}{
		{"zero", scsha.Manifest{}, scsha.CodeInvalidManifest, "/schema"},
		{"unknown kind", scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{{Source: scsha.Source{Kind: "git", Value: "a"}, SHA256: digest}}}, scsha.CodeInvalidCanonicalSource, "/nodes/0/source/kind"},
		{"source not UTF-8", scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{{Source: local("\xff"), SHA256: digest}}}, scsha.CodeInvalidCanonicalSource, "/nodes/0/source"},
		{"digest of the second node before the source of the third", scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{node, {Source: local("b"), SHA256: "x"}, {Source: local(""), SHA256: digest}}}, scsha.CodeInvalidDigest, "/nodes/1/sha256"},
		{"source of the first node before the digest of the second", scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{{Source: local(""), SHA256: digest}, {Source: local("b"), SHA256: "x"}}}, scsha.CodeInvalidCanonicalSource, "/nodes/0/source"},
		{"child of an edge", scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{node}, Edges: []scsha.Edge{{Parent: local("a"), Child: local("b")}}}, scsha.CodeUnknownEdgeEndpoint, "/edges/0/child"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := scsha.CalculateCompositionHash(tt.m)
			if code(err) != tt.code || got != (scsha.CompositionDigest{}) {
				t.Fatalf("got %s, error %v; want %s", got, err, tt.code)
			}
			if e := err.(*scsha.Error); e.Path() != tt.path {
				t.Errorf("path %q, want %q", e.Path(), tt.path)
			}
		})
	}
}

func TestDigestInEitherCase(t *testing.T) {
	sum := func(digest string) scsha.CompositionDigest {
		got, err := scsha.CalculateCompositionHash(scsha.Manifest{Schema: "v1", Nodes: []scsha.Node{{Source: scsha.Source{Kind: scsha.URL, Value: "a"}, SHA256: digest}}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if lower, upper := sum(strings.Repeat("ab", 32)), sum(strings.Repeat("AB", 32)); lower != upper {
		t.Errorf("lower case %s, upper case %s", lower, upper)
	}
}

// FuzzText: the value is the SHA-256 of the text with its line ends made LF, however it is cut.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb\rc", "\r\r\n", "é\r", "\xff", "\ufeffx", "\xf0\x9f\x98"} {
		f.Add([]byte(seed), 1)
	}
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		got, err := inPieces(text, 1+max(0, size)%16)
		whole, wholeErr := scsha.CalculateHash(text)
		if got != whole || fmt.Sprint(err) != fmt.Sprint(wholeErr) {
			t.Fatalf("in pieces %s, %v; at once %s, %v", got, err, whole, wholeErr)
		}
		if (err == nil) != utf8.Valid(text) {
			t.Fatalf("error %v", err)
		}
		if err != nil {
			return
		}
		lf := bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		if want := scsha.TextDigest(sha256.Sum256(lf)); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{"LF": strings.Repeat("some line of text\n", 1<<16), "CRLF": strings.Repeat("some line of text\r\n", 1<<16)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := scsha.CalculateHash([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCalculateHash() {
	unix, _ := scsha.CalculateHash([]byte("hello\n"))
	windows, _ := scsha.CalculateHash([]byte("hello\r\n"))
	fmt.Println(unix)
	fmt.Println(windows == unix)
	_, err := scsha.CalculateHash([]byte("caf\xe9"))
	fmt.Println(err)
	// Output:
	// 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
	// true
	// byte 4 is not UTF-8; save the text as UTF-8
}

func ExampleCalculateCompositionHash() {
	page, _ := scsha.CalculateHash([]byte("@<head.md>\nbody\n"))
	head, _ := scsha.CalculateHash([]byte("# Head\n"))
	at := func(path string) scsha.Source { return scsha.Source{Kind: scsha.LocalPath, Value: path} }
	value, err := scsha.CalculateCompositionHash(scsha.Manifest{
		Schema: scsha.ManifestAlgorithm,
		Nodes:  []scsha.Node{{Source: at("page.md"), SHA256: page.String()}, {Source: at("head.md"), SHA256: head.String()}},
		Edges:  []scsha.Edge{{Parent: at("page.md"), Child: at("head.md"), Occurrence: 0}},
	})
	fmt.Println(len(value), err)
	// Output: 32 <nil>
}
