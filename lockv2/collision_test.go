package lockv2_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/compose/lockv2"
)

func TestCollisions(t *testing.T) {
	tests := []struct {
		name string
		list []lockv2.Destination
		want []lockv2.Collision
	}{
		{"none", nil, nil},
		{"one", []lockv2.Destination{"a"}, nil},
		{"neighbours", []lockv2.Destination{"a-b/x", "a.md", "a/b", "a0/x", "aa"}, nil},
		{"a folder in one spelling", []lockv2.Destination{"Docs/a", "Docs/b/c", "Docs/b/d", "docs.md"}, nil},
		{"equal", []lockv2.Destination{"a/b", "a/b"}, []lockv2.Collision{{0, 1, lockv2.SameFile}}},
		{"three equal", []lockv2.Destination{"a", "a", "a"}, []lockv2.Collision{{0, 1, lockv2.SameFile}, {0, 2, lockv2.SameFile}}},
		{"case alone", []lockv2.Destination{"README.md", "readme.MD"}, []lockv2.Collision{{0, 1, lockv2.SameFile}}},
		{"file, then below it", []lockv2.Destination{"docs", "docs-x", "docs.md", "docs/a/b"}, []lockv2.Collision{{0, 3, lockv2.FileIsFolder}}},
		{"below it, then file", []lockv2.Destination{"Docs/a/b", "docs"}, []lockv2.Collision{{0, 1, lockv2.FileIsFolder}}},
		{"a parent further up", []lockv2.Destination{"a/b", "a/b/c/d/e"}, []lockv2.Collision{{0, 1, lockv2.FileIsFolder}}},
		{"two spellings of a folder", []lockv2.Destination{"Docs/a", "docs/b"}, []lockv2.Collision{{0, 1, lockv2.FolderSpelling}}},
		{"two spellings, deep", []lockv2.Destination{"x/Y/z/1", "x/y/z/2"}, []lockv2.Collision{{0, 1, lockv2.FolderSpelling}}},
		{"every file of the second spelling", []lockv2.Destination{"D/a", "d/b", "d/c", "e"}, []lockv2.Collision{{0, 1, lockv2.FolderSpelling}, {0, 2, lockv2.FolderSpelling}}},
		{"the same file in two spellings of a folder", []lockv2.Destination{"D/a", "d/a"}, []lockv2.Collision{{0, 1, lockv2.FolderSpelling}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := lockv2.Collisions(tt.list)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			first := lockv2.FirstCollision(tt.list)
			if (first == nil) != (len(got) == 0) || first != nil && *first != got[0] {
				t.Errorf("FirstCollision is %v", first)
			}
			for _, c := range got {
				if text := c.Describe(tt.list); !strings.Contains(text, fmt.Sprintf("%q", tt.list[c.Second])) {
					t.Errorf("%q does not name the second", text)
				}
			}
		})
	}
}

// TestCollisionsFindAll compares with every pair, in any order of the list and in byte order.
func TestCollisionsFindAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "A", "b", "a.b", "a-", "ab", "aB", "Z"}
	for round := range 40_000 {
		list := make([]lockv2.Destination, 1+random.IntN(9))
		for i := range list {
			path := names[random.IntN(len(names))]
			for random.IntN(2) == 0 {
				path += "/" + names[random.IntN(len(names))]
			}
			list[i] = lockv2.Destination(path)
		}
		if round%4 > 0 {
			slices.Sort(list)
			list = slices.Compact(list)
		}
		want := false
		for i := range list {
			for k := range i {
				want = want || meet(string(list[k]), string(list[i]))
			}
		}
		got := lockv2.Collisions(list)
		if (len(got) > 0) != want {
			t.Fatalf("%v: got %v, want any: %v", list, got, want)
		}
		for _, c := range got {
			if c.First >= c.Second || !meet(string(list[c.First]), string(list[c.Second])) {
				t.Fatalf("%v: %v do not meet", list, c)
			}
		}
	}
}

// meet is the rule of docs/paths.md for one pair, by itself.
func meet(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := 0; i < len(as) && i < len(bs); i++ {
		if !strings.EqualFold(as[i], bs[i]) {
			return false
		}
		if i == len(as)-1 || i == len(bs)-1 {
			return true // one is a folder of the other
		}
		if as[i] != bs[i] {
			return true // one folder, two spellings
		}
	}
	return false
}

func BenchmarkCollisions(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		l := grown(b, n)
		list := make([]lockv2.Destination, n)
		for i := range list {
			list[i] = l.Files[i].Destination
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if lockv2.FirstCollision(list) != nil {
					b.Fatal("a collision")
				}
			}
		})
	}
}
