// Package include resolves texts that include each other by lines such as `@<parts/head.md>`
// (docs/includes.md).
//
// Start with Resolve, over a Folder for real folders or over any other Files. It gives a Composition: the
// expanded text (Open), the resolved manifest for package scsha (Manifest), and the evidence and value of
// package skillrx (Tree). There are two profiles of one rule: the public one, whose values other tools
// reproduce, and the one that makes material bytes.
//
// Each file is read, hashed and scanned once, however often it is included; the text of an expansion is never
// held, only that of the files. Resolve and Tree take time and memory linear in files and includes, whatever the
// shape. Text and manifest are as long as the expansion, so they are refused beyond MaxExpansions or MaxText,
// before any of it is made. Nothing outside the root and the allowed roots is opened, and nothing blocks.
//
// Errors are *Error: a code, and the chain of files that led there. They are the same on every machine: the first
// fault that a reader of the expansion would meet, but that a text which is too long comes after all other faults.
package include

import (
	"context"
	"path"
	"strconv"
)

// Profile is a rule.
type Profile string

// The profiles.
const (
	Public    Profile = "sc-compose" // the public rule: front matter is taken off, conditionals expand both branches
	Materials Profile = "include-v1" // composed materials: bytes are what they are, targets are looked up in partials/ too
)

// Bounds of a composition.
const (
	DefaultDepth  = 32        // the start file has depth 0
	MaxDepth      = 128       // whatever Options.Depth says
	MaxExpansions = 1_000_000 // includes of an expansion
	MaxText       = 256 << 20 // bytes of an expansion, and of all its files together
)

// Options say how to resolve. The zero value is the public rule with DefaultDepth.
type Options struct {
	Profile Profile // "" means Public
	Depth   int     // 0 means DefaultDepth; -1 lets the start file include nothing; more than MaxDepth is MaxDepth
}

func (o Options) depth() int {
	switch {
	case o.Depth == 0:
		return DefaultDepth
	case o.Depth < 0:
		return 0
	}
	return min(o.Depth, MaxDepth)
}

// Place is where a file lies: in the root, or in an allowed root, under its canonical path.
type Place struct {
	Root int    // 0 is the root, i+1 is allowed root i
	Path string // relative to Root, / between names, without symlinks and dots; "." is Root itself
}

// Source returns what manifests call the place: the path, in allowed root i below "allowed-root-<i>".
func (p Place) Source() string {
	if p.Root == 0 {
		return p.Path
	}
	return path.Join("allowed-root-"+strconv.Itoa(p.Root-1), p.Path)
}

// folder returns the place of the folder that holds p.
func (p Place) folder() Place { return Place{p.Root, path.Dir(p.Path)} }

// Files is where texts are read from. An error of its own that has a method Code keeps that code in the
// *Error of Resolve; any other is ERR_CONFIG_READ; those of a context stay as they are.
type Files interface {
	// Locate finds what stands at target, as a directive has it, seen from the folder base. It follows what is to be
	// followed, and judges the result: ERR_INCLUDE_ESCAPE outside every root, also for what does not exist and would
	// be outside; ERR_INCLUDE_NOT_FOUND where nothing is there. A folder is found like a file.
	Locate(ctx context.Context, base Place, target string) (Place, error)

	// Read returns the bytes of the file at a place that Locate found. ErrTooLarge: it has more than limit.
	Read(ctx context.Context, place Place, limit int64) ([]byte, error)

	// Name returns what chains and messages call a place.
	Name(place Place) string
}
