package review

// Compare compares two texts; nil for a file that is not there.
func Compare(old, new []byte) (Comparison, error) {
	c := Comparison{Kind: Change, Old: Side{Present: old != nil, Name: "a/f"}, New: Side{Present: new != nil, Name: "b/f"}}
	return c, c.compare(old, new)
}

// VisibleLine is the safe form of a line.
func VisibleLine(text []byte, most int) (string, []Span, int) { return visible(text, most) }
