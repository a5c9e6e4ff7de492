package catalog

import (
	"os"
	"strings"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/starter"
)

// checkLocal refuses what is no path but a well-known way to name a repository: its own advice is worth more than that
// there is no such folder. A folder of that name is a path all the same.
func checkLocal(location string) error {
	if _, err := os.Lstat(location); err == nil {
		return nil
	}
	scheme, rest, found := strings.Cut(location, ":")
	switch {
	case !found:
		return nil
	case scheme+":" == builtin:
		return fault(gitrepo.CodeInvalidSource, location, "", "there is no such source built in; use %s, or name a local git repository", starter.Location)
	case scheme == "file" && strings.HasPrefix(rest, "//"):
		return fault(gitrepo.CodeInvalidSource, location, "", "is a URL, and a source is named by its path; leave out %q", "file://")
	case strings.HasPrefix(rest, "//") || isHost(scheme):
		shown := withoutSecrets(location)
		e := fault(gitrepo.CodeInvalidSource, shown, "", "remote sources are not supported yet; clone the repository, and name the clone")
		if strings.ContainsAny(shown, " \t\n'\"`$&|;<>()*?!#\\") {
			return e // nothing to copy into a shell
		}
		return e.withHint("git clone " + shown)
	}
	return nil
}

// builtin begins the names of sources inside the program.
const builtin = "builtin:"

// isHost reports whether what stands before the first colon names a host, as in git@example.org:team/templates.git. One
// letter is a drive, and a path has slashes before its colons.
func isHost(s string) bool { return len(s) > 1 && !strings.ContainsAny(s, `/\`) }

// withoutSecrets is a URL without what may be a password or a token; the user of ssh is neither.
func withoutSecrets(location string) string {
	scheme, rest, found := strings.Cut(location, "://")
	if !found {
		return location
	}
	authority, path, slash := strings.Cut(rest, "/")
	user, host, found := cutLast(authority, "@")
	if !found {
		return location
	}
	if name, _, _ := strings.Cut(user, ":"); scheme == "ssh" {
		host = name + "@" + host
	}
	if slash {
		host += "/"
	}
	return scheme + "://" + host + path
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+len(sep):], true
}
