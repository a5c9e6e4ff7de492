// Package signature verifies who signed a commit: SSH signatures against git's allowed-signers format, and OpenPGP
// signatures against keyrings. No program is asked, and no clock.
//
// Start with Parse, then Verify. A list says who may sign: allowed signers as text, or OpenPGP keys. A commit is
// accepted when its signature fits its bytes, was made by a key of a list, and that key was valid at the commit's
// time, which is the committer's. The signer wrote that time: who holds an expired key can still sign with an old date,
// so a key that is lost belongs out of the list, or revoked.
//
// It is as strict as git with ssh-keygen or gpg, or stricter; a table in the tests has every difference. The one thing that is
// judged more leniently: an OpenPGP key that is expired by now may have signed before. A time in a list without Z
// is UTC here, where ssh-keygen takes the local zone: the answer is the same on every machine.
//
// Formats: PROTOCOL.sshsig and PROTOCOL.certkeys of OpenSSH; ssh-keygen(1), ALLOWED SIGNERS; RFC 9580;
// gitformat-signature(5).
package signature

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/compose/internal/diag"
)

// Codes of an *Error.
const (
	CodeNotSigned      = "COMMIT_NOT_SIGNED"
	CodeInvalid        = "SIGNATURE_INVALID"  // it is malformed, of another namespace, or does not fit the commit
	CodeNotAllowed     = "SIGNER_NOT_ALLOWED" // the key is in no list
	CodeNotValid       = "SIGNER_NOT_VALID"   // the key is listed, and was not valid at the commit's time, or is revoked
	CodeInvalidSigners = "INVALID_SIGNERS"    // the list can't be read
)

// Bounds, in bytes.
const (
	MaxSigners   = 1 << 20 // of one list
	maxSignature = 64 << 10
	maxCommit    = 16 << 20
)

// Error says why a commit is not accepted, or a list can't be read.
type Error struct{ diag.Base }

// Signers are those who may sign; the zero value is nobody. Several lists are joined with Add; a commit needs one of
// them. Calls of Verify may overlap.
type Signers struct {
	ssh []*allowed
	pgp []*pgpKey
}

// Add joins the signers of another list to s. What the copies of one OpenPGP key say counts together.
func (s *Signers) Add(other *Signers) {
	s.ssh = append(s.ssh, other.ssh...)
	s.pgp = append(s.pgp, other.pgp...)
}

// Signer is who signed.
type Signer struct {
	Principal   string    // of the list, or of the certificate; of OpenPGP the primary user id; quoted where it can't be shown as it is
	Fingerprint string    // SHA256:... of ssh; upper-case hex of the OpenPGP key, the primary one
	Time        time.Time // of the commit (the committer's), at which the key had to be valid; UTC
}

// Verify makes sure that raw, the exact bytes of the commit object of that id (hex), carries a valid signature of one
// of s. Both the signature and the committer's time come from raw.
//
// Errors, in this order: an *Error with COMMIT_NOT_SIGNED; SIGNATURE_INVALID; SIGNER_NOT_ALLOWED; SIGNER_NOT_VALID.
// An OpenPGP signature of a key that no list holds can't be checked, and is SIGNER_NOT_ALLOWED. Else the error is ctx's.
func (s *Signers) Verify(ctx context.Context, id string, raw []byte) (Signer, error) {
	if err := ctx.Err(); err != nil {
		return Signer{}, err
	}
	signer, no := s.verify(id, raw)
	if no != nil {
		return Signer{}, &Error{diag.New(no.code, id, no.msg)}
	}
	if strings.ContainsFunc(signer.Principal, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(signer.Principal) {
		signer.Principal = strconv.QuoteToASCII(signer.Principal)
	}
	return signer, nil
}

func (s *Signers) verify(id string, raw []byte) (Signer, *refusal) {
	c, no := split(id, raw)
	if no != nil {
		return Signer{}, no
	}
	switch {
	case begins(c.signature, sshLabel):
		return s.verifySSH(c)
	case begins(c.signature, pgpSignature):
		return s.verifyPGP(c)
	case begins(c.signature, "SIGNED MESSAGE"):
		return Signer{}, invalid("the commit carries an X.509 signature, which is not supported; sign it with an SSH or OpenPGP key")
	}
	return Signer{}, invalid("the commit's signature is of no known kind: want an SSH or OpenPGP signature in armor")
}

// refusal says why a commit is not accepted.
type refusal struct{ code, msg string }

func invalid(format string, args ...any) *refusal {
	return &refusal{CodeInvalid, fmt.Sprintf(format, args...)}
}

func notAllowed(format string, args ...any) *refusal {
	return &refusal{CodeNotAllowed, fmt.Sprintf(format, args...)}
}

func notValid(format string, args ...any) *refusal {
	return &refusal{CodeNotValid, fmt.Sprintf(format, args...)}
}

// worst returns the refusal that says more: a list may hold a key several times, and only the nearest miss is told.
func worst(a, b *refusal) *refusal {
	weight := func(r *refusal) int {
		switch {
		case r == nil:
			return 0
		case r.code == CodeNotAllowed:
			return 1
		case r.code == CodeNotValid:
			return 2
		}
		return 3
	}
	if weight(b) > weight(a) {
		return b
	}
	return a
}
