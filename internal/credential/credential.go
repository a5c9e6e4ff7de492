// Package credential finds a user and a password for a server where people keep them: variables of the environment, netrc,
// and git's credential helpers. It never asks, stores or shows one.
package credential

import (
	"context"

	"example.org/compose/internal/giturl"
)

// Credential is a user and a password or token.
type Credential struct {
	User, Password string
	From           string // where it was found, for messages: "COMPOSE_TOKEN_git_example_org", "netrc", "git's helper store"
}

// Finder looks for credentials.
type Finder struct {
	// Getenv is os.Getenv; nil: an empty environment.
	Getenv func(string) string
	Home   string // of the user; "" for none
}

// Find returns the credentials for the host of u, the best first, each from another place; they are for that host and port alone. An
// error of one place (an unreadable netrc, a helper that fails) comes back with what the others gave, and shows no secret.
func (f *Finder) Find(ctx context.Context, u giturl.URL) ([]Credential, error) {
	panic("to be written")
}
