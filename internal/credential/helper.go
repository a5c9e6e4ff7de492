package credential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
)

// fromHelpers asks the helpers one after the other until one has a password, as git does.
func (f *Finder) fromHelpers(ctx context.Context, u giturl.URL) ([]Credential, error) {
	cfg, err := f.gitConfig()
	if err != nil {
		return nil, err
	}
	h := helperConfigOf(cfg, u)
	user := cmp.Or(userOf(u), h.username)
	if strings.IndexFunc(user, isControl) >= 0 {
		return nil, errors.New("credential.username of git's configuration has a control character")
	}
	var problems []error
	for _, helper := range h.helpers {
		from := "git's helper " + helperName(helper)
		answer, err := f.ask(ctx, helper, request(u, user, h.usePath))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		user = cmp.Or(answer.user, user)
		if answer.password != "" {
			c, err := checked(Credential{User: user, Password: answer.password, From: from})
			if err == nil {
				return []Credential{c}, joined(problems)
			}
			problems = append(problems, err)
		} else if err != nil {
			problems = append(problems, fmt.Errorf("%s %w", from, err))
		}
		if answer.quit {
			problems = append(problems, fmt.Errorf("%s says to ask no other", from))
			break
		}
	}
	return nil, joined(problems)
}

// gitConfig reads git's configuration of system and user.
func (f *Finder) gitConfig() (*gitconfig.Config, error) {
	cfg, file, err := gitconfig.Load(f.env, f.Home)
	if err != nil {
		return nil, fmt.Errorf("the git configuration %s can't be read: %w", strconv.Quote(f.short(file)), plainfile.Cause(err))
	}
	return cfg, nil
}

func (f *Finder) short(path string) string {
	if rest, ok := strings.CutPrefix(path, f.Home+string(filepath.Separator)); ok && f.Home != "" {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

// helperName is a helper for messages. What follows its name may be a secret, and a shell command often has one.
func helperName(helper string) string {
	if strings.HasPrefix(helper, "!") {
		return "(a shell command)"
	}
	name, _, _ := strings.Cut(filepath.ToSlash(helper), " ")
	name = name[strings.LastIndexByte(name, '/')+1:]
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	}
	if name == "" || strings.IndexFunc(name, odd) >= 0 {
		return "(a program)"
	}
	return name
}

// request is what a helper is told. No part has a line break, or a hostile URL could ask for the password of another host.
//
// Format: git-credential(1). No capability is named, so that the answer is a user and a password.
func request(u giturl.URL, user string, usePath bool) string {
	text := "protocol=" + u.Scheme + "\nhost=" + u.HostPort() + "\n"
	if usePath {
		text += "path=" + strings.TrimPrefix(u.Path, "/") + "\n"
	}
	if user != "" {
		text += "username=" + user + "\n"
	}
	return text + "\n"
}

// answer is what a helper says.
type answer struct {
	user, password string
	quit           bool
}

var errNoAnswer = errors.New("answers with something other than NAME=VALUE")

// parseAnswer reads a helper's lines; now is Unix time, and a password that expired before it counts for nothing. An error
// shows nothing of text.
func parseAnswer(text string, now int64) (answer, error) {
	var a answer
	var expired bool
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return answer{quit: a.quit}, errNoAnswer
		}
		switch name {
		case "username":
			a.user = value
		case "password":
			a.password = value
		case "quit":
			on, known := gitconfig.ParseBool(value)
			a.quit = on && known
		case "password_expiry_utc":
			end, err := strconv.ParseInt(value, 10, 64)
			expired = err == nil && end < now
		}
	}
	if expired {
		a.password = ""
	}
	return a, nil
}
