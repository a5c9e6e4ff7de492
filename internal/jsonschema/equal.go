package jsonschema

import (
	"encoding/binary"
	"slices"
	"strings"

	"example.org/compose/internal/strictjson"
)

// matches reports whether v is the constant want: the same value, numbers by what they mean, but where want
// is written as an integer, v is, too.
func matches(want, v *strictjson.Value) bool {
	if want.Kind != v.Kind {
		return false
	}
	switch want.Kind {
	case strictjson.Bool:
		return want.Truth == v.Truth
	case strictjson.String:
		return want.Text == v.Text
	case strictjson.Number:
		if strictjson.IsInteger(want.Text) && !strictjson.IsInteger(v.Text) {
			return false
		}
		return want.Text == v.Text || parseDecimal(want.Text).compare(parseDecimal(v.Text)) == 0
	case strictjson.Array:
		if len(want.Items) != len(v.Items) {
			return false
		}
		for i := range want.Items { // by place: a Value is large
			if !matches(&want.Items[i], &v.Items[i]) {
				return false
			}
		}
	case strictjson.Object:
		if len(want.Members) != len(v.Members) {
			return false
		}
		a, b := sortedMembers(want), sortedMembers(v)
		for i := range a {
			if a[i].Name != b[i].Name || !matches(&a[i].Value, &b[i].Value) {
				return false
			}
		}
	}
	return true
}

func sortedMembers(v *strictjson.Value) []strictjson.Member {
	members := slices.Clone(v.Members)
	slices.SortFunc(members, func(a, b strictjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// appendKey appends bytes that are the same for, and only for, the same value.
func (r *run) appendKey(b []byte, v *strictjson.Value) []byte {
	r.spend(1 + len(v.Text)/16)
	field := func(text string) {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	b = append(b, byte(v.Kind))
	switch v.Kind {
	case strictjson.Bool:
		if v.Truth {
			return append(b, 1)
		}
		return append(b, 0)
	case strictjson.Number:
		field(parseDecimal(v.Text).key())
	case strictjson.String:
		field(v.Text)
	case strictjson.Array:
		b = binary.AppendUvarint(b, uint64(len(v.Items)))
		for i := range v.Items {
			b = r.appendKey(b, &v.Items[i])
		}
	case strictjson.Object:
		members := sortedMembers(v)
		b = binary.AppendUvarint(b, uint64(len(members)))
		for i := range members {
			field(members[i].Name)
			b = r.appendKey(b, &members[i].Value)
		}
	}
	return b
}
