package strictjson_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
)

type document struct {
	name    string
	count   int64
	good    bool
	tags    []string
	note    string
	entries map[string]int64
}

// readDocument is a reader as the packages above write them.
func readDocument(doc strictjson.Value) (document, *strictjson.Fault) {
	d := document{entries: map[string]int64{}}
	fault := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			d.name = f.Get("name").Text()
			if n := f.Get("count"); n.Int() < 0 {
				n.Fail("is %d; want 0 or more", n.Int())
			} else {
				d.count = n.Int()
			}
			d.good = f.Get("good").Boolean()
			d.tags = f.Get("tags").Texts()
			if n, found := f.Lookup("note"); found {
				d.note = n.Text()
			}
			f.Get("entries").Each(func(name string, n strictjson.Node) {
				n.Object(func(f *strictjson.Fields) { d.entries[name] = f.Get("n").Int() })
			})
		})
	})
	return d, fault
}

func TestDecode(t *testing.T) {
	const good = `{"name":"x","count":3,"good":true,"tags":["a","b"],"entries":{"e/1":{"n":1}}}`
	tests := []struct {
		name, text, pointer, reason string
	}{
		{"fields in order", good, "ok", ""},
		{"fields in another order", `{"entries":{},"tags":[],"note":"n","good":false,"count":0,"name":""}`, "ok", ""},
		{"not an object", `[]`, "", "is an array; want an object"},
		{"missing", strings.Replace(good, `"count":3,`, "", 1), "", `lacks "count"`},
		{"missing below", strings.Replace(good, `"n":1`, "", 1), "/entries/e~11", `lacks "n"`},
		{"unknown", strings.Replace(good, `{`, `{"extra":1,`, 1), "/extra", "unknown field"},
		{"unknown last", strings.Replace(good, `"n":1`, `"n":1,"m~":1`, 1), "/entries/e~11/m~0", "unknown field"},
		{"another spelling is another name", strings.Replace(good, `"name"`, `"Name"`, 1), "", `lacks "name"`},
		{"null", strings.Replace(good, `"x"`, `null`, 1), "/name", "is null; want a string"},
		{"an item of another kind", strings.Replace(good, `"b"`, `7`, 1), "/tags/1", "is a number; want a string"},
		{"the caller's rule", strings.Replace(good, `3`, `-3`, 1), "/count", "is -3; want 0 or more"},
		{"an integer with a point", strings.Replace(good, `3`, `3.0`, 1), "/count", "is 3.0; want an integer"},
		{"an integer with an exponent", strings.Replace(good, `3`, `3e0`, 1), "/count", "want an integer"},
		{"too large", strings.Replace(good, `3`, `9223372036854775808`, 1), "/count", "64 bits"},
		{"the first of two", strings.NewReplacer(`"x"`, `1`, `"a"`, `1`).Replace(good), "/name", "want a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := strictjson.Parse([]byte(tt.text), 0)
			if err != nil {
				t.Fatal(err)
			}
			got, fault := readDocument(doc)
			if tt.pointer == "ok" {
				if fault != nil {
					t.Errorf("fault %v", fault)
				}
				return
			}
			if fault == nil {
				t.Fatalf("read %+v", got)
			}
			if fault.Pointer != tt.pointer || !strings.Contains(fault.Reason, tt.reason) {
				t.Errorf("got %q: %s; want %q: %s", fault.Pointer, fault.Reason, tt.pointer, tt.reason)
			}
		})
	}
}

// wander reads a document in a way that choices lead, as many wrong ones as right, and logs what it was told.
func wander(n strictjson.Node, choices *rand.Rand, log *strings.Builder) {
	switch choices.IntN(8) {
	case 0:
		fmt.Fprintf(log, "%q %q %q;", n.Text(), n.Word(), n.Bytes())
	case 1:
		fmt.Fprint(log, n.Int(), n.Boolean(), ";")
	case 2, 3:
		n.Items(func(i int, item strictjson.Node) { wander(item, choices, log) })
	case 4, 5:
		n.Each(func(name string, value strictjson.Node) {
			fmt.Fprintf(log, "%q:", name)
			wander(value, choices, log)
		})
	case 6:
		n.CheckSorted()
		fmt.Fprintf(log, "%d %+v;", n.Len(), n.Value())
	case 7:
		n.Object(func(f *strictjson.Fields) {
			wander(f.Get("b"), choices, log)
			if value, found := f.Lookup("a"); found {
				fault := value.Decode(func(root strictjson.Node) { wander(root, choices, log) })
				fmt.Fprint(log, fault, ";")
			}
		})
	}
}

// A document tells the same where it was scanned and where it was kept as a Value.
func FuzzDecode(f *testing.F) {
	for i, text := range []string{`{"b":[1,"x",{"a":true}],"a":"y\n"}`, `[{"\u0061":0,"b":{}},[],"é"]`, `{"c":1,"b":"long enough for a word"}`, `7`} {
		f.Add([]byte(text), uint64(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		doc, err := strictjson.Scan(text, 0)
		kept, again := strictjson.Parse(text, 0)
		if fmt.Sprint(err) != fmt.Sprint(again) {
			t.Fatalf("Scan: %v; Parse: %v", err, again)
		}
		if err != nil {
			return
		}
		for turn := range uint64(8) {
			var scanned, value strings.Builder
			a := doc.Decode(func(root strictjson.Node) { wander(root, rand.New(rand.NewPCG(seed, turn)), &scanned) })
			b := strictjson.Decode(kept, func(root strictjson.Node) { wander(root, rand.New(rand.NewPCG(seed, turn)), &value) })
			if scanned.String() != value.String() || fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("%q\nscanned %s (%v)\nkept    %s (%v)", text, &scanned, a, &value, b)
			}
		}
	})
}

func TestDecodeManyFields(t *testing.T) {
	var members []strictjson.Member
	for i := range 100 {
		members = append(members, strictjson.F(fmt.Sprint("f", i), strictjson.Int(int64(i))))
	}
	fault := strictjson.Decode(strictjson.Obj(members...), func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			if n := f.Get("f99").Int(); n != 99 {
				t.Errorf("f99 is %d", n)
			}
		})
	})
	if fault == nil || fault.Pointer != "/f0" {
		t.Errorf("fault %v", fault)
	}
}

func TestCheckSorted(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"b":[{"c":1,"d":2}]}`: "ok",
		`{"b":1,"a":1}`:               "/a",
		`{"a":[0,{"é":1,"z":2}]}`:     "/a/1/z",
		`[]`:                          "ok",
	} {
		doc, err := strictjson.Parse([]byte(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		fault := strictjson.Decode(doc, strictjson.Node.CheckSorted)
		if (fault == nil) != (want == "ok") || fault != nil && fault.Pointer != want {
			t.Errorf("%s: got %v, want %s", text, fault, want)
		}
	}
}

func ExampleDecode() {
	doc, _ := strictjson.Parse([]byte(`{"id": "skill", "versions": [1, 2, 0]}`), 0)
	fault := strictjson.Decode(doc, func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			fmt.Println(f.Get("id").Text())
			f.Get("versions").Items(func(_ int, n strictjson.Node) {
				if v := n.Int(); v < 1 {
					n.Fail("is %d; want 1 or more", v)
				}
			})
		})
	})
	fmt.Println(fault)
	// Output:
	// skill
	// /versions/2: is 0; want 1 or more
}
