// Package treedigest computes one value for a folder of files: sha256-tree-v2, and the older value that
// came before it (docs/identities.md).
//
// Start with Open for a real folder or New for any fs.FS, then Digest. A value covers the relative path and the
// contents of every regular file, hidden ones and .git included; modes, times and empty folders are no
// part of it. A symlink, a path that is not UTF-8 and a file that changes while it is read are errors;
// FIFOs, sockets and devices are passed over and never opened.
//
// Files are read ahead on all cores and hashed in order; memory is bounded whatever their size. The
// package only reads. It imports the standard library and package fingerprint.
package treedigest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"example.org/compose/fingerprint"
)

// Algorithm names the current value in results, and begins its text form.
const Algorithm = "sha256-tree-v2"

// domain is the first part of what the current value hashes.
const domain = "fastskill content digest v2"

// Digest is the current value of a folder.
type Digest [sha256.Size]byte

// String returns sha256-tree-v2: and 64 lower-case hexadecimal digits.
func (d Digest) String() string { return Algorithm + ":" + hex.EncodeToString(d[:]) }

// Legacy is the older value of a folder. Two folders may share it, because it has no length before
// contents: it is compared with what was recorded once and never recorded anew.
type Legacy [sha256.Size]byte

// String returns 64 lower-case hexadecimal digits.
func (d Legacy) String() string { return hex.EncodeToString(d[:]) }

// Digest returns the current value. Errors: an *Error, or that of ctx.
func (t *Tree) Digest(ctx context.Context) (Digest, error) {
	files, err := t.list(ctx)
	if err != nil {
		return Digest{}, err
	}
	for _, f := range files {
		if !utf8.ValidString(f.path) {
			return Digest{}, &Error{code: CodeNameNotUTF8, path: strings.ToValidUTF8(f.path, "\uFFFD"), msg: "a name that is not UTF-8 has no portable spelling; rename it"}
		}
	}
	sortByPath(files)
	out := fingerprint.NewFraming()
	out.Text(domain)
	err = t.read(ctx, files, func(f *file, first bool, chunk []byte) {
		if first {
			out.Text(f.path)
			out.Uint64(uint64(f.size))
		}
		out.Write(chunk)
	})
	if err != nil {
		return Digest{}, err
	}
	return fingerprint.Sum[Digest](out), nil
}

// Legacy returns the older value. Errors are those of Digest, but a name that is not UTF-8 is hashed
// with U+FFFD in place of what is wrong.
func (t *Tree) Legacy(ctx context.Context) (Legacy, error) {
	files, err := t.list(ctx)
	if err != nil {
		return Legacy{}, err
	}
	out := fingerprint.NewFraming()
	err = t.read(ctx, files, func(f *file, first bool, chunk []byte) {
		if first {
			out.Text(strings.ReplaceAll(lossy(f.path), `\`, "/"))
		}
		out.Write(chunk)
	})
	if err != nil {
		return Legacy{}, err
	}
	return fingerprint.Sum[Legacy](out), nil
}

// Verdict says whether a folder is what a record says, and by which rule.
type Verdict uint8

// The verdicts.
const (
	Mismatch      Verdict = iota // another folder, or a record that is no digest
	Match                        // the current value
	MatchByLegacy                // the older value: worth a warning, and a new record
)

// Compare tells whether recorded is the value of the folder: in its current form, or in the older
// one of 64 bare digits. Neither form is ever spelled with upper case. Errors are those of Digest
// and Legacy, also where recorded has no known form.
func (t *Tree) Compare(ctx context.Context, recorded string) (Verdict, error) {
	if want, err := fingerprint.Parse[Legacy](recorded); err == nil {
		got, err := t.Legacy(ctx)
		if err != nil || got != want {
			return Mismatch, err
		}
		return MatchByLegacy, nil
	}
	got, err := t.Digest(ctx)
	if err != nil || got.String() != recorded {
		return Mismatch, err
	}
	return Match, nil
}
