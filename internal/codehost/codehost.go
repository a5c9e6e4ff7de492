// Package codehost writes the faults of a target in the forms that code hosts show beside a change: SARIF and workflow
// commands for GitHub, a code quality report for GitLab.
//
// Start with Find, which gives every fault a place, and hand its result to SARIF, GitHub or GitLab. A place is always one that a
// host can open: a modified file is shown itself, at its first line; what is missing, or is no file, is shown where the lock asks for
// it. A fingerprint stays the same while a fault stands, whatever changes around it, so that a host tells an old fault from a new one.
//
// The package opens nothing but the lock and the policy below the root that it is given. The same findings give the same bytes.
// Formats: SARIF 2.1.0 (OASIS), GitHub's workflow commands, GitLab's subset of Code Climate; docs/ci.md says which to use.
package codehost

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/policy"
	"example.org/compose/validator"
)

// Finding is a fault with the place where a code host shows it.
type Finding struct {
	Code        string
	Message     string // valid UTF-8; names the file where Path is another one
	Path        string // "/"-separated, relative to the folder that prefix is relative to; bytes of a prefix may be no UTF-8
	Line        int    // from 1
	Column      int    // from 1, in code points; 0 where the line as a whole is meant
	Fingerprint string // 64 lower-case hexadecimal digits, unique among the findings of one target
}

// Find returns a finding for each fault of a report, in the report's order. prefix is the target's own path within the
// repository, "/"-separated, "" where it is the repository's root. root is the target, nil where it can't be opened: then
// every line is 1, as it is where a file can't be read again.
func Find(report *validator.Report, root *rootfs.Root, prefix string) []Finding {
	p := placer{root: root, lock: report.Lock, texts: map[lockv2.Destination]*text{}}
	places := make([]*place, len(report.Faults))
	for i := range report.Faults {
		places[i] = p.place(&report.Faults[i])
	}
	p.locate()
	findings := make([]Finding, len(report.Faults))
	seen := map[string]int{}
	for i := range report.Faults {
		f, at := &report.Faults[i], places[i]
		message := f.Message
		if f.Destination != "" && f.Destination != at.file {
			message = string(f.Destination) + ": " + message
		}
		findings[i] = Finding{
			Code: f.Code, Message: strings.ToValidUTF8(message, "\uFFFD"),
			Path: join(prefix, at.file), Line: max(at.line, 1), Column: at.column,
			Fingerprint: fingerprint(seen, prefix, f),
		}
	}
	return findings
}

func join(prefix string, file lockv2.Destination) string {
	if prefix == "" {
		return string(file)
	}
	return prefix + "/" + string(file)
}

// fingerprint hashes what makes a fault the same one later: no line, digest or text is part of it. seen counts those that are
// alike up to there.
func fingerprint(seen map[string]int, prefix string, f *validator.Fault) string {
	key := strings.Join([]string{"compose-fault-v1", f.Code, prefix, string(f.Destination), f.Pointer}, "\x00")
	seen[key]++
	key += strings.Repeat("\x00again", seen[key]-1)
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// bound is how much of a file is read to find lines in it.
func bound(file lockv2.Destination) int64 {
	if file == policy.Path {
		return policy.MaxSize
	}
	return lockv2.MaxSize
}
