package gitssh

import (
	"cmp"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.org/compose/internal/giturl"
)

// defaultTimeout is how long a connection may take up to the server's host key.
const defaultTimeout = 30 * time.Second

// settings are how to reach one host.
type settings struct {
	named         string // the host as it was named
	host          string // the name or address to connect to
	port          string
	user          string
	keyName       string // the name in known hosts, port included where it counts
	bareName      string // the same without a port; "" where keyName has none
	knownHosts    []string
	revoked       []string // files of keys that are accepted from no host
	identities    []identity
	certificates  []string
	identityOnly  bool   // keys of the agent that no identity names are not offered
	agent         string // the agent's socket; "" for none
	timeout       time.Duration
	principalName string // the name that a host's certificate must be for
}

// identity is a key file.
type identity struct {
	path  string
	asked bool // the configuration names it
}

// settingsOf reads the configuration for u.
func settingsOf(p *place, u giturl.URL) (*settings, error) {
	c, err := readConfig(p, u.Host, u.User)
	if err != nil {
		return nil, err
	}
	for _, keyword := range []string{"proxyjump", "proxycommand"} {
		if proxy, ok := c.first[keyword]; ok && !strings.EqualFold(proxy.args[0], "none") {
			return nil, &proxyError{where: proxy.where, keyword: keyword}
		}
	}
	s := &settings{named: c.original, host: strings.ToLower(c.hostName()), user: c.userName(), timeout: defaultTimeout}
	if s.user == "" {
		return nil, errNoUser
	}
	if strings.HasPrefix(s.host, "-") || s.host == "" {
		return nil, fmt.Errorf("%s: HostName %q is no host", c.first["hostname"].where, s.host)
	}
	if s.port, err = c.port(u.NamedPort()); err != nil {
		return nil, err
	}
	if err := s.setNames(c); err != nil {
		return nil, err
	}
	if err := s.setTimeout(c); err != nil {
		return nil, err
	}
	return s, s.setFiles(c)
}

func (c *hostConfig) port(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	set, ok := c.first["port"]
	if !ok {
		return "22", nil
	}
	n, err := strconv.ParseUint(set.args[0], 10, 16)
	if err != nil || n == 0 {
		return "", fmt.Errorf("%s: %q is no port", set.where, set.args[0])
	}
	return strconv.FormatUint(n, 10), nil
}

// setNames settles which lines of known hosts are about the host.
func (s *settings) setNames(c *hostConfig) error {
	s.principalName = s.host
	s.keyName = s.host
	if alias, ok := c.first["hostkeyalias"]; ok {
		s.keyName = strings.ToLower(alias.args[0])
		s.principalName = s.keyName
	} else if s.port != "22" {
		s.bareName = s.host
		s.keyName = "[" + s.host + "]:" + s.port
	}
	return nil
}

func (s *settings) setTimeout(c *hostConfig) error {
	set, ok := c.first["connecttimeout"]
	if !ok || strings.EqualFold(set.args[0], "none") {
		return nil
	}
	seconds, err := strconv.ParseUint(set.args[0], 10, 16)
	if err != nil {
		return fmt.Errorf("%s: %q is no number of seconds", set.where, set.args[0])
	}
	if seconds > 0 {
		s.timeout = time.Duration(seconds) * time.Second
	}
	return nil
}

// setFiles settles the files of keys and known hosts, and the agent.
func (s *settings) setFiles(c *hostConfig) error {
	p := c.place
	tokens := map[byte]string{'%': "%", 'd': p.home, 'h': s.host, 'n': s.named, 'p': s.port, 'r': s.user, 'u': p.localUser, 'k': s.principalName}
	var first error
	expand := func(text, where string) string {
		path, err := p.expand(text, tokens)
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", where, err)
		}
		return path
	}
	files := func(keyword string, unset ...string) []string {
		set, ok := c.first[keyword]
		if !ok {
			return unset
		}
		var paths []string
		for _, arg := range set.args {
			if !strings.EqualFold(arg, "none") {
				paths = append(paths, expand(arg, set.where))
			}
		}
		return paths
	}
	var own []string
	if p.home != "" {
		own = []string{filepath.Join(p.home, ".ssh", "known_hosts"), filepath.Join(p.home, ".ssh", "known_hosts2")}
	}
	s.knownHosts = append(files("userknownhostsfile", own...),
		files("globalknownhostsfile", filepath.Join(p.system, "ssh_known_hosts"), filepath.Join(p.system, "ssh_known_hosts2"))...)
	s.revoked = files("revokedhostkeys")
	none := false
	for _, set := range c.all["identityfile"] {
		if strings.EqualFold(set.args[0], "none") {
			none = true
			continue
		}
		s.identities = append(s.identities, identity{expand(set.args[0], set.where), true})
	}
	for _, set := range c.all["certificatefile"] {
		if !strings.EqualFold(set.args[0], "none") {
			s.certificates = append(s.certificates, expand(set.args[0], set.where))
		}
	}
	if len(s.identities) == 0 && !none && p.home != "" {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			s.identities = append(s.identities, identity{filepath.Join(p.home, ".ssh", name), false})
		}
	}
	if set, ok := c.first["identitiesonly"]; ok {
		s.identityOnly = isYes(set.args[0])
	}
	s.agent = p.getenv("SSH_AUTH_SOCK")
	if set, ok := c.first["identityagent"]; ok {
		switch value := set.args[0]; {
		case strings.EqualFold(value, "none"):
			s.agent = ""
		case value == "SSH_AUTH_SOCK":
		case strings.HasPrefix(value, "$") && !strings.HasPrefix(value, "${"):
			s.agent = p.getenv(value[1:])
		default:
			s.agent = expand(value, set.where)
		}
	}
	return first
}

func isYes(value string) bool {
	return strings.EqualFold(value, "yes") || strings.EqualFold(value, "true")
}

// address is what to connect to.
func (s *settings) address() string { return net.JoinHostPort(s.host, s.port) }

// shown names the host for messages.
func (s *settings) shown() string { return cmp.Or(s.keyName, s.named) }
