package jsonschema

import (
	"encoding/binary"
	"slices"
	"strings"

	"example.org/compose/internal/strictjson"
)

// equal reports whether two values are the same: numbers by what they mean, so that 1, 1.0 and 10e-1 are one value,
// objects whatever the order of their members. const, enum and uniqueItems know no other equality.
func (r *run) equal(a, b *strictjson.Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case strictjson.Bool:
		return a.Truth == b.Truth
	case strictjson.String:
		return a.Text == b.Text
	case strictjson.Number:
		if a.Text == b.Text {
			return true
		}
		r.spend((len(a.Text) + len(b.Text)) / 16)
		order, told := parseDecimal(a.Text).compare(parseDecimal(b.Text))
		if !told {
			r.giveUp(nil, vastMessage)
		}
		return told && order == 0
	case strictjson.Array:
		if len(a.Items) != len(b.Items) {
			return false
		}
		for i := range a.Items { // by place: a Value is large
			if !r.equal(&a.Items[i], &b.Items[i]) {
				return false
			}
		}
	case strictjson.Object:
		if len(a.Members) != len(b.Members) {
			return false
		}
		of, other := sortedMembers(a), sortedMembers(b)
		for i := range of {
			if of[i].Name != other[i].Name || !r.equal(&of[i].Value, &other[i].Value) {
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

// appendKey appends bytes that are the same for, and only for, the same value, as equal has it.
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
		d := parseDecimal(v.Text)
		if d.vast {
			r.giveUp(nil, vastMessage)
		}
		field(d.key())
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
