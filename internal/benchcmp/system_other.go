//go:build !linux

package main

func flushAll(string)          {} // nothing in common to ask for
func spread(string)            {}
func fileSystem(string) string { return "file system not asked" }
