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

// ConfigLines are the settings of a text as `git config -z -l` prints them.
func ConfigLines(text string) ([]string, error) {
	entries, err := parseConfig(text)
	var lines []string
	for _, e := range entries {
		if e.bare {
			lines = append(lines, e.name)
		} else {
			lines = append(lines, e.name+"\n"+e.value)
		}
	}
	return lines, err
}

// AttributeValue is what `git check-attr` prints of one attribute, for a file at the top that has text.
func AttributeValue(text, path, name string, fold bool) string {
	a := attributesOf([]attrFile{parseAttributes(text, "", true)}, path, fold)[name]
	return [...]string{"unspecified", "set", "unset", a.value}[a.state]
}
