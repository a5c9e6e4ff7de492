// Package giturl reads the ways to name a remote repository (https://, http://, ssh://, git://, file:// and
// git@host:path) into one normal form, keeps secrets out of what is shown, and matches URLs against patterns.
package giturl

import "example.org/compose/internal/diag"

// CodeInvalidSource is the code of a URL that can't be used.
const CodeInvalidSource = "INVALID_SOURCE"

// Error says why a text is no usable URL. It shows no secret.
type Error struct{ diag.Base }

// URL is the name of a remote repository. Its parts hold no secret but password.
type URL struct {
	Scheme string // https, http, ssh, git or file
	User   string // of ssh; of https where the text had one; else ""
	Host   string // lower case, no brackets around an IPv6 address; "" for file
	Port   string // "" for the scheme's own
	Path   string // begins with "/", or with "~" or a letter for a path relative to an ssh home; decoded
	// password is what the text had after the user; it is in no other form of the URL.
	password string
}

// Parse reads a --source. remote is false for what is a path or builtin:. A host or path that begins with "-", control
// characters, unknown schemes (ext::, ftp) are INVALID_SOURCE.
func Parse(text string) (u URL, remote bool, err error) { panic("to be written") }

// String returns the normal form without secrets: the name of the repository in messages, in the cache and in policies.
func (u URL) String() string { panic("to be written") }

// Password returns what the text gave after the user, and whether it gave anything.
func (u URL) Password() (string, bool) { panic("to be written") }

// Match reports whether pattern names u: it is a URL in any form that Parse takes and equals u in normal form, or it ends in "/*"
// and what stands before names a folder of hosts' paths that u is in, at any depth. Users do not count but for ssh.
func Match(pattern string, u URL) bool { panic("to be written") }
