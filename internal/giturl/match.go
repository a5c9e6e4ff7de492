package giturl

import "strings"

// Match reports whether pattern names u: it is a URL in any form that Parse takes and equals u in normal form, or it ends in "/*"
// and what stands before names a folder of hosts' paths that u is in, at any depth. Users do not count but for ssh, and
// passwords never. A pattern that is no URL matches nothing.
func Match(pattern string, u URL) bool {
	folder, open := strings.CutSuffix(pattern, "/*")
	if !open {
		p, remote, err := Parse(pattern)
		return err == nil && remote && p.String() == u.String()
	}
	// A folder alone may be no repository (https://host/), so a name is read in it.
	p, remote, err := Parse(folder + "/" + inside)
	if err != nil || !remote || p.Scheme != u.Scheme || p.Host != u.Host || p.Port != u.Port {
		return false
	}
	if p.Scheme == "ssh" && p.User != u.User {
		return false
	}
	return strings.HasPrefix(u.Path, strings.TrimSuffix(p.Path, inside))
}

const inside = "x"
