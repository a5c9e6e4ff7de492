package jsonschema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/strictjson"
)

// short cuts a text that is to be shown.
func short(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

// show names a value in a message.
func show(v *strictjson.Value) string {
	switch v.Kind {
	case strictjson.Bool:
		return strconv.FormatBool(v.Truth)
	case strictjson.Number:
		return short(v.Text)
	case strictjson.String:
		return strconv.Quote(short(v.Text))
	}
	return article(v.Kind.String())
}

func article(noun string) string {
	switch {
	case noun == "null":
		return noun
	case strings.IndexByte("aeiou", noun[0]) >= 0:
		return "an " + noun
	}
	return "a " + noun
}

func (s *schema) typeMessage(v *strictjson.Value) string {
	if s.types == integer && v.Kind == strictjson.Number {
		return "is " + short(v.Text) + "; want an integer, written without a point or an exponent"
	}
	var want []string
	for k := strictjson.Null; k <= strictjson.Object; k++ {
		if s.types&typeOf(k) != 0 {
			want = append(want, article(k.String()))
		}
	}
	if s.types&integer != 0 {
		want = append(want, "an integer")
	}
	return "is " + article(v.Kind.String()) + "; want " + strings.Join(want, " or ")
}

// oneOf lists the first of the allowed values.
func oneOf(list []strictjson.Value) string {
	const most = 12
	var shown []string
	for i := range list {
		if i == most {
			shown = append(shown, "...")
			break
		}
		shown = append(shown, show(&list[i]))
	}
	switch len(shown) {
	case 0:
		return "nothing at all"
	case 1:
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

func quoted(fields map[string]*schema) []string {
	const most = 16
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if len(shown) == most {
			return append(shown, "...")
		}
		if !fields[name].never {
			shown = append(shown, strconv.Quote(short(name)))
		}
	}
	return shown
}

// pointerTo is strictjson.Pointer without the work of escaping, which few names need.
func pointerTo(base, token string) string {
	if strings.ContainsAny(token, "~/") {
		return strictjson.Pointer(base, token)
	}
	return base + "/" + token
}
