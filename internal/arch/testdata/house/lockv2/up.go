// Package lockv2 imports upwards.
package lockv2

import (
	_ "example.org/compose/fingerprint"
	_ "example.org/compose/planner"
)
