package credential

import (
	"net/url"
	"strings"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/giturl"
)

// helperConfig is what git's configuration says about credentials for one URL.
type helperConfig struct {
	helpers  []string
	username string // "" for none
	usePath  bool   // credentials are for one repository and not for the whole host
}

// helperConfigOf reads credential.KEY and credential.URL.KEY for u, in order: an empty helper forgets those before it.
func helperConfigOf(cfg *gitconfig.Config, u giturl.URL) helperConfig {
	var h helperConfig
	for _, e := range cfg.Entries() {
		rest, ok := strings.CutPrefix(e.Name, "credential.")
		if !ok {
			continue
		}
		pattern, key := "", rest
		if dot := strings.LastIndexByte(rest, '.'); dot >= 0 {
			pattern, key = rest[:dot], rest[dot+1:]
			if !matchesURL(pattern, u) {
				continue
			}
		}
		switch key {
		case "helper":
			if e.Value == "" {
				h.helpers = nil
			} else {
				h.helpers = append(h.helpers, e.Value)
			}
		case "username":
			h.username = e.Value
		case "usehttppath":
			on, known := gitconfig.ParseBool(e.Value)
			h.usePath = e.Bare || on && known
		}
	}
	return h
}

// matchesURL reports whether the subsection of a setting is about u: a URL with the same scheme, host, port and, where it
// has one, user, and a path that u's is or is below. A part of the host that is "*" stands for any one part. Scheme and path may
// be left out.
func matchesURL(pattern string, u giturl.URL) bool {
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
	if user := p.User.Username(); user != "" && user != userOf(u) {
		return false
	}
	if !matchesHost(p.Hostname(), u.Host) || (giturl.URL{Scheme: u.Scheme, Port: p.Port()}).PortNumber() != u.PortNumber() {
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
