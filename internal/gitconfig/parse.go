package gitconfig

import (
	"fmt"
	"strings"
)

// Parse reads git's configuration syntax as git's config.c does.
func Parse(text string) ([]Entry, error) {
	p := parser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	var entries []Entry
	section := ""
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return entries, nil
		case isSpace(c) || c == '\n':
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

type parser struct {
	text string
	pos  int
	line int
}

func (p *parser) fault() error { return fmt.Errorf("bad configuration in line %d", p.line) }

// next returns the next byte; CRLF counts as LF.
func (p *parser) next() (byte, bool) {
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

func (p *parser) skipLine() {
	for {
		if c, ok := p.next(); !ok || c == '\n' {
			return
		}
	}
}

// section reads what follows "[": name], name.sub], name "sub"].
func (p *parser) section() (string, error) {
	var name strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return "", p.fault()
		case c == ']':
			return name.String(), nil
		case isSpace(c):
			return p.subsection(name.String())
		case isKeyByte(c) || c == '.':
			name.WriteByte(lower(c))
		default:
			return "", p.fault()
		}
	}
}

func (p *parser) subsection(section string) (string, error) {
	c, ok := p.next()
	for ok && isSpace(c) {
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

func (p *parser) entry(section string) (Entry, error) {
	var key strings.Builder
	c, ok := p.next()
	for ok && isKeyByte(c) {
		key.WriteByte(lower(c))
		c, ok = p.next()
	}
	for ok && (c == ' ' || c == '\t') {
		c, ok = p.next()
	}
	e := Entry{Name: strings.TrimPrefix(section+"."+key.String(), ".")}
	if !ok || c == '\n' {
		e.Bare = true
		return e, nil
	}
	if c != '=' {
		return e, p.fault()
	}
	var err error
	e.Value, err = p.value()
	return e, err
}

// value reads to the end of the line: quotes, escapes, a comment outside quotes, inner space kept, outer dropped.
func (p *parser) value() (string, error) {
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
		case isSpace(c) && !quoted:
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

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
