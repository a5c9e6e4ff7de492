// Package scaffold makes what a person starts from: a catalog of one's own, components and recipes in it, and a
// configuration.
//
// Start with NewCatalog, or with OpenTree and its NewComponent and NewRecipe, for files to write; with Draft for a
// configuration; and with Write, which brings files into a folder that may hold others: all of them or none, and over
// nothing that is there.
//
// Whatever is made keeps the rules of docs/catalog.md, so that `compose catalog check` finds no fault in it once it is
// committed. An index is changed where it has to be and nowhere else; how its author lays it out stays.
//
// Nothing here runs git, and nothing but Write touches a disk. A draft is no verdict: package resolver says whether the
// choice holds.
package scaffold

import (
	"fmt"

	"example.org/compose/internal/diag"
)

// Codes of an *Error.
const (
	CodeFileExists       = "FILE_EXISTS"
	CodeComponentExists  = "COMPONENT_EXISTS"
	CodeRecipeExists     = "RECIPE_EXISTS"
	CodeInvalidTarget    = "INVALID_TARGET"
	CodeInvalidCatalog   = "INVALID_CATALOG"
	CodeInvalidComponent = "INVALID_COMPONENT"
	CodeInvalidRecipe    = "INVALID_RECIPE"
	CodeUnknownComponent = "UNKNOWN_COMPONENT"
	CodeParameterInvalid = "PARAMETER_INVALID"
	CodeReadFailed       = "READ_FAILED"
	CodeWriteFailed      = "WRITE_FAILED"
	CodeIdentity         = "SOURCE_IDENTITY_REQUIRED"
)

// Error says why something can't be made. What was there stays as it was.
type Error struct{ diag.Base }

func fault(code, path, format string, args ...any) *Error {
	return &Error{diag.New(code, path, fmt.Sprintf(format, args...))}
}

func (e *Error) withHint(hint string) *Error { return &Error{e.WithHint(hint)} }

// File is a file to write, with the mode of a plain one.
type File struct {
	Path    string // below the folder, "/"-separated
	Content []byte

	// Replaces is what the file takes the place of, exactly; nil where nothing may be there.
	Replaces []byte
}
