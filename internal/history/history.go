// Package history finds the revision of a catalog that last changed a file.
package history
