package scaffold

import (
	"bytes"
	"slices"
	"strconv"

	"example.org/compose/internal/jsonplace"
	"example.org/compose/internal/strictjson"
)

// insertID returns the text of an index with id at its place in a list, "components" or "recipes", which is sorted and lacks
// it. A text in canonical form keeps that form; in any other nothing but the list changes, and the new entry is laid out
// like its neighbour.
func insertID(text []byte, list, id string) ([]byte, error) {
	doc, err := strictjson.Parse(text, 0)
	if err != nil {
		return nil, err
	}
	ids, _ := doc.Get(list)
	at := 0
	for at < len(ids.Items) && ids.Items[at].Text < id {
		at++
	}
	wanted := withMember(doc, list, strictjson.Value{Kind: strictjson.Array, Items: slices.Insert(slices.Clone(ids.Items), at, strictjson.Str(id))})
	canonical := strictjson.Encode(wanted)
	if bytes.Equal(text, strictjson.Encode(doc)) {
		return canonical, nil
	}
	edited := insertText(text, list, at, len(ids.Items), strconv.Quote(id)) // an id needs no escape
	if now, err := strictjson.Parse(edited, 0); err != nil || !bytes.Equal(strictjson.Encode(now), canonical) {
		return canonical, nil
	}
	return edited, nil
}

// withMember returns an object with another value for the member of that name.
func withMember(doc strictjson.Value, name string, v strictjson.Value) strictjson.Value {
	doc.Members = slices.Clone(doc.Members)
	for i := range doc.Members {
		if doc.Members[i].Name == name {
			doc.Members[i].Value = v
		}
	}
	return doc
}

// insertText writes entry into a list of n items, before the one at place at.
func insertText(text []byte, list string, at, n int, entry string) []byte {
	whole := jsonplace.Find(text, "/"+list)[0]
	if n == 0 {
		return splice(text, whole.Value, whole.End, "["+entry+"]")
	}
	item := func(i int) jsonplace.Place { return jsonplace.Find(text, "/"+list+"/"+strconv.Itoa(i))[0] }
	if at < n {
		next := item(at)
		return splice(text, next.Value, next.Value, entry+","+separator(text, next.Value, at))
	}
	last := item(n - 1)
	return splice(text, last.End, last.End, ","+separator(text, last.Value, n-1)+entry)
}

// separator is the white space before the item at place i, which begins at begin; one blank where the first of several on a line has none.
func separator(text []byte, begin, i int) string {
	start := len(bytes.TrimRight(text[:begin], " \t\r\n"))
	space := string(text[start:begin])
	if i == 0 && !bytes.ContainsAny(text[start:begin], "\n") {
		return " "
	}
	return space
}

func splice(text []byte, begin, end int, with string) []byte {
	return slices.Concat(text[:begin], []byte(with), text[end:])
}
