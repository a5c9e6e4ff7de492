package credential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"example.org/compose/internal/giturl"
)

// tokenUser is the user beside a token that names none: GitHub's, and any other name is as good to most servers.
const tokenUser = "x-access-token"

// fromEnvironment looks at variables that are for the host of u.
func (f *Finder) fromEnvironment(_ context.Context, u giturl.URL) ([]Credential, error) {
	var found []Credential
	var problems []error
	add := func(name, user, token string) {
		c, err := checked(Credential{User: user, Password: token, From: name})
		switch {
		case token == "":
		case !isPrivate(u):
			problems = append(problems, fmt.Errorf("%s is not sent over http; use https", name))
		case err != nil:
			problems = append(problems, err)
		default:
			found = append(found, c)
		}
	}
	for _, name := range tokenVariables(u.Host) {
		user, token, both := strings.Cut(strings.TrimSpace(f.env(name)), ":")
		if !both {
			user, token = cmp.Or(userOf(u), tokenUser), user
		}
		add(name, user, token)
	}
	if isServer(cmp.Or(f.env("GITHUB_SERVER_URL"), "https://github.com"), u) {
		for _, name := range []string{"GH_TOKEN", "GITHUB_TOKEN"} {
			add(name, tokenUser, strings.TrimSpace(f.env(name)))
		}
	}
	if host := f.env("CI_SERVER_HOST"); host != "" && strings.EqualFold(host, u.Host) && f.isPort(u) {
		add("CI_JOB_TOKEN", "gitlab-ci-token", strings.TrimSpace(f.env("CI_JOB_TOKEN")))
	}
	return found, joined(problems)
}

// tokenVariables are the names of the variable for a host. A host with "_" has none: its name would be another host's.
func tokenVariables(host string) []string {
	if host == "" || strings.ContainsAny(host, "_:=") {
		return nil
	}
	name := "COMPOSE_TOKEN_" + strings.NewReplacer(".", "_", "-", "__").Replace(host)
	if upper := strings.ToUpper(name); upper != name {
		return []string{name, upper}
	}
	return []string{name}
}

// isServer reports whether u is on the server of a URL, scheme and port included.
func isServer(server string, u giturl.URL) bool {
	s, err := url.Parse(server)
	if err != nil || !strings.EqualFold(s.Hostname(), u.Host) || !strings.EqualFold(s.Scheme, u.Scheme) {
		return false
	}
	return (giturl.URL{Scheme: u.Scheme, Port: s.Port()}).PortNumber() == u.PortNumber()
}

// isPort reports whether u is on the port of GitLab's server.
func (f *Finder) isPort(u giturl.URL) bool {
	if port := f.env("CI_SERVER_PORT"); port != "" {
		return port == u.PortNumber()
	}
	return u.PortNumber() == giturl.URL{Scheme: u.Scheme}.PortNumber()
}

// joined makes one line of problems; nil for none.
func joined(problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.Error())
	}
	return errors.New(strings.Join(texts, "; "))
}
