// The validator of a composed repository. It checks the files here against
// .template-composition/lock.json, and needs nothing but a Go toolchain, 1.24 or newer:
//
//	go run .template-composition/validate.go [--json] [ROOT]
//
// ROOT is the folder that holds .template-composition; without it, the current one. A managed or
// generated file must have the bytes that the lock records; a seed must be there; a policy.json beside
// the lock must be one that can be read, and one that allows the lock's repository. Every fault is
// reported, nothing is written, no symlink is followed. With --json the answer is the document that
// `compose validate --format json` prints. Exit status: 0 valid, 2 anything else; go run turns the
// 2 into a 1 of its own.
//
// The folder's name starts with a dot, so that go build ./... does not see this file. It is compose's own
// package validator, and what it stands on, written into one file; the standard library is all it needs.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/compose/internal/strictjson"
	"example.org/compose/validator"
)

const usage = "usage: go run .template-composition/validate.go [--json] [ROOT]"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var roots []string
	asJSON, flags := false, true
	for _, arg := range args {
		switch {
		case !flags || !strings.HasPrefix(arg, "-"):
			roots = append(roots, arg)
		case arg == "--":
			flags = false
		case arg == "--json" || arg == "-json":
			asJSON = true
		case arg == "--help" || arg == "-help" || arg == "-h":
			fmt.Fprintln(stdout, usage)
			return 0
		default:
			fmt.Fprintf(stderr, "unknown flag %q\n%s\n", arg, usage)
			return 2
		}
	}
	if len(roots) > 1 {
		fmt.Fprintf(stderr, "more than one folder: %q\n%s\n", roots, usage)
		return 2
	}
	root := "."
	if len(roots) == 1 {
		root = roots[0]
	}
	report, err := validator.Validate(context.Background(), root)
	if err == nil && asJSON {
		_, err = stdout.Write(strictjson.Encode(report.Document()))
	} else if err == nil {
		err = report.WriteText(stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, err)
	case report.OK():
		return 0
	}
	return 2
}
