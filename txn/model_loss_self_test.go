package txn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What a disk that loses power may hold after some calls, file by file: the model must forget neither too little nor too much.
func TestLosses(t *testing.T) {
	make := func(m *memory, path, text string) *inode {
		f, err := m.create(path, false)
		if err != nil {
			t.Fatal(err)
		}
		f.now.text = text
		return f
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		t    traits
		work func(m *memory)
		want []string
	}{
		{"a new file", traits{}, func(m *memory) { make(m, "f", "1234") }, []string{"", "f=", "f=1234", "f=12", `f=\x00\x00\x00\x00`}},
		{"its bytes flushed", traits{}, func(m *memory) { make(m, "f", "1234").sync() }, []string{"", "f=1234"}},
		{"its name flushed", traits{}, func(m *memory) {
			make(m, "f", "1234")
			must(m.syncFolder(""))
		}, []string{"f=", "f=1234", "f=12", `f=\x00\x00\x00\x00`}},
		{"both flushed", traits{}, func(m *memory) {
			make(m, "f", "1234")
			must(m.syncFile("f"))
			must(m.syncFolder(""))
		}, []string{"f=1234"}},
		{"flushed at once", traits{}, func(m *memory) {
			must(m.mkdir("d"))
			make(m, "d/f", "1234")
			must(m.syncAll())
		}, []string{"d/ d/f=1234"}},
		{"a flush that failed is not made good by another", traits{}, func(m *memory) {
			make(m, "f", "1234").lose()
			must(m.syncFile("f"))
			must(m.syncFolder(""))
		}, []string{"f=", "f=1234", "f=12", `f=\x00\x00\x00\x00`}},
		{"a file that is rewritten", traits{}, func(m *memory) {
			m.put("f", "old", 0o644)
			f, err := m.lookup("f")
			must(err)
			f.now.text, f.dirty = "1234", true
		}, []string{"f=", "f=1234", "f=12", `f=\x00\x00\x00\x00`, "f=old"}},
		{"a published file is whole or not there", traits{}, func(m *memory) { must(m.publish("f", []byte("1234"))) }, []string{"", "f=1234"}},
		{"two names in any order", traits{}, func(m *memory) {
			make(m, "a", "1").sync()
			make(m, "b", "2").sync()
		}, []string{"", "a=1", "b=2", "a=1 b=2"}},
		{"a folder that is not there has nothing in it", traits{}, func(m *memory) {
			must(m.mkdir("d"))
			make(m, "d/f", "1").sync()
			must(m.syncFolder("d"))
		}, []string{"", "d/ d/f=1"}},
		{"a rename is one change", traits{}, func(m *memory) {
			m.put("d/f", "1", 0o644)
			must(m.install("d/f", "g"))
		}, []string{"d/ d/f=1", "d/ g=1"}},
		{"a rename is durable with either folder", traits{}, func(m *memory) {
			m.put("d/f", "1", 0o644)
			must(m.install("d/f", "g"))
			must(m.syncFolder("d"))
		}, []string{"d/ g=1"}},
		{"or with both", traits{strict: true}, func(m *memory) {
			m.put("d/f", "1", 0o644)
			must(m.install("d/f", "g"))
			must(m.syncFolder("d"))
		}, []string{"d/ d/f=1", "d/ g=1"}},
		{"a rename into a folder that does not survive has not happened", traits{}, func(m *memory) {
			m.put("f", "1", 0o644)
			must(m.mkdir("d"))
			must(m.install("f", "d/f"))
			must(m.syncFolder("d"))
		}, []string{"f=1", "d/ d/f=1", "d/ f=1"}[:2]},
		{"a rename by link", traits{linkInstall: true}, func(m *memory) {
			m.put("d/f", "1", 0o644)
			must(m.install("d/f", "g"))
		}, []string{"d/ d/f=1", "d/ g=1", "d/ d/f=1 g=1", "d/"}},
		{"an exchange is one change", traits{}, func(m *memory) {
			m.put("a", "1", 0o644)
			m.put("b", "2", 0o644)
			must(m.exchange("a", "b"))
		}, []string{"a=1 b=2", "a=2 b=1"}},
		{"what comes out of an exchange is removed after it", traits{}, func(m *memory) {
			m.put("a", "1", 0o644)
			m.put("b", "2", 0o644)
			must(m.exchange("a", "b"))
			must(m.unlink("a"))
		}, []string{"a=1 b=2", "a=2 b=1", "b=1"}},
		{"a removed folder was empty", traits{}, func(m *memory) {
			m.put("d/f", "1", 0o644)
			must(m.unlink("d/f"))
			must(m.rmdir("d"))
			must(m.syncFolder(""))
		}, []string{""}},
		{"a file replaces another", traits{}, func(m *memory) {
			m.put("a", "1", 0o644)
			m.put("b", "2", 0o644)
			must(m.replace("a", "b"))
		}, []string{"a=1 b=2", "b=1"}},
		{"a folder's failed flush is made good", traits{}, func(m *memory) {
			make(m, "f", "1").sync()
			m.drop(m.root)
			must(m.syncFolder(""))
		}, []string{"f=1"}},
		{"or is not", traits{forgetful: true}, func(m *memory) {
			make(m, "f", "1").sync()
			m.drop(m.root)
			must(m.syncFolder(""))
		}, []string{"", "f=1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory(c.t)
			c.work(m)
			before := m.key()
			left, all := m.clone().losses(1000, nil)
			if !all {
				t.Error("not all states")
			}
			if m.key() != before || m.clone().key() != before {
				t.Error("the memory changed, or its copy is another")
			}
			got := map[string]bool{}
			for _, m := range left {
				got[brief(m)] = true
			}
			want := slices.Sorted(slices.Values(c.want))
			if found := slices.Sorted(maps.Keys(got)); !slices.Equal(found, want) {
				t.Errorf("got  %q\nwant %q", found, want)
			}
			sample, _ := m.losses(3, rand.New(rand.NewPCG(1, 1)))
			for _, m := range sample {
				if !got[brief(m)] {
					t.Errorf("the sample holds %q", brief(m))
				}
			}
		})
	}
}

// brief writes a tree in one line.
func brief(m *memory) string {
	var words []string
	for path, what := range m.tree() {
		if what == "folder" {
			words = append(words, path+"/")
		} else {
			_, text, _ := strings.Cut(what, " ")
			words = append(words, path+"="+strings.Trim(fmt.Sprintf("%q", text), `"`))
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
