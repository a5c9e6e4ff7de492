package gitwire

import (
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
)

// Codes of an *Error. Those of ssh (SOURCE_HOST_KEY_REFUSED, ...) are package gitssh's.
const (
	CodeUnreachable     = "SOURCE_UNREACHABLE"           // no route, name, connection or TLS session; a stall; a lost connection
	CodeNotFound        = "SOURCE_NOT_FOUND"             // the server knows no such repository, or shows it to nobody unknown
	CodeAuthentication  = "SOURCE_AUTHENTICATION_FAILED" // credentials are missing or were refused
	CodeRedirect        = "SOURCE_REDIRECT_REFUSED"      // to http from https, to another service, or too many
	CodeResponseInvalid = "SOURCE_RESPONSE_INVALID"      // what came is not git's protocol
	CodeTooLarge        = "SOURCE_TOO_LARGE"             // past a bound
	CodeInvalidRevision = "INVALID_REVISION"             // the server has no such object, or does not give it out
	CodeInvalidSource   = giturl.CodeInvalidSource       // a repository of another object format
)

// Error says why a server could not be used. It shows no secret.
type Error struct{ diag.Base }

// fault is an Error about a repository, which name shows without secrets.
func fault(code, name, format string, args ...any) *Error {
	return &Error{diag.New(code, name, fmt.Sprintf(format, args...))}
}

// maxSaid bounds what is shown of a server's words, in letters.
const maxSaid = 300

// said is what a server says by itself, fit for a terminal.
func said(text string) string { return diag.Printable(text, maxSaid) }

// refusal is what a server that speaks the protocol says instead of an answer.
func refusal(name, text string) *Error {
	text = said(text)
	lower := strings.ToLower(text)
	switch {
	case containsAny(lower, "not our ref", "unadvertised object") || strings.HasPrefix(lower, "want ") && strings.Contains(lower, "not valid"):
		return fault(CodeInvalidRevision, name, "the server has no such object, or does not give it out (it says %q); check the revision, and that a branch or tag leads to it", text)
	case saysNotFound(lower):
		return fault(CodeNotFound, name, "the server knows no such repository, or does not give it out (it says %q); check the path", text)
	}
	return fault(CodeResponseInvalid, name, "the server refused (it says %q)", text)
}

// saysNotFound knows the words of git, its daemon and the great hosts.
func saysNotFound(lower string) bool {
	return containsAny(lower, "repository not exported", "not appear to be a git repository", "repository not found", "project not found", "could not be found",
		"no such repository", "no such file or directory", "repository does not exist", "project you were looking for")
}

func containsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
