//go:build !windows

package screen

import "os"

// understandsEscapes reports whether a terminal understands the escape sequences of ECMA-48.
func understandsEscapes(*os.File) bool { return true }
