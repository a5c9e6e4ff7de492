// Package fingerprint uses a module that is not for it.
package fingerprint

import _ "github.com/alecthomas/kong"
