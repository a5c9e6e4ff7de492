package credential

import (
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
			if !u.InSubsection(pattern) {
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
