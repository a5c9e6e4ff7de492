// Package signature verifies who signed a commit: SSH signatures against git's allowed-signers format, and OpenPGP signatures against
// keyrings.
//
// Formats: PROTOCOL.sshsig of OpenSSH; ssh-keygen(1), ALLOWED SIGNERS; RFC 9580; gitformat-signature(5).
package signature

import (
	"context"
	"time"

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

// Error says why a commit is not accepted.
type Error struct{ diag.Base }

// Signers are those who may sign. Several lists are joined with Add; a commit needs one of them.
type Signers struct{}

// Parse reads a list: allowed signers as text, or one or several OpenPGP keys, armored or not. name is for messages.
func Parse(name string, text []byte) (*Signers, error) { panic("to be written") }

// Add joins the signers of another list to s.
func (s *Signers) Add(other *Signers) { panic("to be written") }

// Signer is who signed.
type Signer struct {
	Principal   string    // of the list; of OpenPGP the primary user id
	Fingerprint string    // SHA256:... of ssh; hex of OpenPGP
	Time        time.Time // of the commit (the committer's), at which the key had to be valid
}

// Verify makes sure that raw, the exact bytes of the commit object of that id (hex), carries a valid signature of one of s. Both gpgsig and the
// committer's time come from raw. Errors: the codes above but INVALID_SIGNERS.
func (s *Signers) Verify(ctx context.Context, id string, raw []byte) (Signer, error) {
	panic("to be written")
}
