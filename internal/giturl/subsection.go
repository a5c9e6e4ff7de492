package giturl

import (
	"net/url"
	"strings"
)

// InSubsection reports whether the subsection of a setting of git's, such as http.URL.proxy, is about u: a URL with the same scheme, host, port and, where it
// has one, user, and a path that u's is or is below. A part of the host that is "*" stands for any one part. Scheme and path may
// be left out.
func (u URL) InSubsection(pattern string) bool {
	scheme, rest, hasScheme := strings.Cut(pattern, "://")
	if !hasScheme {
		scheme, rest = u.Scheme, pattern
	}
	if !strings.EqualFold(scheme, u.Scheme) {
		return false
	}
	if rest == "" {
		return hasScheme
	}
	p, err := url.Parse(u.Scheme + "://" + rest)
	if err != nil || p.RawQuery != "" || p.Fragment != "" {
		return false
	}
	if user := p.User.Username(); user != "" && !u.hasUser(user) {
		return false
	}
	if !matchesHost(p.Hostname(), u.Host) || (URL{Scheme: u.Scheme, Port: p.Port()}).PortNumber() != u.PortNumber() {
		return false
	}
	folder := strings.TrimSuffix(p.Path, "/")
	return folder == "" || u.Path == folder || strings.HasPrefix(u.Path, folder+"/")
}

func matchesHost(pattern, host string) bool {
	patterns, parts := strings.Split(pattern, "."), strings.Split(host, ".")
	if len(patterns) != len(parts) {
		return false
	}
	for i, p := range patterns {
		if p != "*" && !strings.EqualFold(p, parts[i]) {
			return false
		}
	}
	return true
}

func (u URL) hasUser(user string) bool {
	own, _, _ := u.Login()
	return user == own
}
