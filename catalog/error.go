package catalog

import (
	"context"
	"errors"
	"fmt"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Codes of an *Error. Those of reading a repository (INVALID_SOURCE, INVALID_REVISION, ...) are package gitrepo's,
// INVALID_JSON is strictjson's.
const (
	CodeDirtySource                  = "DIRTY_SOURCE"
	CodeReadFailed                   = "READ_FAILED"
	CodeSourceTooLarge               = "SOURCE_TOO_LARGE"
	CodeOldSourceRevisionUnavailable = gitrepo.CodeOldSourceRevisionUnavailable
	CodeSourceRevisionNotDescendant  = "SOURCE_REVISION_NOT_DESCENDANT"
	CodeSourceIdentityRequired       = "SOURCE_IDENTITY_REQUIRED"
	CodeSourceIdentityMismatch       = "SOURCE_IDENTITY_MISMATCH"
	CodeInvalidSourceAuthority       = "INVALID_SOURCE_AUTHORITY"
	CodeSourceLFSPointer             = "SOURCE_LFS_POINTER"
	CodeInvalidJSON                  = "INVALID_JSON"
	CodeSchemaValidationFailed       = schemas.CodeSchemaValidationFailed
	CodeInvalidCatalog               = "INVALID_CATALOG"
	CodeCatalogNotClosed             = "CATALOG_NOT_CLOSED"
	CodeInvalidComponent             = "INVALID_COMPONENT"
	CodeInvalidDestination           = "INVALID_DESTINATION"
	CodeReservedDestination          = "RESERVED_DESTINATION"
	CodeDestinationCollision         = "DESTINATION_COLLISION"
	CodeInvalidRecipe                = "INVALID_RECIPE"
	CodeUnknownComponent             = "UNKNOWN_COMPONENT"
	CodeDependencyCycle              = "DEPENDENCY_CYCLE"
	CodeGenericArtifactDependency    = "GENERIC_ARTIFACT_DEPENDENCY"
	CodeArtifactTopologyDependency   = "ARTIFACT_TOPOLOGY_DEPENDENCY"
	CodeMultipleArtifacts            = "MULTIPLE_ARTIFACTS"
	CodeCompositionStateRequired     = "COMPOSITION_STATE_REQUIRED"
	CodeUnknownGenerator             = "UNKNOWN_GENERATOR"
)

// Error says why a source or its catalog can't be used.
type Error struct {
	diag.Base
	file, pointer string
	chain         []string // of a fault of an include; else nil
	line          int      // of an include in the file; else 0
}

// Where returns what the error is about: a file or folder of the repository, and a JSON pointer into it.
// Either may be "". Path joins the two with "#".
func (e *Error) Where() (file, pointer string) { return e.file, e.pointer }

// Position returns the line and column in the file, from 1, of a fault that names them itself: in a text that is no JSON, and, without
// the column, at an include. Else both are 0, and the place is that of the pointer.
func (e *Error) Position() (line, column int) {
	if syntax := (*strictjson.Error)(nil); errors.As(e, &syntax) {
		return syntax.Line, syntax.Column
	}
	return e.line, 0
}

// Details returns the chain of includes that led to the fault, for the document of the error; nil where it is not one of an
// include.
func (e *Error) Details() []strictjson.Member {
	if e.chain == nil {
		return nil
	}
	return []strictjson.Member{strictjson.F("include_chain", strictjson.Strs(e.chain))}
}

// fault returns an error about a place in a file.
func fault(code, file, pointer, format string, args ...any) *Error {
	return &Error{Base: diag.New(code, join(file, pointer), fmt.Sprintf(format, args...)), file: file, pointer: pointer}
}

// faultOf is fault about a whole file, with the cause that another package found.
func faultOf(code, file, msg string, err error) *Error {
	return &Error{Base: diag.Wrap(code, file, msg, err), file: file}
}

func (e *Error) withHint(hint string) *Error {
	return &Error{Base: e.Base.WithHint(hint), file: e.file, pointer: e.pointer, chain: e.chain, line: e.line}
}

func join(file, pointer string) string {
	if pointer == "" {
		return file
	}
	return file + "#" + pointer
}

// unreadable turns what package gitrepo says about an object into an error about the file that it is for. A
// context that ended stays what it is.
func unreadable(file string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	code, hint := CodeReadFailed, ""
	if coded := diag.Coded(nil); errors.As(err, &coded) {
		code, hint = coded.Code(), coded.Hint()
	}
	return faultOf(code, file, "can't be read", err).withHint(hint)
}

// Identity returns the source's identity: the catalog's own repository or the given one ("" for none).
//
// SOURCE_IDENTITY_REQUIRED: there is neither, or the given one has not the form of one.
// SOURCE_IDENTITY_MISMATCH: they differ.
func (c *Catalog) Identity(given string) (string, error) {
	if given != "" {
		if err := lockv2.CheckRepository(given); err != nil {
			return "", fault(CodeSourceIdentityRequired, "", "", "the identity that was given for the source %v", err)
		}
	}
	switch {
	case c.Repository == "" && given == "":
		return "", fault(CodeSourceIdentityRequired, IndexPath, "", `names no "repository"; add one, such as "example-org/templates", or give it with the command`).
			withHint("--repository example-org/templates")
	case c.Repository == "":
		return given, nil
	case given != "" && given != c.Repository:
		return "", fault(CodeSourceIdentityMismatch, IndexPath, "/repository", "the catalog is %q and %q was given; leave that out, or open the right source", c.Repository, given)
	}
	return c.Repository, nil
}
