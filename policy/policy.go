// Package policy reads .template-composition/policy.json of a target: which catalogs a person allows there. It uses the standard
// library alone, because the consumer's own validator checks it too.
package policy

// Policy is what a target allows. An empty list does not restrict.
type Policy struct {
	Repositories []string // identities, such as example-org/templates
	Sources      []string // URLs, patterns that end in "/*", builtin:starter, or "local" for any repository on disk
	Signers      []string // lines of git's allowed-signers format
	OpenPGP      []string // armored keys
}
