// Package gitssh runs a command on a host by ssh, as gitwire needs it: known hosts only, keys from the agent and from files, the user's
// ssh configuration, no program and no question.
package gitssh

import (
	"context"
	"io"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
)

// Codes of an *Error.
const (
	CodeUnreachable    = "SOURCE_UNREACHABLE"
	CodeAuthentication = "SOURCE_AUTHENTICATION_FAILED"
	CodeHostKey        = "SOURCE_HOST_KEY_REFUSED" // unknown, changed, revoked
)

// Error says why there is no session.
type Error struct{ diag.Base }

// Options are what Run needs of its surroundings.
type Options struct {
	Getenv func(string) string
	Home   string // ~/.ssh is below it
}

// Session is a command that runs on a host. Reads and writes end when ctx of Run ends.
type Session interface {
	io.Reader // standard output
	io.Writer // standard input
	CloseWrite() error
	// Close ends the session; Stderr is what the command said meanwhile, at most 4 KiB, printable.
	Close() error
	Stderr() string
}

// Run connects to the host of u and starts command there with env set where the server takes it (GIT_PROTOCOL).
func Run(ctx context.Context, u giturl.URL, command string, env map[string]string, opts Options) (Session, error) {
	panic("to be written")
}
