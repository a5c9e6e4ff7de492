package lockv2_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// TestGeneratedLocks: Parse(Encode(x)) is x for locks of every shape that the rules allow.
func TestGeneratedLocks(t *testing.T) {
	for seed := range uint64(500) {
		l := generate(rand.New(rand.NewPCG(seed, 0)))
		b, err := lockv2.Encode(l)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if digest, err := lockv2.Digest(l); err != nil || digest != fingerprint.Of[fingerprint.LockFile](b) {
			t.Fatalf("seed %d: digest %v, error %v", seed, digest, err)
		}
		again, err := lockv2.Parse(b)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, b)
		}
		if !reflect.DeepEqual(again, l) {
			t.Fatalf("seed %d: read back as\n%+v\nwant\n%+v", seed, again, l)
		}
		if again.Composition() != l.Composition() {
			t.Fatalf("seed %d: another composition", seed)
		}
		part, err := lockv2.FromValue(l.Value())
		if err != nil || !reflect.DeepEqual(part, l) {
			t.Fatalf("seed %d: FromValue gives %+v, error %v", seed, part, err)
		}
	}
}

func generate(r *rand.Rand) *lockv2.Lock {
	l := &lockv2.Lock{
		Source:              lockv2.Source{Repository: "a/b", Revision: lockv2.Revision(fmt.Sprintf("%040x", 1+r.Uint64N(1<<60)))},
		RecipeDigest:        fingerprint.Of[fingerprint.Recipe](word(r)),
		ConfigurationDigest: fingerprint.Of[fingerprint.Configuration](word(r)),
	}
	ids := []lockv2.ComponentID{"artifact.a"}
	for _, id := range []lockv2.ComponentID{"capability.a", "capability.b-1", "foundation.f", "lifecycle.x", "topology.t", "workspace.w"} {
		if r.IntN(2) == 0 {
			ids = append(ids, id)
		}
	}
	parameters := strictjson.Obj()
	for i, id := range ids {
		l.Components = append(l.Components, lockv2.Component{ID: id, Version: 1 + r.Int64N(1<<62), Digest: fingerprint.Of[fingerprint.Descriptor](word(r))})
		for k := range 1 + r.IntN(4) {
			l.Files = append(l.Files, lockv2.File{
				Destination: lockv2.Destination(fmt.Sprintf("%c/f%d-%d", 'A'+r.IntN(26), i, k)),
				Component:   id,
				Ownership:   []lockv2.Ownership{lockv2.Managed, lockv2.Generated, lockv2.Seed}[r.IntN(3)],
				Digest:      fingerprint.Of[fingerprint.Material](word(r)),
			})
		}
		if r.IntN(3) == 0 {
			parameters.Members = append(parameters.Members, strictjson.F(string(id), object(r, 5)))
		}
		if id.Selectable() && r.IntN(2) == 0 {
			l.Intent.Include = append(l.Intent.Include, id)
		}
	}
	if r.IntN(2) == 0 {
		l.Intent.Exclude = []lockv2.ComponentID{"capability.not", "workspace.not"}
	}
	slices.SortFunc(l.Files, func(a, b lockv2.File) int {
		if a.Destination < b.Destination {
			return -1
		}
		return 1
	})
	l.Intent.Recipe = "r-1"
	l.Intent.Parameters = parameters.Sorted()
	return l
}

func word(r *rand.Rand) []byte {
	letters := []string{"a", "é", "\n", "\x00", "\x1f", "\x7f", "\"", "\\", "/", "<", "\u2028", "😀"}
	var b []byte
	for range r.IntN(6) {
		b = append(b, letters[r.IntN(len(letters))]...)
	}
	return b
}

func object(r *rand.Rand, depth int) strictjson.Value {
	members := map[string]strictjson.Value{}
	for range r.IntN(4) {
		members[string(word(r))] = value(r, depth-1)
	}
	v := strictjson.Obj()
	for name, member := range members {
		v.Members = append(v.Members, strictjson.F(name, member))
	}
	return v
}

func value(r *rand.Rand, depth int) strictjson.Value {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch r.IntN(kinds) {
	case 0:
		return strictjson.Str(string(word(r)))
	case 1:
		tokens := []string{"0", "-0", "1.50", "1E+2", "123456789012345678901234567890"}
		return strictjson.Value{Kind: strictjson.Number, Text: tokens[r.IntN(len(tokens))]}
	case 2:
		return strictjson.Boolean(r.IntN(2) == 0)
	case 3:
		return strictjson.Value{}
	case 4:
		v := strictjson.Arr()
		for range r.IntN(4) {
			v.Items = append(v.Items, value(r, depth-1))
		}
		return v
	}
	return object(r, depth)
}
