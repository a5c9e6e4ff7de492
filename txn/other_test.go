//go:build !unix

package txn_test

import "io/fs"

func identity(fs.FileInfo) string { return "" }
