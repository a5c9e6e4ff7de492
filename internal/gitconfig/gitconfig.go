// Package gitconfig reads git configuration: files that people wrote for git, and that git reads differently in no
// case. Start with Config.AddFile, or with Parse for a text; Files says where git looks.
//
// A setting is named as `git config -l` names it: section and key in lower case, a subsection as written. The last
// of a name wins. Nothing here runs a program or looks at the environment by itself, and what is read is bounded.
//
// go-git's reader is not used: it refuses files that git takes (a key on the line of its section), and a user's
// configuration must never decide whether a catalog can be read.
//
// Format: git-config(1).
package gitconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/compose/internal/plainfile"
)

// MaxBytes bounds a configuration file.
const MaxBytes = 8 << 20

const (
	maxIncludeDepth = 10 // git's own MAX_INCLUDE_DEPTH
	maxEntries      = 200_000
)

// Config is what configuration files say, in order. The zero value is empty.
type Config struct {
	entries []Entry
}

// Entry is one setting.
type Entry struct {
	Name  string // remote.Origin.url
	Value string
	Bare  bool // the key stood without "=": true
}

// Includes says which include.path are followed; the zero value follows none.
type Includes struct {
	Follow bool
	Home   string // of "~/"; "" for none
	// Holds reports whether the condition of an includeIf holds for a file in folder; nil: none does.
	Holds func(condition, folder string) bool

	depth int
}

// Of returns the settings of entries.
func Of(entries []Entry) *Config { return &Config{entries: entries} }

// AddFile appends the settings of the file at path; nothing where it is missing.
func (c *Config) AddFile(path string, inc Includes) error {
	if path == os.DevNull {
		return nil // the usual way to ask for none
	}
	text, err := plainfile.Read(path, MaxBytes)
	if plainfile.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := Parse(string(text))
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	for _, e := range entries {
		if len(c.entries) >= maxEntries {
			return fmt.Errorf("more than %d settings", maxEntries)
		}
		c.entries = append(c.entries, e)
		if !inc.Follow || e.Name != "include.path" && !inc.applies(e.Name, folder) {
			continue
		}
		if inc.depth >= maxIncludeDepth {
			return fmt.Errorf("includes nest deeper than %d", maxIncludeDepth)
		}
		target := ExpandHome(e.Value, inc.Home)
		if target == "" {
			continue
		}
		if target = filepath.FromSlash(target); !filepath.IsAbs(target) {
			target = filepath.Join(folder, target)
		}
		deeper := inc
		deeper.depth++
		if err := c.AddFile(target, deeper); err != nil {
			return err
		}
	}
	return nil
}

// applies reports whether name is an includeIf.CONDITION.path whose condition holds.
func (inc Includes) applies(name, folder string) bool {
	condition, ok := strings.CutPrefix(name, "includeif.")
	condition, isPath := strings.CutSuffix(condition, ".path")
	return ok && isPath && inc.Holds != nil && inc.Holds(condition, folder)
}

// ExpandHome resolves a leading "~/"; "" where there is no home.
func ExpandHome(path, home string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, rest)
}

// Entries returns the settings in their order. They are c's own.
func (c *Config) Entries() []Entry { return c.entries }

// Last returns the value of a name, the last one where there are several.
func (c *Config) Last(name string) (string, bool) {
	for i := len(c.entries) - 1; i >= 0; i-- {
		if e := c.entries[i]; e.Name == name {
			if e.Bare {
				return "true", true
			}
			return e.Value, true
		}
	}
	return "", false
}

// Bool returns a setting that git reads as a boolean; what is none counts as not set.
func (c *Config) Bool(name string, unset bool) bool {
	value, ok := c.Last(name)
	if !ok {
		return unset
	}
	if b, ok := ParseBool(value); ok {
		return b
	}
	return unset
}

// ParseBool reads a boolean as git does; ok is false where value is none.
func ParseBool(value string) (result, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, err := strconv.ParseInt(value, 0, 64)
	return n != 0, err == nil
}

// Names returns the keys of a section, in order, without its prefix.
func (c *Config) Names(prefix string) []string {
	var names []string
	for _, e := range c.entries {
		if rest, ok := strings.CutPrefix(e.Name, prefix); ok {
			names = append(names, rest)
		}
	}
	return names
}

// AnyTrue reports whether a setting between prefix and suffix is on, such as remote.<name>.promisor.
func (c *Config) AnyTrue(prefix, suffix string) bool {
	for _, e := range c.entries {
		if strings.HasPrefix(e.Name, prefix) && strings.HasSuffix(e.Name, suffix) && c.Bool(e.Name, false) {
			return true
		}
	}
	return false
}
