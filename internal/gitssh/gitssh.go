// Package gitssh runs a command on a host by ssh, as gitwire needs it: known hosts only, keys from the agent and from files, the user's
// ssh configuration, no program and no question. Start with Run.
//
// A host key is accepted where known hosts have it, or an authority there vouches for it; StrictHostKeyChecking changes nothing
// about that. Passwords are not tried. Of ssh_config(5) it obeys Host, Match (but for exec and other conditions outside the
// configuration), Include, HostName, Port, User, IdentityFile, CertificateFile, IdentitiesOnly, IdentityAgent,
// UserKnownHostsFile, GlobalKnownHostsFile, HostKeyAlias, RevokedHostKeys and ConnectTimeout. ProxyJump and ProxyCommand are
// refused, since the host would not be reached in another way; the rest has no say.
package gitssh

import (
	"context"
	"io"

	"example.org/compose/internal/giturl"
)

// Codes of an *Error.
const (
	CodeUnreachable    = "SOURCE_UNREACHABLE" // no name, route or connection; a stall; no ssh; a configuration that can't be obeyed
	CodeAuthentication = "SOURCE_AUTHENTICATION_FAILED"
	CodeHostKey        = "SOURCE_HOST_KEY_REFUSED" // unknown, changed, revoked
)

// Options are what Run needs of its surroundings.
type Options struct {
	Getenv func(string) string // os.Getenv; nil: an empty environment
	Home   string              // ~/.ssh is below it; "" for none
	System string              // the folder of ssh_config and ssh_known_hosts; "" for the system's own
}

// Session is a command that runs on a host. Reads and writes end when ctx of Run ends, and then return its error.
type Session interface {
	// Read reads standard output. It ends in io.EOF where the command ended with success, in an *ExitError where not, and in an
	// *Error, SOURCE_UNREACHABLE, where the connection was lost.
	io.Reader
	io.Writer // to standard input
	CloseWrite() error
	// Close ends the session and does not wait for the server. It may be called twice, and while a Read or Write is on.
	Close() error
	// Stderr is what the command said meanwhile, at most 4 KiB of it, on one line and printable.
	Stderr() string
}

// Run connects to the host of u and starts command there with env set where the server takes it (GIT_PROTOCOL). It takes as
// long as the server needs for each step, within bounds: 30 seconds up to its host key (or ConnectTimeout), two minutes
// for authentication, which may wait for a finger on a security token.
//
// SOURCE_UNREACHABLE, SOURCE_HOST_KEY_REFUSED, SOURCE_AUTHENTICATION_FAILED, as an *Error; the error of ctx where that ended.
func Run(ctx context.Context, u giturl.URL, command string, env map[string]string, opts Options) (Session, error) {
	return run(ctx, u, command, env, placeOf(opts))
}
