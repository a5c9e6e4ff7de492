package gitrepo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	maxConfigBytes   = 8 << 20
	maxIncludeDepth  = 10 // git's own MAX_INCLUDE_DEPTH
	maxConfigEntries = 200_000
)

// config is what git configuration files say, in order; the last of a name wins.
//
// go-git's reader is not used here: it refuses files that git takes (a key on the line of its section), and a
// user's configuration must never decide whether a catalog can be read.
type config struct {
	entries []configEntry
}

type configEntry struct {
	name  string // section and key in lower case, a subsection as written: remote.Origin.url
	value string
	bare  bool // the key stood without "=": true
}

// configIncludes says which include.path are followed; the zero value follows none.
type configIncludes struct {
	follow bool
	home   string // of "~/"
	git    string // the git folder, for includeIf
	depth  int
}

// addFile appends the entries of the file at path; nothing where it is missing.
func (c *config) addFile(path string, inc configIncludes) error {
	if path == os.DevNull {
		return nil // the usual way to ask for none
	}
	text, err := readSmall(path, maxConfigBytes)
	if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := parseConfig(string(text))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if len(c.entries) >= maxConfigEntries {
			return fmt.Errorf("more than %d settings", maxConfigEntries)
		}
		c.entries = append(c.entries, e)
		if !inc.follow || e.name != "include.path" && !inc.applies(e.name, filepath.Dir(path)) {
			continue
		}
		if inc.depth >= maxIncludeDepth {
			return fmt.Errorf("includes nest deeper than %d", maxIncludeDepth)
		}
		target := expandHome(e.value, inc.home)
		if target == "" {
			continue
		}
		deeper := inc
		deeper.depth++
		if err := c.addFile(below(filepath.Dir(path), target), deeper); err != nil {
			return err
		}
	}
	return nil
}

// applies reports whether name is an includeIf.CONDITION.path whose condition holds: gitdir and gitdir/i, which
// look at where the git folder is. Other conditions never hold.
func (inc configIncludes) applies(name, folder string) bool {
	condition, ok := strings.CutPrefix(name, "includeif.")
	condition, isPath := strings.CutSuffix(condition, ".path")
	if !ok || !isPath || inc.git == "" {
		return false
	}
	pattern, fold := strings.CutPrefix(condition, "gitdir/i:")
	if !fold {
		if pattern, ok = strings.CutPrefix(condition, "gitdir:"); !ok {
			return false
		}
	}
	pattern = expandHome(pattern, inc.home)
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = filepath.ToSlash(folder) + "/" + rest
	}
	if pattern == "" {
		return false
	}
	if !filepath.IsAbs(pattern) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(condition, "/") {
		pattern = strings.TrimSuffix(pattern, "/") + "/**"
	}
	absolute, err := filepath.Abs(inc.git)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(absolute)
	return err == nil && wildmatch(pattern, filepath.ToSlash(real), true, fold) ||
		wildmatch(pattern, filepath.ToSlash(absolute), true, fold)
}

// expandHome resolves a leading "~/"; "" where there is no home.
func expandHome(path, home string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, rest)
}

// last returns the value of a name, the last one where there are several.
func (c *config) last(name string) (string, bool) {
	for i := len(c.entries) - 1; i >= 0; i-- {
		if e := c.entries[i]; e.name == name {
			if e.bare {
				return "true", true
			}
			return e.value, true
		}
	}
	return "", false
}

// boolean returns a setting that git reads as a boolean; what is none counts as not set.
func (c *config) boolean(name string, unset bool) bool {
	value, ok := c.last(name)
	if !ok {
		return unset
	}
	if b, ok := parseBoolean(value); ok {
		return b
	}
	return unset
}

func parseBoolean(value string) (result, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.ParseInt(value, 0, 64)
	return n != 0, err == nil
}

// names returns the keys of a section, in order, without its prefix.
func (c *config) names(prefix string) []string {
	var names []string
	for _, e := range c.entries {
		if rest, ok := strings.CutPrefix(e.name, prefix); ok {
			names = append(names, rest)
		}
	}
	return names
}

// anyTrue reports whether a setting between prefix and suffix is on, such as remote.<name>.promisor.
func (c *config) anyTrue(prefix, suffix string) bool {
	for _, e := range c.entries {
		if strings.HasPrefix(e.name, prefix) && strings.HasSuffix(e.name, suffix) && c.boolean(e.name, false) {
			return true
		}
	}
	return false
}

// parseConfig reads git's configuration syntax as git's config.c does.
func parseConfig(text string) ([]configEntry, error) {
	p := configParser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	var entries []configEntry
	section := ""
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return entries, nil
		case isConfigSpace(c) || c == '\n':
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			var err error
			if section, err = p.section(); err != nil {
				return nil, err
			}
		case isLetter(c):
			p.pos--
			e, err := p.entry(section)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		default:
			return nil, p.fault()
		}
	}
}

type configParser struct {
	text string
	pos  int
	line int
}

func (p *configParser) fault() error { return fmt.Errorf("bad configuration in line %d", p.line) }

// next returns the next byte; CRLF counts as LF.
func (p *configParser) next() (byte, bool) {
	if p.pos >= len(p.text) {
		return 0, false
	}
	c := p.text[p.pos]
	p.pos++
	if c == '\r' && p.pos < len(p.text) && p.text[p.pos] == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return c, true
}

func (p *configParser) skipLine() {
	for {
		if c, ok := p.next(); !ok || c == '\n' {
			return
		}
	}
}

// section reads what follows "[": name], name.sub], name "sub"].
func (p *configParser) section() (string, error) {
	var name strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return "", p.fault()
		case c == ']':
			return name.String(), nil
		case isConfigSpace(c):
			return p.subsection(name.String())
		case isKeyByte(c) || c == '.':
			name.WriteByte(lower(c))
		default:
			return "", p.fault()
		}
	}
}

func (p *configParser) subsection(section string) (string, error) {
	c, ok := p.next()
	for ok && isConfigSpace(c) {
		c, ok = p.next()
	}
	if c != '"' {
		return "", p.fault()
	}
	var name strings.Builder
	for {
		c, ok := p.next()
		if ok && c == '\\' {
			if c, ok = p.next(); ok && c != '\n' {
				name.WriteByte(c)
				continue
			}
		}
		switch {
		case !ok || c == '\n':
			return "", p.fault()
		case c == '"':
			if c, ok := p.next(); !ok || c != ']' {
				return "", p.fault()
			}
			return section + "." + name.String(), nil
		}
		name.WriteByte(c)
	}
}

func (p *configParser) entry(section string) (configEntry, error) {
	var key strings.Builder
	c, ok := p.next()
	for ok && isKeyByte(c) {
		key.WriteByte(lower(c))
		c, ok = p.next()
	}
	for ok && (c == ' ' || c == '\t') {
		c, ok = p.next()
	}
	e := configEntry{name: strings.TrimPrefix(section+"."+key.String(), ".")}
	if !ok || c == '\n' {
		e.bare = true
		return e, nil
	}
	if c != '=' {
		return e, p.fault()
	}
	var err error
	e.value, err = p.value()
	return e, err
}

// value reads to the end of the line: quotes, escapes, a comment outside quotes, inner space kept, outer dropped.
func (p *configParser) value() (string, error) {
	var out strings.Builder
	quoted, comment := false, false
	spaces := 0
	for {
		c, ok := p.next()
		switch {
		case !ok || c == '\n':
			if quoted {
				return "", p.fault()
			}
			return out.String(), nil
		case comment:
			continue
		case isConfigSpace(c) && !quoted:
			if out.Len() > 0 {
				spaces++
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			comment = true
			continue
		}
		// As in git, each white-space byte inside a value counts as one space.
		out.WriteString(strings.Repeat(" ", spaces))
		spaces = 0
		switch c {
		case '\\':
			escaped, ok := p.next()
			switch {
			case !ok || escaped == '\n':
				continue
			case escaped == 't':
				escaped = '\t'
			case escaped == 'b':
				escaped = '\b'
			case escaped == 'n':
				escaped = '\n'
			case escaped != '\\' && escaped != '"':
				return "", p.fault()
			}
			out.WriteByte(escaped)
		case '"':
			quoted = !quoted
		default:
			out.WriteByte(c)
		}
	}
}

func isConfigSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
