// Package resolver turns a consumer's choice into the sorted list of components that a composition
// holds. It is pure: a checked catalog and a configuration in, ids out.
//
// Start with ParseConfig (or FromSelection) and Resolve.
//
// Terms: a recipe always selects its artifact and its required components, selects its default components
// unless they are excluded, and offers its optional ones; what it names at all is exposed. The closure is
// what is selected and everything that it requires, at any depth.
//
// The same catalog and intent give the same ids, and where several things are wrong, the same one is
// reported: the order in which faults are looked for is part of the contract (docs/resolution.md).
package resolver

import (
	"fmt"
	"slices"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Bounds of a configuration.
const (
	MaxConfig      = catalog.MaxFile // bytes
	MaxConfigDepth = 32              // nesting, so that every lock and marker made from it can be read
)

// Codes of an *Error.
const (
	CodeInvalidConfig              = "INVALID_CONFIG"
	CodeInvalidJSON                = "INVALID_JSON"
	CodeSchemaValidationFailed     = schemas.CodeSchemaValidationFailed
	CodeUnknownRecipe              = "UNKNOWN_RECIPE"
	CodeSelectionOverlap           = "SELECTION_OVERLAP"
	CodeComponentNotExposed        = "COMPONENT_NOT_EXPOSED"
	CodeRequiredComponentExcluded  = "REQUIRED_COMPONENT_EXCLUDED"
	CodeExcludedDependency         = "EXCLUDED_DEPENDENCY"
	CodeComponentConflict          = "COMPONENT_CONFLICT"
	CodeParameterUnresolved        = "PARAMETER_COMPONENT_UNRESOLVED"
	CodeParameterInvalid           = "PARAMETER_INVALID"
	CodeMultipleTopologyComponents = "MULTIPLE_TOPOLOGY_COMPONENTS"
	CodeMultipleWorkspaces         = "MULTIPLE_WORKSPACE_COMPONENTS"
)

// Error says why a configuration can't be read or a selection can't be resolved.
type Error struct {
	diag.Base
	Components []lockv2.ComponentID // those involved, sorted; may be empty
}

func fault(code, path string, involved []lockv2.ComponentID, format string, args ...any) *Error {
	involved = slices.Clone(involved)
	slices.Sort(involved)
	return &Error{diag.New(code, path, fmt.Sprintf(format, args...)), slices.Compact(involved)}
}

func (e *Error) withHint(format string, args ...any) *Error {
	return &Error{e.WithHint(fmt.Sprintf(format, args...)), e.Components}
}
