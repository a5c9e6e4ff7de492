package strictjson_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
)

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		line, col  int
		reason     string // a part of it
	}{
		{"nothing", "", 1, 1, "empty"},
		{"white space", " \n ", 2, 2, "white space"},
		{"byte order mark", "\xef\xbb\xbf{}", 1, 1, "byte order mark"},
		{"UTF-16, little end first, with mark", "\xff\xfe{\x00}\x00", 1, 1, "UTF-16"},
		{"UTF-16, big end first, with mark", "\xfe\xff\x00{\x00}", 1, 1, "UTF-16"},
		{"UTF-16, little end first", "{\x00}\x00", 1, 1, "UTF-16"},
		{"UTF-16, big end first", "\x00{\x00}", 1, 1, "UTF-16"},
		{"open object", "{", 1, 2, "ends"},
		{"open array", "[1", 1, 3, "ends"},
		{"open string", `["abc`, 1, 2, "not closed"},
		{"open string after an escape", `["a\nbc`, 1, 2, "not closed"},
		{"a name without value", `{"a"`, 1, 5, `":"`},
		{"no value after a colon", `{"a":`, 1, 6, "ends"},
		{"comma before a bracket", "[1,\n2,\n]", 2, 2, "comma"},
		{"comma before a brace", `{"a":1, }`, 1, 7, "comma"},
		{"two commas", "[1,,2]", 1, 4, "a value"},
		{"no comma", "[1 2]", 1, 4, `","`},
		{"name without quotes", "{a:1}", 1, 2, "double quotes"},
		{"single quotes", "{'a':1}", 1, 2, "double quotes"},
		{"a comment", "{\n  // why\n}", 2, 3, "no comments"},
		{"trailing word", "{}x", 1, 3, "after the end"},
		{"trailing document", "{}\n{}", 2, 1, "after the end"},
		{"trailing NUL", "{}\x00", 1, 3, "after the end"},
		{"duplicate key", `{"a":1,"b":2,"a":3}`, 1, 14, `"a" stands twice`},
		{"duplicate key, one escaped", `{"a":1,"\u0061":2}`, 1, 8, `"a" stands twice`},
		{"duplicate key, deep", "{\"x\":[{\n\"é\":1,\"\\u00e9\":2}]}", 2, 8, `"é" stands twice`},
		{"duplicate empty key", `{"":1,"":2}`, 1, 7, `"" stands twice`},
		{"NaN", "[NaN]", 1, 2, "NaN is no JSON number"},
		{"Infinity", "Infinity", 1, 1, "Infinity is no JSON number"},
		{"minus Infinity", "[-Infinity]", 1, 2, "no JSON number"},
		{"leading zero", "01", 1, 1, "no JSON number"},
		{"leading plus", "+1", 1, 1, "a value"},
		{"point first", ".5", 1, 1, "a value"},
		{"point last", "1.", 1, 1, "no JSON number"},
		{"empty exponent", "1e", 1, 1, "no JSON number"},
		{"signed empty exponent", "1e+", 1, 1, "no JSON number"},
		{"minus alone", "-", 1, 1, "no JSON number"},
		{"hexadecimal", "0x10", 1, 1, "no JSON number"},
		{"capital True", "[True]", 1, 2, `"True"`},
		{"word that begins with null", "nullx", 1, 1, `"nullx"`},
		{"high surrogate alone", `"\ud800"`, 1, 2, "surrogate"},
		{"high surrogate, then a letter", `"x\uD83Dy"`, 1, 3, "surrogate"},
		{"two high surrogates", `"\ud83d\ud83d"`, 1, 2, "surrogate"},
		{"low surrogate first", `"\udc00\ud800"`, 1, 2, "surrogate"},
		{"surrogate in a name", `{"\udfff":1}`, 1, 3, "surrogate"},
		{"short unicode escape", `"\u12"`, 1, 2, "four hexadecimal digits"},
		{"unknown escape", `"\x41"`, 1, 2, "escape"},
		{"escape at the end", `"\`, 1, 2, "escape"},
		{"tab in a string", "\"a\tb\"", 1, 3, `\u0009`},
		{"NUL in a string", "\"a\x00\"", 1, 3, `\u0000`},
		{"line end in a string", "[\"a\n\"]", 1, 4, "line ends"},
		{"line end in a string, after an escape", "[\"\\t\r\n\"]", 1, 5, "line ends"},
		{"not UTF-8 in a string", "\"a\xff\"", 1, 3, "not UTF-8"},
		{"not UTF-8 in a string, after an escape", "\"\\n\xc0\x80\"", 1, 4, "not UTF-8"},
		{"not UTF-8 outside", "[\xff]", 1, 2, "not UTF-8"},
		{"surrogate as bytes", "\"\xed\xa0\x80\"", 1, 2, "not UTF-8"},
		{"no-break space", "[\u00a01]", 1, 2, "a value"},
		{"form feed as white space", "[\f1]", 1, 2, "a value"},
		{"merge conflict at the start", "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n", 1, 1, "merge-conflict"},
		{"merge conflict inside", "{\n\"a\": 1,\n<<<<<<< HEAD\n\"b\": 2\n=======\n", 3, 1, `"<<<<<<<"`},
		{"merge conflict, CRLF", "{\r\n\"a\": 1,\r\n<<<<<<< HEAD\r\n\"b\": 2\r\n=======\r\n", 3, 1, "merge-conflict"},
		{"a divider that was forgotten", "{\n\"a\": 1\n=======\n}", 3, 1, `"======="`},
		{"an end that was forgotten", "{}\n>>>>>>> theirs\n", 2, 1, `">>>>>>>"`},
		{"the base of a three-way conflict", "{}\r\n||||||| base\r\n", 2, 1, `"|||||||"`},
		{"an earlier fault than the conflict", "{\"a\":1,\"a\":2}\n<<<<<<< HEAD\n", 2, 1, "merge-conflict"},
		{"eight signs are no marker", "<<<<<<<< x", 1, 1, "a value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := strictjson.Parse([]byte(tt.text), 0)
			var e *strictjson.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, error %v", v, err)
			}
			if e.Line != tt.line || e.Column != tt.col || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("got %v; want line %d, column %d and %q", e, tt.line, tt.col, tt.reason)
			}
			if e.Code() != "INVALID_JSON" {
				t.Errorf("code %s", e.Code())
			}
			if !reflect.DeepEqual(v, strictjson.Value{}) {
				t.Errorf("a value beside the error: %+v", v)
			}
		})
	}
}

func TestParseTakes(t *testing.T) {
	str, num := strictjson.Str[string], func(token string) strictjson.Value {
		return strictjson.Value{Kind: strictjson.Number, Text: token}
	}
	tests := []struct {
		name, text string
		want       strictjson.Value
	}{
		{"null", " null\r\n", strictjson.Value{}},
		{"truths", "[true,\tfalse]", strictjson.Arr(strictjson.Boolean(true), strictjson.Boolean(false))},
		{"number tokens", "[0,-0,1.50,1E+2,-12.5e-7,123456789012345678901234567890]",
			strictjson.Arr(num("0"), num("-0"), num("1.50"), num("1E+2"), num("-12.5e-7"), num("123456789012345678901234567890"))},
		{"escapes", `"\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00\u0000"`, str("\"\\/\b\f\n\r\tAé€😀\x00")},
		{"characters as they are", "\"\x7f/<>&é\u2028\u2029😀\"", str("\x7f/<>&é\u2028\u2029😀")},
		{"a marker inside a string", `["<<<<<<< HEAD"]`, strictjson.Arr(str("<<<<<<< HEAD"))},
		{"empty containers are nil", `{"a":[],"b":{}}`, strictjson.Obj(
			strictjson.F("a", strictjson.Value{Kind: strictjson.Array}), strictjson.F("b", strictjson.Value{Kind: strictjson.Object}))},
		{"members in their order", `{"b":1,"a":{"d":2,"c":3}}`, strictjson.Obj(strictjson.F("b", num("1")),
			strictjson.F("a", strictjson.Obj(strictjson.F("d", num("2")), strictjson.F("c", num("3")))))},
		{"one name in two objects", `[{"a":1},{"a":1}]`, strictjson.Arr(strictjson.Obj(strictjson.F("a", num("1"))), strictjson.Obj(strictjson.F("a", num("1"))))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := strictjson.Parse([]byte(tt.text), 0)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestParseDepth(t *testing.T) {
	for _, pair := range []string{"[]", "{}"} {
		nest := func(depth int) string {
			if pair == "[]" {
				return strings.Repeat("[", depth) + strings.Repeat("]", depth)
			}
			return strings.Repeat(`{"a":`, depth) + "0" + strings.Repeat("}", depth)
		}
		for _, limit := range []int{1, 32, 0} {
			most := limit
			if limit == 0 {
				most = strictjson.MaxDepth
			}
			if _, err := strictjson.Parse([]byte(nest(most)), limit); err != nil {
				t.Errorf("%s %d deep of %d: %v", pair, most, limit, err)
			}
			if _, err := strictjson.Parse([]byte(nest(most+1)), limit); err == nil || !strings.Contains(err.Error(), "too deep") {
				t.Errorf("%s %d deep of %d: error %v", pair, most+1, limit, err)
			}
		}
	}
	if _, err := strictjson.Parse([]byte(strings.Repeat("[", 10_000_000)), 0); err == nil {
		t.Error("ten million brackets were read")
	}
}

// A duplicate is found among many names, whatever their order.
func TestParseManyNames(t *testing.T) {
	for _, n := range []int{15, 16, 17, 40, 5000} {
		for _, step := range []int{1, 7919} { // ascending, scattered
			var b strings.Builder
			b.WriteString("{")
			for i := range n {
				writeName(&b, i*step%100_003)
				b.WriteString(",")
			}
			for _, again := range []int{0, n / 2, n - 1} {
				text := b.String()
				var dup strings.Builder
				writeName(&dup, again*step%100_003)
				_, err := strictjson.Parse([]byte(text+dup.String()+"}"), 0)
				var e *strictjson.Error
				if !errors.As(err, &e) || e.Column != len(text)+1 {
					t.Errorf("%d names, step %d, name %d again: error %v; want column %d", n, step, again, err, len(text)+1)
				}
			}
			if _, err := strictjson.Parse([]byte(strings.TrimSuffix(b.String(), ",")+"}"), 0); err != nil {
				t.Errorf("%d names, step %d: %v", n, step, err)
			}
		}
	}
}

func writeName(b *strings.Builder, i int) {
	b.WriteString(`"n`)
	for ; i > 0; i /= 10 {
		b.WriteByte(byte('0' + i%10))
	}
	b.WriteString(`":0`)
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", `{"a":1,"a":2}`, `{"a":1,"A":2}`, `{} {}`, `"\ud800"`, `"\ud83d\ude00"`, "\xef\xbb\xbf{}", "[1.0,1e0,-0]",
		"{\n  \"a\": [\n    1,\n    \"é\\u0001\\n\"\n  ],\n  \"b\": {}\n}\n", "<<<<<<< a\n", "[NaN]", strings.Repeat("[", 70),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := strictjson.Parse(b, 0)
		if err != nil {
			var e *strictjson.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error %#v", err)
			}
			return
		}
		if fault := strictjson.Check(v, strictjson.MaxDepth); fault != nil {
			t.Fatalf("what Parse read fails Check: %v", fault)
		}
		encoded := strictjson.Encode(v)
		for _, text := range [][]byte{encoded, strictjson.AppendCompact(nil, v)} {
			again, err := strictjson.Parse(text, 0)
			if err != nil {
				t.Fatalf("%q does not read back: %v", text, err)
			}
			if !reflect.DeepEqual(again, v) {
				t.Fatalf("%q reads back as %+v; want %+v", text, again, v)
			}
			if got := strictjson.Encode(again); string(got) != string(encoded) {
				t.Fatalf("canonical text %q encodes as %q", encoded, got)
			}
		}
	})
}
