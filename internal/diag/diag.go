// Package diag is the base of the error types of the packages above the ground (catalog,
// resolver, planner, txn): a code that programs branch on, what it is about, what is wrong, and
// what to do next. Each of those packages embeds Base in its own Error type and adds the fields
// that its callers need.
//
// The ground packages (strictjson, rootfs, lockv2, validator) share nothing with this package;
// their errors have the same methods, and cmd/compose renders any of them through Coded.
package diag

import "strings"

// Coded is what every error of this module offers to a reader.
type Coded interface {
	error
	Code() string // a code of docs/codes.md
	Path() string // what it is about: an id, a destination, or FILE#/json/pointer; may be ""
	Hint() string // a further step worth showing alone, such as a command; often ""
}

// Base carries what Coded asks for. The zero value is not useful; use New or Wrap.
type Base struct {
	code, path, msg, hint string
	err                   error
}

// New returns a Base. msg says what is wrong and what to do, in lower case and without a final period.
func New(code, path, msg string) Base { return Base{code: code, path: path, msg: msg} }

// Wrap is New with the cause that another package found; its text is added to the message.
func Wrap(code, path, msg string, err error) Base {
	return Base{code: code, path: path, msg: msg, err: err}
}

// WithHint returns b with a further step, such as a command ready to copy.
func (b Base) WithHint(hint string) Base {
	b.hint = hint
	return b
}

func (b Base) Error() string {
	text := strings.TrimPrefix(b.path+": "+b.msg, ": ")
	if b.err != nil {
		text += ": " + b.err.Error()
	}
	return text
}

func (b Base) Code() string  { return b.code }
func (b Base) Path() string  { return b.path }
func (b Base) Hint() string  { return b.hint }
func (b Base) Unwrap() error { return b.err }
