package skillrx

import (
	"encoding/hex"
	"math"
	"strconv"
	"testing"
)

// The samples of RFC 8785, appendix B.
func TestNumbers(t *testing.T) {
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0",
		0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23", 0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325", 0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334", 0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		n := math.Float64frombits(bits)
		if got := string(appendNumber(nil, n)); got != want {
			t.Errorf("%x: got %s, want %s", bits, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"RFC 8785, 3.2.2", `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` + "\n" +
			`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{"RFC 8785, 3.2.3", `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",` +
			`"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One","` + "\u0080" + `":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign",` +
				`"😀":"Emoji: Grinning Face","` + "\ufb33" + `":"Hebrew Letter Dalet With Dagesh"}`},
		{"empty", " { } ", "{}"},
		{"nested", `[[],{"b":{},"a":[]}]`, `[[],{"a":[],"b":{}}]`},
		{"a scalar", "-0.0", "0"},
		{"an integer beyond 2^53 is a double", "9007199254740993", "9007199254740992"},
		{"DEL and the separators stay", "\"\x7f\u2028<\"", "\"\x7f\u2028<\""},
	} {
		got, err := Canonical([]byte(tt.doc))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
	// RFC 8785, 3.2.4: the bytes of the first sample.
	const want = "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030665c6e41274" +
		"2" + "5c225c5c5c5c5c222f227d"
	got, _ := Canonical([]byte(`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`))
	if hex.EncodeToString(got) != want {
		t.Errorf("got %x", got)
	}
}

// FuzzCanonical: the canonical form of a canonical form is itself.
func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"b":1e-7,"a":["\u20ac"]}`))
	f.Add([]byte("1.7976931348623159e308"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		once, err := Canonical(doc)
		if err != nil {
			return
		}
		twice, err := Canonical(once)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%s becomes %s, %v", once, twice, err)
		}
	})
}

// FuzzNumber: what is written reads as the same double.
func FuzzNumber(f *testing.F) {
	f.Add(uint64(0x44b52d02c7e14af5))
	f.Fuzz(func(t *testing.T, bits uint64) {
		n := math.Float64frombits(bits)
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return
		}
		got, err := strconv.ParseFloat(string(appendNumber(nil, n)), 64)
		if err != nil || got != n {
			t.Fatalf("%v is written %s", n, appendNumber(nil, n))
		}
	})
}
