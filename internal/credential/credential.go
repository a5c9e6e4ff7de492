// Package credential finds a user and a password for a server where people keep them: variables of the environment, netrc,
// and git's credential helpers. It never asks, stores or shows one. Start with Finder.Find.
//
// In this order, each as its own users know it:
//
//   - COMPOSE_TOKEN_HOST, the host with "_" for "." and "__" for "-" (COMPOSE_TOKEN_git_example_org, or all of it in capitals),
//     holds TOKEN or USER:TOKEN, for any port of the host; GH_TOKEN and GITHUB_TOKEN, for the server of GITHUB_SERVER_URL, else
//     github.com; CI_JOB_TOKEN, for CI_SERVER_HOST and CI_SERVER_PORT.
//   - The file that NETRC names, else ~/.netrc. Its permissions are not looked at.
//   - The helpers of git's configuration of system and user (gitcredentials(7)). They run without a terminal and with nothing
//     that they could ask by.
//
// What is kept for a host alone, all but the helpers, is not sent over http, save to this machine.
package credential

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
)

// CodeAuthentication is the code of a place that should have credentials and can't be used.
const CodeAuthentication = "SOURCE_AUTHENTICATION_FAILED"

// Error says which places could not be used, and why. It shows no secret.
type Error struct{ diag.Base }

// Credential is a user and a password or token. No verb of package fmt shows more of it than where it was found; encoding/json
// shows no more either.
type Credential struct {
	User     string `json:"-"` // may be a token, too
	Password string `json:"-"`
	From     string // where it was found, for messages: "COMPOSE_TOKEN_git_example_org", "netrc", "git's helper store"
}

func (c Credential) String() string { return "credentials from " + c.From }

// Format writes String, whatever the verb.
func (c Credential) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// defaultTimeout bounds a helper.
const defaultTimeout = 30 * time.Second

// Finder looks for credentials. It may be used from several goroutines.
type Finder struct {
	// Getenv is os.Getenv; nil: an empty environment.
	Getenv func(string) string
	// Environ is os.Environ: all that helpers are given of the environment, but for what Getenv and Home settle. nil: nothing.
	Environ func() []string
	Home    string // of the user; "" for none

	timeout time.Duration    // of a helper; 0: defaultTimeout
	now     func() time.Time // nil: time.Now
}

// place is one of those that are looked at. An error is about the place, and shows no secret.
type place func(ctx context.Context, u giturl.URL) ([]Credential, error)

// Find returns the credentials for the host of u, the best first, no two alike; they are for that host and port alone. There are
// none for other than http and https. What the URL itself has is not looked at, but for its user, whom netrc and helpers are asked for.
//
// SOURCE_AUTHENTICATION_FAILED, as an *Error: places that can't be used, such as an unreadable netrc or a helper that fails; what the
// others gave comes with it. The error of ctx, where that ended.
func (f *Finder) Find(ctx context.Context, u giturl.URL) ([]Credential, error) {
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, nil
	}
	for _, part := range []string{userOf(u), u.Host, u.Port, u.Path} {
		if strings.IndexFunc(part, isControl) >= 0 {
			return nil, &Error{diag.New(CodeAuthentication, u.String(), "no credentials are looked for: the URL has a control character")}
		}
	}
	var found []Credential
	var problems []string
	for _, look := range []place{f.fromEnvironment, f.fromNetrc, f.fromHelpers} {
		creds, err := look(ctx, u)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, c := range creds {
			if !slices.ContainsFunc(found, func(o Credential) bool { return o.User == c.User && o.Password == c.Password }) {
				found = append(found, c)
			}
		}
	}
	if len(problems) > 0 {
		return found, &Error{diag.New(CodeAuthentication, u.String(), "not every place with credentials could be used: "+strings.Join(problems, "; "))}
	}
	return found, nil
}

// env is the value of a variable.
func (f *Finder) env(name string) string {
	if name == "HOME" {
		return f.Home
	}
	if f.Getenv == nil {
		return ""
	}
	return f.Getenv(name)
}

func (f *Finder) clock() time.Time {
	if f.now == nil {
		return time.Now()
	}
	return f.now()
}

// isPrivate reports whether a password for u can be read by nobody on the way.
func isPrivate(u giturl.URL) bool { return u.Scheme == "https" || giturl.IsLoopback(u.Host) }

// userOf is the user that the URL itself names; "" for none.
func userOf(u giturl.URL) string {
	user, _, _ := u.Login()
	return user
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// checked returns a credential whose parts can be sent: a line break in one of them would end up in a header.
func checked(c Credential) (Credential, error) {
	if strings.IndexFunc(c.User, isControl) >= 0 || strings.IndexFunc(c.Password, isControl) >= 0 {
		return Credential{}, fmt.Errorf("%s gives a user or password with a control character", c.From)
	}
	return c, nil
}
