package gitssh

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"example.org/compose/internal/diag"
	"golang.org/x/crypto/ssh"
)

// Error says why there is no session. It shows no secret.
type Error struct{ diag.Base }

// ExitError says that the command ended without success. It comes in the place of io.EOF.
type ExitError struct {
	Status int    // 128 and more for a signal, as in a shell
	Signal string // without "SIG"; "" for none
	Stderr string // what the command said, printable
}

func (e *ExitError) Error() string {
	text := "the remote command ended with status " + strconv.Itoa(e.Status)
	if e.Signal != "" {
		text = "the remote command was ended by the signal " + e.Signal
	}
	if e.Stderr != "" {
		text += ", and said " + strconv.Quote(e.Stderr)
	}
	return text
}

// errNoUser says that nobody named the user to be on the server.
var errNoUser = errors.New("no user is named and USER is not set; write the user into the URL, as in git@HOST")

// proxyError says that the host is behind a program that is not run.
type proxyError struct{ where, keyword string }

func (e *proxyError) Error() string {
	name := map[string]string{"proxyjump": "ProxyJump", "proxycommand": "ProxyCommand"}[e.keyword]
	return e.where + " asks for " + name + ", which needs the ssh program"
}

const cloneHint = `clone the repository with git and name the clone's path as the source`

// refusalKind says what is wrong with a host key.
type refusalKind uint8

const (
	unknownKey refusalKind = iota
	changedKey
	revokedKey
)

// refusal is a host key that is not accepted.
type refusal struct {
	kind  refusalKind
	key   ssh.PublicKey
	where string     // the line that speaks against it
	known []knownKey // the keys that would be accepted
	cert  error      // why its certificate does not help; nil for none
}

func (r *refusal) base(path string, s *settings) diag.Base {
	shows := fmt.Sprintf("the server %s showed the host key %s (%s)", s.shown(), fingerprint(r.key), r.key.Type())
	if r.cert != nil {
		shows += "; " + r.cert.Error()
	}
	switch r.kind {
	case revokedKey:
		return diag.New(CodeHostKey, path, shows+", which "+r.where+" revokes; do not connect, and ask who runs the server")
	case changedKey:
		var known []string
		for _, k := range r.known {
			known = append(known, fmt.Sprintf("%s (%s, %s)", fingerprint(k.key), k.key.Type(), k.where))
		}
		return diag.New(CodeHostKey, path, shows+", and known is "+strings.Join(known, ", ")+
			"; somebody may be in between: ask who runs the server, and only if the key was changed on purpose take the old one out").
			WithHint("ssh-keygen -R " + shellWord(s.keyName))
	}
	port := ""
	if s.port != "22" {
		port = "-p " + s.port + " "
	}
	return diag.New(CodeHostKey, path, shows+", which is not among the known hosts; compare it with what the server's operator publishes, then add it").
		WithHint("ssh-keyscan " + port + "-t " + scanType(r.key) + " " + shellWord(s.host) + " >> ~/.ssh/known_hosts")
}

// scanType is the type of a key as ssh-keyscan -t takes it.
func scanType(key ssh.PublicKey) string {
	switch kind := key.Type(); {
	case kind == ssh.KeyAlgoED25519:
		return "ed25519"
	case strings.HasPrefix(kind, "ecdsa-"):
		return "ecdsa"
	case kind == ssh.KeyAlgoRSA:
		return "rsa"
	}
	return key.Type()
}

// shellWord quotes what a shell would take apart.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-._:", r))
	}
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
