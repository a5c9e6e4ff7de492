package main

import "golang.org/x/sys/unix"

// flush makes all of the folder's file system durable.
func flush(folder string) error { return on(folder, unix.Syncfs) }
