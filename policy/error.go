package policy

import (
	"strconv"
	"strings"
)

// Codes of an *Error.
const (
	CodeInvalidPolicy        = "INVALID_POLICY"
	CodeRepositoryNotAllowed = "SOURCE_IDENTITY_NOT_ALLOWED"
)

// Error says why a policy can't be used, or what it does not allow.
type Error struct {
	Pointer string // JSON pointer into the policy, such as /signers/0; "" for the whole

	code string
	file string // the policy
	msg  string // lower case, no final period
}

func (e *Error) Error() string { return e.Path() + ": " + e.msg }

// Code returns one of the codes above.
func (e *Error) Code() string { return e.code }

// Path returns the policy's file and the pointer, as FILE#/pointer.
func (e *Error) Path() string {
	if e.Pointer == "" {
		return e.file
	}
	return e.file + "#" + e.Pointer
}

// Hint returns "": the message says what to do.
func (e *Error) Hint() string { return "" }

// Message returns what is wrong and what to do, without the place.
func (e *Error) Message() string { return e.msg }

// Unusable returns the *Error, INVALID_POLICY, for a policy that could not be read: msg says what stands in its place.
func Unusable(name, msg string) *Error {
	return &Error{code: CodeInvalidPolicy, file: name, msg: msg}
}

// quote shows a text of any length in a message.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return strconv.Quote(s)
}
