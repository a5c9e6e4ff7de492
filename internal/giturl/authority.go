package giturl

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unique"

	"example.org/compose/internal/diag"
)

// setAuthority reads [user[:password]@]host[:port]. path is what follows, for advice alone.
func (u *URL) setAuthority(authority, path, shown string) error {
	// The last "@" ends the user, as in curl: a password may hold one that nobody encoded.
	i := strings.LastIndexByte(authority, '@')
	if i >= 0 {
		if err := u.setUser(authority[:i], shown); err != nil {
			return err
		}
	}
	host := authority[i+1:]
	port, hasPort := "", false
	if end := strings.LastIndexByte(host, ']'); strings.HasPrefix(host, "[") && end > 0 {
		if after := host[end+1:]; after != "" {
			if after[0] != ':' {
				return invalid(shown, "only a port may follow the address in brackets")
			}
			port, hasPort = after[1:], true
		}
		host = host[:end+1]
	} else if before, after, found := strings.Cut(host, ":"); found {
		host, port, hasPort = before, after, true
	}
	hidden := u.Scheme + "://..." // what is no host or port may be a password whose slash cut the authority
	if err := u.setHost(host, hidden); err != nil {
		return err
	}
	if !hasPort {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port[0] == '+' {
		e := invalid(hidden, "no port from 1 to 65535 follows the host's colon; correct it, or leave the colon out (a user and a password end in @, their special signs written as %%2F)")
		if _, _, hasPassword := u.Login(); u.Scheme == "ssh" && !hasPassword && !strings.Contains(path, "@") && i >= 0 {
			if scp, _, err := Parse(u.User + "@" + host + ":" + port + "/" + path); err == nil && port != "" {
				return e.withHint(scp.String())
			}
		}
		return e
	}
	u.Port = strconv.FormatUint(n, 10)
	if own, _ := defaultPort(u.Scheme); u.Port == own {
		u.Port, u.ownPort = "", true
	}
	return nil
}

// setUser reads user[:password], percent-encoded.
func (u *URL) setUser(info, shown string) error {
	if u.Scheme == "git" {
		return invalid(shown, "the git protocol knows no users; leave out what stands before the @")
	}
	user, password, hasPassword := strings.Cut(info, ":")
	user, ok := unescapeAny(user)
	password, ok2 := unescapeAny(password)
	if !ok || !ok2 {
		return invalid(shown, "the user or password has a %% that is followed by no two hexadecimal digits; write %%25 for a percent sign")
	}
	if hasControl(password) {
		return invalid(shown, "the password holds a control character")
	}
	switch { // neither has a NUL: what has one is refused
	case hasPassword && user+password != "":
		u.login = unique.Make(user + "\x00" + password)
	case user != "":
		u.login = unique.Make(user)
	}
	if u.Scheme == "ssh" {
		u.User = user
		return checkSSHUser(user, shown)
	}
	switch {
	case hasControl(user) || strings.Contains(user, ":"):
		return invalid(shown, "the user holds a colon or a control character")
	case strings.HasPrefix(user, "-"):
		return invalid(shown, "the user begins with a hyphen")
	}
	return nil
}

// checkSSHUser allows what can stand before an @ in both forms.
func checkSSHUser(user, shown string) error {
	switch {
	case user == "":
		return invalid(shown, "no user stands before the @; name one, or leave the @ out")
	case user[0] == '-':
		return invalid(shown, "the user begins with a hyphen, which programs take for an option")
	case !diag.IsPrintable(user) || strings.ContainsAny(user, " []/:"):
		return invalid(shown, "the user holds a space, a bracket, a slash, a colon or a sign that can't be printed")
	}
	return nil
}

// setHost takes a name of letters, digits, ".", "-" and "_", or an IPv6 address in brackets.
func (u *URL) setHost(host, shown string) error {
	if strings.HasPrefix(host, "[") {
		addr, err := netip.ParseAddr(strings.TrimSuffix(host[1:], "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" || !strings.HasSuffix(host, "]") {
			return invalid(shown, "no IPv6 address without a zone stands between the brackets")
		}
		u.Host = addr.String()
		return nil
	}
	host = strings.ToLower(host)
	switch {
	case host == "":
		return invalid(shown, "names no host")
	case host[0] == '-':
		return invalid(shown, "the host begins with a hyphen, which programs take for an option")
	case len(host) > 253 || host[0] == '.' || host[len(host)-1] == '.' || strings.Contains(host, ".."):
		return invalid(shown, "the host has an empty label or more than 253 letters")
	case host[len(host)-1] == '-' || strings.Contains(host, ".-") || strings.Contains(host, "-."):
		return invalid(shown, "a label of the host begins or ends with a hyphen, which no name of a host does")
	}
	for i := range len(host) {
		if c := host[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '-' && c != '_' {
			return invalid(shown, "the host holds another sign than letters, digits, dots and hyphens; write names of other letters in their ASCII form (xn--...), and encode special signs of a password")
		}
	}
	u.Host = host
	return nil
}

// IsLoopback reports whether a host is this machine, so that nobody is on the way to it.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// isScheme reports whether s could stand before "://" (RFC 3986, 3.1).
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || !isDigit(c) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

func hasControl(s string) bool {
	return strings.IndexFunc(s, unicode.IsControl) >= 0
}
