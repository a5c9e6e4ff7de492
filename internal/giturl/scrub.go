package giturl

import "strings"

// Scrub returns a text in which no URL holds a password, or what may be a token: a last net below messages that repeat what
// somebody typed in the wrong place.
func Scrub(text string) string {
	const mark = "://"
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		scheme := text[:i]
		b.WriteString(text[:i+len(mark)])
		text = text[i+len(mark):]
		end := strings.IndexAny(text, "/ \t\n'\"`")
		if end < 0 {
			end = len(text)
		}
		at := strings.LastIndexByte(text[:end], '@')
		if at >= 0 && (strings.HasSuffix(scheme, "http") || strings.HasSuffix(scheme, "https") || strings.Contains(text[:at], ":")) {
			b.WriteString("...")
			text = text[at:]
		}
	}
}
