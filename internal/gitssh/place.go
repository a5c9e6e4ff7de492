package gitssh

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// place is where ssh's files are, and who asks.
type place struct {
	home      string // "" for none
	system    string // /etc/ssh
	localUser string // "" for unknown
	getenv    func(string) string
}

func placeOf(opts Options) *place {
	p := &place{home: opts.Home, system: opts.System, getenv: opts.Getenv}
	if p.getenv == nil {
		p.getenv = func(string) string { return "" }
	}
	if p.system == "" {
		p.system = "/etc/ssh"
		if runtime.GOOS == "windows" {
			p.system = filepath.Join(p.getenv("ProgramData"), "ssh")
		}
	}
	p.localUser = cmp.Or(p.getenv("USER"), p.getenv("LOGNAME"), p.getenv("USERNAME"))
	return p
}

// short is a path as a person would write it.
func (p *place) short(path string) string {
	if rest, ok := strings.CutPrefix(path, p.home+string(filepath.Separator)); ok && p.home != "" {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

// expandHome resolves "~" and a leading "~/"; ok is false where there is no home, and for the home of somebody else.
func (p *place) expandHome(path string) (expanded string, ok bool) {
	if !strings.HasPrefix(path, "~") {
		return path, true
	}
	rest, own := strings.CutPrefix(path, "~/")
	if path == "~" {
		rest, own = "", true
	}
	if !own || p.home == "" {
		return "", false
	}
	return filepath.Join(p.home, rest), true
}

// expand replaces ${VARIABLE} and the tokens of ssh_config(5) that tokens has, then a leading "~".
func (p *place) expand(text string, tokens map[byte]string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "${"):
			name, _, closed := strings.Cut(rest[2:], "}")
			value := p.getenv(name)
			if !closed || value == "" {
				return "", fmt.Errorf("the environment variable %s of %q is not set", name, text)
			}
			out.WriteString(value)
			i += len(name) + 2
		case rest[0] == '%':
			if len(rest) == 1 {
				return "", fmt.Errorf("%q ends in %%", text)
			}
			value, known := tokens[rest[1]]
			if !known {
				return "", fmt.Errorf("the token %%%c of %q is not known here; write the path in full", rest[1], text)
			}
			out.WriteString(value)
			i++
		default:
			out.WriteByte(rest[0])
		}
	}
	path, ok := p.expandHome(out.String())
	if !ok {
		return "", fmt.Errorf("the home folder of %q is not known here; write the path in full", text)
	}
	return path, nil
}
