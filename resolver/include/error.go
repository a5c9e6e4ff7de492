package include

import (
	"context"
	"errors"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

// Codes of an *Error.
const (
	CodeNotFound          = "ERR_INCLUDE_NOT_FOUND"
	CodeCycle             = "ERR_INCLUDE_CYCLE"
	CodeDepth             = "ERR_INCLUDE_DEPTH"
	CodeEscape            = "ERR_INCLUDE_ESCAPE"
	CodeDynamicUnresolved = "ERR_INCLUDE_DYNAMIC_UNRESOLVED"
	CodeIsADirectory      = "ERR_INCLUDE_IS_A_DIRECTORY"
	CodePermissionDenied  = "ERR_INCLUDE_PERMISSION_DENIED"
	CodeFilesystemLoop    = "ERR_INCLUDE_FILESYSTEM_LOOP"
	CodeTooLarge          = "ERR_INCLUDE_TOO_LARGE"
	CodeConfigRead        = "ERR_CONFIG_READ"
	CodeConfigParse       = "ERR_CONFIG_PARSE"
	CodeInvalidAuthority  = "INVALID_SOURCE_AUTHORITY"
)

// ErrTooLarge is what Files.Read returns for a file of more bytes than its limit.
var ErrTooLarge = errors.New("the file is too large")

// Error says why a text can't be resolved. Its path is the file that has to be looked at.
type Error struct {
	diag.Base

	// Chain is the names of the files that led to the fault, from the start file on; never nil, and empty for the start file
	// itself and for front matter. docs/includes.md says which file is the last for which code.
	Chain []string

	// Line is the line of that file, from 1, at which the directive begins; 0 where the fault is not about one directive.
	Line int
}

// Details returns the chain, for the document of the error.
func (e *Error) Details() []strictjson.Member {
	return []strictjson.Member{strictjson.F("include_chain", strictjson.Strs(e.Chain))}
}

// Fault is what is wrong with a path or a file by itself: what a Files returns.
type Fault struct {
	code, reason string
	err          error // the cause; may be nil
}

// NewFault returns an error with one of the codes of this package, or of the Files' own. reason completes a sentence that begins with the
// file: "is a folder; name a file".
func NewFault(code, reason string, cause error) *Fault { return &Fault{code, reason, cause} }

func (f *Fault) Error() string {
	if f.err != nil {
		return f.reason + ": " + f.err.Error()
	}
	return f.reason
}

// Code returns the code.
func (f *Fault) Code() string { return f.code }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.err }

// codeOf returns the code of an error of Files; ended reports that it is a context's.
func codeOf(err error) (code string, ended bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "", true
	}
	if errors.Is(err, ErrTooLarge) {
		return CodeTooLarge, false
	}
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		return coded.Code(), false
	}
	return CodeConfigRead, false
}

// newError makes the error about the file called name. The chain is shown where it says more than the name.
func newError(code, name, msg string, chain []string) *Error {
	if len(chain) > 1 {
		msg += " (the includes: " + shown(chain) + ")"
	}
	if chain == nil {
		chain = []string{}
	}
	return &Error{Base: diag.New(code, name, msg), Chain: chain}
}

// shown joins a chain for a message; of a long one the middle is left out.
func shown(chain []string) string {
	const most = 10
	if len(chain) > most {
		chain = append(append(append([]string{}, chain[:most/2]...), "..."), chain[len(chain)-most/2:]...)
	}
	return strings.Join(chain, " -> ")
}

// clip cuts a text of any length to what a message can hold.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
