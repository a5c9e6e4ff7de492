package gitssh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/internal/plainfile"
)

const (
	maxConfigBytes  = 1 << 20 // of one file
	maxConfigFiles  = 256     // with all that they include
	maxIncludeDepth = 16      // OpenSSH's READCONF_MAX_DEPTH
	maxIdentities   = 100     // OpenSSH's SSH_MAX_IDENTITY_FILES
)

// truth is what is known of a condition.
type truth uint8

const (
	no truth = iota
	yes
	unknown // it asks for what is not looked at here, such as a program's exit status
)

func (t truth) and(u truth) truth {
	switch {
	case t == no || u == no:
		return no
	case t == unknown || u == unknown:
		return unknown
	}
	return yes
}

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// setting is one line of a configuration.
type setting struct {
	args  []string
	where string // FILE:LINE
}

// hostConfig is what ssh's configuration says about one host. The first value of a keyword counts, but for those
// that add up.
type hostConfig struct {
	place    *place
	original string // the host as it was named
	user     string // as it was named; "" for none
	first    map[string]setting
	all      map[string][]setting
	files    int
	final    bool // in the pass for "Match final"
	hasFinal bool // such a pass is asked for
}

// The keywords that are read: those whose first value counts, and those whose values add up. Others mean nothing here.
var (
	singles = []string{
		"hostname", "port", "user", "identitiesonly", "identityagent", "userknownhostsfile", "globalknownhostsfile", "hostkeyalias",
		"revokedhostkeys", "connecttimeout", "proxyjump", "proxycommand",
	}
	lists = []string{"identityfile", "certificatefile"}
)

// readConfig reads the user's and the system's configuration for a host; files that are missing say nothing.
func readConfig(p *place, host, user string) (*hostConfig, error) {
	c := &hostConfig{place: p, original: strings.ToLower(host), user: user, first: map[string]setting{}, all: map[string][]setting{}}
	for {
		if p.home != "" {
			if err := c.addFile(filepath.Join(p.home, ".ssh", "config"), filepath.Join(p.home, ".ssh"), yes, 0); err != nil {
				return nil, err
			}
		}
		if err := c.addFile(filepath.Join(p.system, "ssh_config"), p.system, yes, 0); err != nil {
			return nil, err
		}
		if c.final || !c.hasFinal {
			return c, nil
		}
		c.final = true
	}
}

// addFile reads a file whose relative includes are below folder; outer is the state of the block that includes it.
func (c *hostConfig) addFile(path, folder string, outer truth, depth int) error {
	if c.files++; c.files > maxConfigFiles {
		return fmt.Errorf("the ssh configuration has more than %d files", maxConfigFiles)
	}
	text, err := plainfile.Read(path, maxConfigBytes)
	if plainfile.IsMissing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s can't be read: %w", c.place.short(path), plainfile.Cause(err))
	}
	block := outer
	for i, line := range strings.Split(string(text), "\n") {
		where := fmt.Sprintf("%s:%d", c.place.short(path), i+1)
		keyword, args, err := splitLine(line)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		switch keyword {
		case "":
		case "host":
			block = outer.and(truthOf(matchesAny(args, c.original)))
		case "match":
			met, err := c.match(args)
			if err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			block = outer.and(met)
		case "include":
			if block == no {
				continue
			}
			if depth == maxIncludeDepth {
				return fmt.Errorf("%s: includes nest deeper than %d", where, maxIncludeDepth)
			}
			if err := c.include(args, folder, block, depth+1); err != nil {
				return err
			}
		default:
			if err := c.set(keyword, setting{args: args, where: where}, block); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *hostConfig) include(patterns []string, folder string, block truth, depth int) error {
	for _, pattern := range patterns {
		path, ok := c.place.expandHome(pattern)
		if !ok {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		files, err := filepath.Glob(path) // sorted
		if err != nil {
			return fmt.Errorf("include %q: %w", pattern, err)
		}
		for _, file := range files {
			if err := c.addFile(file, folder, block, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// set takes a setting of a block. What stands in a block that may or may not hold is refused where it would count.
func (c *hostConfig) set(keyword string, s setting, block truth) error {
	single := slices.Contains(singles, keyword)
	if block == no || !single && !slices.Contains(lists, keyword) {
		return nil
	}
	if _, done := c.first[keyword]; single && done {
		return nil
	}
	if _, done := c.first["proxycommand"]; keyword == "proxyjump" && done {
		return nil // "ProxyCommand none" turns off both
	}
	if block == unknown {
		return fmt.Errorf("%s: %s stands below a Match whose condition is not evaluated here; put it below a Host line", s.where, keyword)
	}
	if len(s.args) == 0 || s.args[0] == "" {
		return fmt.Errorf("%s: %s has no value", s.where, keyword)
	}
	if single {
		c.first[keyword] = s
		return nil
	}
	again := slices.ContainsFunc(c.all[keyword], func(t setting) bool { return t.where == s.where })
	if !again && len(c.all[keyword]) < maxIdentities { // the final pass meets every line again
		c.all[keyword] = append(c.all[keyword], s)
	}
	return nil
}

// match evaluates the criteria of a Match line.
func (c *hostConfig) match(args []string) (truth, error) {
	met := yes
	for len(args) > 0 {
		criterion, negated := strings.CutPrefix(args[0], "!")
		args = args[1:]
		criterion, value, joined := strings.Cut(criterion, "=")
		holds := unknown
		switch criterion = strings.ToLower(criterion); criterion {
		case "all":
			holds = yes
		case "canonical":
			holds = no // names are not made canonical
		case "final":
			c.hasFinal = true
			holds = truthOf(c.final)
		default:
			if !joined {
				if len(args) == 0 {
					return no, fmt.Errorf("the criterion %s of Match has no value", criterion)
				}
				value, args = args[0], args[1:]
			}
			holds = c.criterion(criterion, strings.Split(value, ","))
		}
		if negated && holds != unknown {
			holds = truthOf(holds == no)
		}
		met = met.and(holds)
	}
	return met, nil
}

func (c *hostConfig) criterion(name string, patterns []string) truth {
	switch name {
	case "host":
		return truthOf(matchesAny(patterns, c.hostName()))
	case "originalhost":
		return truthOf(matchesAny(patterns, c.original))
	case "user":
		return truthOf(matchesAny(patterns, c.userName()))
	case "localuser":
		return truthOf(matchesAny(patterns, c.place.localUser))
	}
	return unknown
}

// hostName is the name to connect to, as far as it is known.
func (c *hostConfig) hostName() string {
	s, ok := c.first["hostname"]
	if !ok {
		return c.original
	}
	return strings.NewReplacer("%%", "%", "%h", c.original).Replace(s.args[0])
}

// userName is the user to be there, as far as it is known.
func (c *hostConfig) userName() string {
	if c.user != "" {
		return c.user
	}
	if s, ok := c.first["user"]; ok {
		return s.args[0]
	}
	return c.place.localUser
}
