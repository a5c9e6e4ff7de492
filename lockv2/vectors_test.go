package lockv2_test

import (
	"os"
	"reflect"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// vectors returns the cases of the published vectors of compose/lock-manifest/v1.
func vectors(t testing.TB) []vector {
	t.Helper()
	b, err := os.ReadFile("../testdata/vectors/lock-manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := strictjson.Parse(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	cases, _ := doc.Get("cases")
	for _, c := range cases.Items {
		name, _ := c.Get("name")
		lock, _ := c.Get("lock")
		composition, _ := c.Get("composition")
		list = append(list, vector{name.Text, lock, composition.Text})
	}
	if len(list) == 0 {
		t.Fatal("no cases")
	}
	return list
}

type vector struct {
	name        string
	lock        strictjson.Value
	composition string
}

func TestCompositionVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.name, func(t *testing.T) {
			l, err := lockv2.FromValue(v.lock)
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Composition().String(); got != v.composition {
				t.Errorf("composition\n got %s\nwant %s", got, v.composition)
			}
			b, err := lockv2.Encode(l)
			if err != nil {
				t.Fatal(err)
			}
			if want := strictjson.Encode(v.lock); string(b) != string(want) {
				t.Errorf("encoded\n%s\nwant\n%s", b, want)
			}
			again, err := lockv2.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(again, l) {
				t.Errorf("read back as\n%+v\nwant\n%+v", again, l)
			}
		})
	}
}
