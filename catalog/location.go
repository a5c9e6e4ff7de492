package catalog

import (
	"errors"
	"os"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/starter"
)

// builtin begins the names of sources inside the program.
const builtin = "builtin:"

// ParseLocation tells a URL from a path and from what is built in. A text that can be read as a URL is one, host:path too, whatever
// folders there are: else a folder of the target could stand in for a server. A path with a colon begins with "./" or "/".
//
// INVALID_SOURCE: it is a URL that can't be used, or the name of nothing built in.
func ParseLocation(location string) (u giturl.URL, remote bool, err error) {
	if strings.HasPrefix(location, builtin) {
		if location != starter.Location {
			return u, false, fault(gitrepo.CodeInvalidSource, redacted(location), "", "there is no such source built in; use %s, or name a git repository", starter.Location)
		}
		return u, false, nil
	}
	for _, scheme := range []string{"https", "http", "ssh", "git", "file"} {
		rest, found := strings.CutPrefix(strings.ToLower(location), scheme)
		if found && (strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, ":/") && !strings.HasPrefix(rest, "://")) {
			return u, false, fault(gitrepo.CodeInvalidSource, scheme+"...", "", "is no URL, which begins with %q; a path of that name begins with \"./\"", scheme+"://")
		}
	}
	u, remote, err = giturl.Parse(location)
	if shown := redacted(location); err == nil && !remote && shown != location {
		if _, missing := os.Lstat(location); missing != nil {
			return u, false, fault(gitrepo.CodeInvalidSource, shown, "", "is no URL that can be used, and no path; a password has no place in it, see docs/sources.md on credentials")
		}
	}
	return u, remote, err
}

// redacted is a text without what stands before its last "@", where that could hold a password.
func redacted(text string) string {
	if i := strings.LastIndexByte(text, '@'); i > 0 && strings.Contains(text[:i], ":") {
		return "..." + text[i:]
	}
	return text
}

// Shown is a location as it may be printed: a URL in its normal form, without secrets.
func Shown(location string) string {
	u, remote, err := ParseLocation(location)
	switch {
	case err != nil:
		var coded diag.Coded
		if errors.As(err, &coded) && coded.Path() != "" {
			return coded.Path() // what could be a secret is left out there
		}
		return "..."
	case remote:
		return u.String()
	}
	return location
}
