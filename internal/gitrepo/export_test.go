package gitrepo

import "os"

// CountOpens calls opened with each file of the work tree that the clean check opens.
func (r *Repository) CountOpens(opened func(path string)) {
	r.openFile = func(path string) (*os.File, error) {
		opened(path)
		return openPlain(path)
	}
}

var (
	ParseConfig     = parseConfig
	ParseIndex      = parseIndex
	ParseCommit     = parseCommit
	ParseTree       = parseTree
	ParseAlternates = parseAlternates
	ParseBitmap     = parseBitmap
	Wildmatch       = wildmatch
)

// ParseAttributes is parseAttributes without its result.
func ParseAttributes(text string) { parseAttributes(text, "", true) }
