package catalog

import (
	"os"
	"strings"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/starter"
)

// builtin begins the names of sources inside the program.
const builtin = "builtin:"

// ParseLocation tells a URL from a path and from what is built in. What is there as a file or a folder is a path, whatever its name
// looks like; but a name with a scheme is a URL, so that no folder of the target can stand in for a server.
//
// INVALID_SOURCE: it is a URL that can't be used, or the name of nothing built in.
func ParseLocation(location string) (u giturl.URL, remote bool, err error) {
	if strings.HasPrefix(location, builtin) {
		if location != starter.Location && !exists(location) {
			return u, false, fault(gitrepo.CodeInvalidSource, location, "", "there is no such source built in; use %s, or name a git repository", starter.Location)
		}
		return u, false, nil
	}
	if !strings.Contains(location, "://") && exists(location) {
		return u, false, nil
	}
	return giturl.Parse(location)
}

// Shown is a location as it may be printed: a URL in its normal form, without secrets.
func Shown(location string) string {
	if u, remote, err := ParseLocation(location); err == nil && remote {
		return u.String()
	}
	return location
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
