package validator_test

import (
	"crypto/sha256"

	"example.org/compose/fingerprint"
)

func digest(b []byte) fingerprint.Material { return fingerprint.Material(sha256.Sum256(b)) }
