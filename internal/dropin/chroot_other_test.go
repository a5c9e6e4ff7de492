//go:build !linux

package dropin_test

import "testing"

func runImage(t *testing.T, root, entry string) { t.Skip("images are of Linux") }
