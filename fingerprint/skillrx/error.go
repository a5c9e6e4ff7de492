package skillrx

import (
	"fmt"
	"strings"

	"example.org/compose/internal/strictjson"
)

// Codes of an *Error.
const (
	CodeCycle         = "ERR_INCLUDE_CYCLE"
	CodeMissing       = "ERR_INCLUDE_NOT_FOUND"
	CodeInvalidPath   = "SKILLRX_INVALID_PATH"
	CodeDuplicatePath = "SKILLRX_DUPLICATE_PATH"
	CodeInvalidJSON   = strictjson.CodeInvalidJSON
)

// Error says why there is no value.
type Error struct {
	// Chain leads from the root to where the fault is: of a cycle to the repeated file, of a missing file to
	// the one that includes it. Nil for faults of one file and of a context.
	Chain []string

	code, path, msg string
}

func (e *Error) Error() string {
	text := strings.TrimPrefix(e.path+": "+e.msg, ": ")
	if len(e.Chain) > 1 {
		text += fmt.Sprintf(" (%s)", strings.Join(e.Chain, " -> "))
	}
	return text
}

// Code returns one of the codes of this package.
func (e *Error) Code() string { return e.code }

// Path returns the file that the fault is in; "" for a context.
func (e *Error) Path() string { return e.path }

// Hint returns "".
func (e *Error) Hint() string { return "" }
