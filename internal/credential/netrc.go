package credential

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
)

const maxNetrcBytes = 1 << 20

// fromNetrc looks for the machine of u: host:port first, then the host, then default.
func (f *Finder) fromNetrc(_ context.Context, u giturl.URL) ([]Credential, error) {
	text, err := f.readNetrc()
	if err != nil || text == "" {
		return nil, err
	}
	machines, err := parseNetrc(text)
	if err != nil {
		return nil, err
	}
	user := userOf(u)
	for _, name := range []string{net.JoinHostPort(u.Host, u.PortNumber()), u.Host, ""} {
		for _, m := range machines {
			if !strings.EqualFold(m.name, name) || m.password == "" || user != "" && m.login != user {
				continue
			}
			if !isPrivate(u) {
				return nil, errors.New("netrc is not used for http; use https")
			}
			c, err := checked(Credential{User: m.login, Password: m.password, From: "netrc"})
			if err != nil {
				return nil, err
			}
			return []Credential{c}, nil
		}
	}
	return nil, nil
}

// readNetrc returns the text of netrc; "" where there is none.
func (f *Finder) readNetrc() (string, error) {
	var paths []string
	named := f.env("NETRC")
	switch {
	case named == os.DevNull:
		return "", nil
	case named != "":
		paths = []string{named}
	case f.Home == "":
		return "", nil
	default:
		paths = []string{filepath.Join(f.Home, ".netrc")}
		if runtime.GOOS == "windows" {
			paths = append(paths, filepath.Join(f.Home, "_netrc"))
		}
	}
	for _, path := range paths {
		text, err := plainfile.Read(path, maxNetrcBytes)
		if err == nil {
			return string(text), nil
		}
		if !plainfile.IsMissing(err) || named != "" {
			return "", fmt.Errorf("netrc can't be read: %w", plainfile.Cause(err))
		}
	}
	return "", nil
}

// machine is an entry of netrc.
type machine struct {
	name            string // "" for default
	login, password string
}

// parseNetrc reads netrc as curl does: words, which may be in quotes, in any arrangement; a line that begins with "#" is
// a comment; a macro goes on to an empty line. Words that mean nothing are passed by. An error shows no word.
func parseNetrc(text string) ([]machine, error) {
	s := netrcScanner{rest: text, line: 1, fresh: true}
	var machines []machine
	for {
		word, ok, err := s.next()
		if err != nil || !ok {
			return machines, err
		}
		switch strings.ToLower(word) {
		case "machine":
			name, ok, err := s.next()
			if err != nil || !ok {
				return machines, err
			}
			if name == "" { // which would be default
				return machines, s.fault("a machine has no name")
			}
			machines = append(machines, machine{name: name})
		case "default":
			machines = append(machines, machine{})
		case "login", "password", "account":
			value, ok, err := s.next()
			if err != nil || !ok {
				return machines, err
			}
			if len(machines) == 0 {
				continue
			}
			m := &machines[len(machines)-1]
			switch strings.ToLower(word) {
			case "login":
				m.login = value
			case "password":
				m.password = value
			}
		case "macdef":
			s.skipMacro()
		}
	}
}

type netrcScanner struct {
	rest  string
	line  int
	fresh bool // nothing but white space was read of the line
}

func (s *netrcScanner) fault(text string) error {
	return fmt.Errorf("netrc can't be read: %s in line %d", text, s.line)
}

// next returns the next word; ok is false at the end.
func (s *netrcScanner) next() (word string, ok bool, err error) {
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '\n':
			s.line++
			s.fresh = true
			s.rest = s.rest[1:]
		case isBlank(c):
			s.rest = s.rest[1:]
		case c == '#' && s.fresh:
			s.skipLine()
		case c == '"':
			s.fresh = false
			word, err = s.quoted()
			return word, err == nil, err
		default:
			s.fresh = false
			end := strings.IndexAny(s.rest, " \t\r\v\f\n")
			if end < 0 {
				end = len(s.rest)
			}
			word, s.rest = s.rest[:end], s.rest[end:]
			return word, true, nil
		}
	}
	return "", false, nil
}

// quoted reads a word in quotes, with the escapes \" \\ \n \r \t.
func (s *netrcScanner) quoted() (string, error) {
	var word strings.Builder
	for i := 1; i < len(s.rest); i++ {
		c := s.rest[i]
		switch {
		case c == '"':
			s.rest = s.rest[i+1:]
			return word.String(), nil
		case c == '\n':
			return "", s.fault("a quote is not closed")
		case c == '\\' && i+1 < len(s.rest):
			i++
			c = s.rest[i]
			if k := strings.IndexByte("nrt", c); k >= 0 {
				c = "\n\r\t"[k]
			}
		}
		word.WriteByte(c)
	}
	return "", s.fault("a quote is not closed")
}

func (s *netrcScanner) skipLine() {
	end := strings.IndexByte(s.rest, '\n')
	if end < 0 {
		end = len(s.rest)
	}
	s.rest = s.rest[end:]
}

// skipMacro passes the lines up to an empty one.
func (s *netrcScanner) skipMacro() {
	s.skipLine()
	for s.rest != "" {
		s.rest = s.rest[1:]
		s.line++
		s.fresh = true
		end := strings.IndexByte(s.rest, '\n')
		if end < 0 {
			end = len(s.rest)
		}
		if strings.Trim(s.rest[:end], "\r") == "" {
			return
		}
		s.rest = s.rest[end:]
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
