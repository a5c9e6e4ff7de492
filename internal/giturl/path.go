package giturl

import (
	"strings"

	"example.org/compose/internal/diag"
)

// pathSigns stand in a path as they are, beside letters, digits and "-._~". "*" is not among them: it is for patterns.
const pathSigns = "/+,=:@"

// setPath takes a decoded path: absolute, or relative to an ssh home.
func (u *URL) setPath(path, shown string) error {
	if hasControl(path) {
		return invalid(shown, "the path holds a control character")
	}
	if strings.Contains(path, `\`) {
		// To Windows it is a slash, so that dots between two of them would lead out of the folder that a policy allows.
		return invalid(shown, "the path holds a backslash, which some systems take for a slash; write slashes, or rename the repository")
	}
	if (u.Scheme == "ssh" || u.Scheme == "git") && strings.HasPrefix(path, "/~") {
		path = path[1:] // as git has it: ssh://host/~user/path
	}
	root := ""
	if strings.HasPrefix(path, "/") {
		root = "/"
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(parts) == 0 || len(parts) == 1 && root == "" && parts[0][0] == '~' {
				return invalid(shown, "the path leads above its beginning; write it without ..")
			}
			parts = parts[:len(parts)-1]
		default:
			if u.Scheme == "file" && strings.Trim(part, ". ") == "" {
				return invalid(shown, "a name in the path has nothing but dots and spaces, which Windows takes for another name; rename it")
			}
			parts = append(parts, part)
		}
	}
	switch {
	case len(parts) == 0:
		return invalid(shown, "names no repository after the host")
	case root == "" && parts[0][0] == '-':
		return invalid(shown, "the path begins with a hyphen, which programs take for an option")
	case root == "" && parts[0][0] == '~' && !strings.HasPrefix(path, "~"), root == "/" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" && parts[0][0] == '~':
		// Without its dots the path would be read as another one.
		return invalid(shown, "the path leads by dots to a name that begins with ~; write it without dots")
	}
	u.Path = root + strings.Join(parts, "/")
	return nil
}

// parseSCP reads [user@]host:path, where nothing is encoded.
func parseSCP(text string) (URL, error) {
	u := URL{Scheme: "ssh"}
	hostEnd := strings.IndexByte(text, ':')
	if open := strings.IndexByte(text, '['); open >= 0 && open < hostEnd {
		hostEnd = open + strings.IndexByte(text[open:], ']') + 1
		if hostEnd == open || hostEnd == len(text) || text[hostEnd] != ':' {
			return URL{}, invalid("", "no IPv6 address in brackets, a colon and a path follow one another; use ssh://host:port/path to name a port")
		}
	}
	authority, path := text[:hostEnd], text[hostEnd+1:]
	shown := text
	user, host, hasUser := "", authority, false
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		user, host, hasUser = authority[:i], authority[i+1:], true
	}
	first, _, _ := strings.Cut(path, "/")
	switch _, known := defaultPort(strings.ToLower(host)); {
	case known && !hasUser:
		return URL{}, invalid(strings.ToLower(host)+":...", "the scheme is followed by //, as in https://host/path and file:///path")
	case strings.Contains(first, "@"):
		// user:password@host without a scheme, the user perhaps a mail address: as git reads it, the password would be a path, and shown.
		return URL{}, errAt()
	case !diag.IsPrintable(text):
		return URL{}, invalid("", "the source holds a control character or another sign that can't be printed; write it as an ssh:// URL, percent-encoded")
	}
	if hasUser {
		if err := checkSSHUser(user, shown); err != nil {
			return URL{}, err
		}
		u.User = user
	}
	if err := u.setHost(host, shown); err != nil {
		return URL{}, err
	}
	if err := u.setPath(path, shown); err != nil {
		return URL{}, err
	}
	switch first, _, _ := strings.Cut(u.Path, "/"); { // without dots it would be read as something else
	case strings.Contains(first, "@"):
		return URL{}, errAt()
	case strings.HasPrefix(first, ":"):
		return URL{}, invalid(shown, "the path begins with a colon; write ssh://user@host/~/path")
	}
	return u, nil
}

func errAt() error {
	return invalid("", "what stands before the last @ looks like a user and a password; write https:// before them, user@host:path for ssh, or ssh://user@host/~/path where the path begins with such a name")
}

// escape percent-encodes all but letters, digits, "-._~" and signs.
func escape(s, signs string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if isLetter(c) || isDigit(c) || strings.IndexByte("-._~", c) >= 0 || strings.IndexByte(signs, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
	return b.String()
}

// unescape decodes a path. An encoded slash is none: whether it separates depends on the server.
func unescape(s string) (string, bool) {
	for rest := s; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return unescapeAny(s)
		}
		if len(after) >= 2 && strings.EqualFold(after[:2], "2f") {
			return "", false
		}
		rest = after
	}
}

func unescapeAny(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		high, ok := fromHex(s[i+1])
		low, ok2 := fromHex(s[i+2])
		if !ok || !ok2 {
			return "", false
		}
		b = append(b, high<<4|low)
		i += 2
	}
	return string(b), true
}

func fromHex(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
