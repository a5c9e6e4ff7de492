// Package docs holds the pages that the program itself shows parts of.
package docs

import _ "embed"

// Codes is the page of codes.
//
//go:embed codes.md
var Codes string
