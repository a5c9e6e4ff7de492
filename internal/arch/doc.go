// Package arch holds no code but tests, which keep the rules of docs/architecture.md: which package may import
// which, which modules each may use, what a library must not do, and that docs/codes.md lists the codes of the
// source. Each rule also runs on testdata/house, a small module that breaks all of them, so that a rule that
// stopped finding anything fails too.
//
// A new package finds its place in layers (imports_test.go); a new dependency in modules, and in
// docs/dependencies.md with its reason.
package arch
