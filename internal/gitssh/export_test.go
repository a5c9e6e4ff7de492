package gitssh

import (
	"strconv"
	"strings"

	"example.org/compose/internal/giturl"
	"golang.org/x/crypto/ssh"
)

// Config is what the configuration says about a host, in the words of ssh -G.
func Config(opts Options, host, user string) (map[string]string, error) {
	c, err := readConfig(placeOf(opts), host, user)
	if err != nil {
		return nil, err
	}
	said := map[string]string{"hostname": c.hostName(), "user": c.userName(), "port": "22"}
	for name, s := range c.first {
		switch name {
		case "hostname", "user":
		default:
			said[name] = strings.Join(s.args, " ")
		}
	}
	for name, list := range c.all {
		var values []string
		for _, s := range list {
			values = append(values, s.args[0])
		}
		said[name] = strings.Join(values, "\n")
	}
	return said, nil
}

// Settings are those for a URL, as NAME=VALUE.
func Settings(opts Options, u giturl.URL) ([]string, error) {
	s, err := settingsOf(placeOf(opts), u)
	if err != nil {
		return nil, err
	}
	list := []string{"address=" + s.address(), "user=" + s.user, "key=" + s.keyName, "agent=" + s.agent, "timeout=" + s.timeout.String()}
	for _, id := range s.identities {
		list = append(list, "identity="+id.path+" "+strconv.FormatBool(id.asked))
	}
	for _, path := range s.knownHosts {
		list = append(list, "known="+path)
	}
	return list, nil
}

// SplitLine reads a line of a configuration.
var SplitLine = splitLine

// MatchesAny fits a list of patterns.
var MatchesAny = matchesAny

// KnownKeys counts the keys of a known_hosts that are about a name.
func KnownKeys(text []byte, name string) int {
	k := knownHosts{revoked: map[string]string{}}
	k.addText(text, "known_hosts", name, "")
	return len(k.keys)
}

// KnowsKey reports whether a known_hosts accepts a key for a name, and which algorithms it would ask for first.
func KnowsKey(text []byte, name, bare string, key ssh.PublicKey) (bool, []string) {
	k := knownHosts{revoked: map[string]string{}}
	k.addText(text, "known_hosts", name, bare)
	return k.check(&settings{keyName: name, bareName: bare, principalName: bare}, key, nil) == nil, k.algorithms()
}
