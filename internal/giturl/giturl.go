// Package giturl reads the ways to name a remote repository (https://, http://, ssh://, git://, file:// and
// git@host:path) into one normal form, keeps secrets out of what is shown, and matches URLs against patterns. It opens nothing.
//
// Start with Parse. For every u that it returns, Parse(u.String()) is u without what only the text had: the user and the
// password of http and https, the password of ssh, and that a port was named which is the scheme's own.
//
// Dot segments are resolved and repeated slashes dropped as text (RFC 3986, 6.2.2.3), before anything is asked of a server or
// a disk: what a policy matches is what is fetched. A trailing ".git" stays as it was given: servers differ over it.
package giturl

import (
	"fmt"
	"io"
	"strings"
	"unique"

	"example.org/compose/internal/diag"
)

// CodeInvalidSource is the code of a URL that can't be used.
const CodeInvalidSource = "INVALID_SOURCE"

// Error says why a text is no usable URL. It shows no secret.
type Error struct{ diag.Base }

// URL is the name of a remote repository. It can be compared; two of the same String may differ in what only the text had. No
// verb of package fmt shows a password, nor the user of https, which is often a token: also of a URL inside something else.
type URL struct {
	Scheme string // https, http, ssh, git or file
	User   string // of ssh; else ""
	Host   string // lower case, no brackets around an IPv6 address; "" for file
	Port   string // "" for the scheme's own
	Path   string // begins with "/", or with "~" or another sign for a path relative to an ssh home; decoded, without a last "/"
	// login is what the text had before the host, which is in no other form of the URL: USER, or USER, NUL and PASSWORD. It is
	// behind a handle, which is compared by what it stands for and printed as an address: package fmt asks no method of what is in
	// another type's private field, and follows pointers to structs, but none to a string.
	login   unique.Handle[string]
	ownPort bool // the text names a port, which is the scheme's own
}

// maxText bounds a URL; servers and proxies refuse longer ones, and so do systems' paths.
const maxText = 4096

// defaultPort knows every scheme that is spoken. file has no port.
func defaultPort(scheme string) (port string, known bool) {
	switch scheme {
	case "https":
		return "443", true
	case "http":
		return "80", true
	case "ssh":
		return "22", true
	case "git":
		return "9418", true
	case "file":
		return "", true
	}
	return "", false
}

// Parse reads a --source. remote is false for what is a path or builtin:, which includes one letter before a colon, a
// drive. No folder is looked for: host:path is a URL whatever is there.
//
// INVALID_SOURCE, as an *Error: a scheme that is not spoken, among them ext:: and other helpers; a host, path or user that
// is empty or begins with "-"; control characters; a query or fragment; a bad port or percent-encoding.
func Parse(text string) (u URL, remote bool, err error) {
	before, rest, found := strings.Cut(text, ":")
	if !found || strings.EqualFold(before, "builtin") || strings.ContainsAny(before, `/\`) || len(before) == 1 && isLetter(before[0]) {
		return URL{}, false, nil
	}
	if len(text) > maxText {
		return URL{}, true, invalid("", "the URL is longer than %d bytes; name the repository by a shorter one", maxText)
	}
	scheme := strings.ToLower(before)
	switch {
	case isScheme(scheme) && strings.HasPrefix(rest, "//"):
		u, err = parseURL(scheme, rest[2:])
	case isScheme(scheme) && strings.HasPrefix(rest, ":"):
		err = invalid(before+"::...", "programs that help git with a transport are not run; use https, ssh, git or file")
	case strings.HasPrefix(rest, "//"):
		// What follows may have a password: a scheme was meant.
		err = invalid("", "what stands before :// is no scheme; use https, ssh, git or file")
	default:
		u, err = parseSCP(text)
	}
	if err != nil {
		return URL{}, true, err
	}
	return u, true, nil
}

// parseURL reads what follows scheme://.
func parseURL(scheme, rest string) (URL, error) {
	shown := redact(scheme, rest)
	if _, known := defaultPort(scheme); !known {
		if scheme == "git+ssh" || scheme == "ssh+git" {
			return URL{}, invalid(shown, "this name of the scheme is out of use; write ssh://")
		}
		return URL{}, invalid(shown, "the scheme is not spoken; use https, ssh, git or file")
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		return URL{}, invalid(shown, "a repository's URL has no query and no fragment; leave out what begins at %q, or write it as %%%02X where it belongs to a name", rest[i:i+1], rest[i])
	}
	authority, path, _ := strings.Cut(rest, "/")
	u := URL{Scheme: scheme}
	var err error
	if scheme == "file" {
		if host := strings.ToLower(authority); host != "" && host != "localhost" {
			return URL{}, invalid(shown, "a file URL names no other host; write file:/// and an absolute path")
		}
	} else if err = u.setAuthority(authority, path, shown); err != nil {
		return URL{}, err
	}
	decoded, ok := unescape(path)
	if !ok {
		return URL{}, invalid(shown, "the path has a %% that is followed by no two hexadecimal digits, or stands for a slash; write %%25 for a percent sign, and slashes as they are")
	}
	if err = u.setPath("/"+decoded, shown); err != nil {
		return URL{}, err
	}
	return u, nil
}

// String returns the normal form without secrets: the name of the repository in messages, in the cache and in policies. It is
// printable; for a path relative to an ssh home it is user@host:path, else a URL in ASCII.
func (u URL) String() string {
	host := u.HostPort()
	if u.relative() {
		if u.User != "" {
			host = u.User + "@" + host
		}
		return host + ":" + u.Path
	}
	if u.Scheme == "ssh" && u.User != "" {
		host = escape(u.User, "") + "@" + host
	}
	return u.Scheme + "://" + host + u.EscapedPath()
}

// Format writes String, whatever the verb.
func (u URL) Format(f fmt.State, verb rune) {
	switch {
	case verb == 'v' && f.Flag('#'):
		io.WriteString(f, "giturl.URL("+u.String()+")")
	case verb == 'v' || verb == 's' || verb == 'q':
		fmt.Fprintf(f, fmt.FormatString(f, verb), u.String())
	default:
		io.WriteString(f, u.String())
	}
}

// HostPort returns the host as a URL has it: with its port, where that is not the scheme's own, an IPv6 address in brackets, and no user.
func (u URL) HostPort() string {
	host := u.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port != "" {
		host += ":" + u.Port
	}
	return host
}

// EscapedPath returns the path as a URL has it, in ASCII and with a leading "/".
func (u URL) EscapedPath() string {
	if strings.HasPrefix(u.Path, "/") {
		return escape(u.Path, pathSigns)
	}
	return "/" + escape(u.Path, pathSigns)
}

// Login returns the user and the password that the text gave before the host, and whether it gave a password, which may be
// empty. Never show them.
func (u URL) Login() (user, password string, hasPassword bool) {
	if u.login == (unique.Handle[string]{}) {
		return "", "", false
	}
	return strings.Cut(u.login.Value(), "\x00")
}

// PortNumber returns the port in digits, the scheme's own where the URL has none; "" for file.
func (u URL) PortNumber() string {
	if u.Port != "" {
		return u.Port
	}
	port, _ := defaultPort(u.Scheme)
	return port
}

// NamedPort returns the port that the text names, also where it is the scheme's own; "" for none.
func (u URL) NamedPort() string {
	if u.ownPort {
		return u.PortNumber()
	}
	return u.Port
}

// relative reports whether the path can be written only as user@host:path.
func (u URL) relative() bool {
	return u.Path != "" && u.Path[0] != '/' && u.Path[0] != '~'
}
