package signature_test

import (
	"bytes"
	"crypto"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/signature"
	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Key rings that gpg does not write by itself.
func TestCraftedKeyRings(t *testing.T) {
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return time.Unix(commitTime, 0) },
		NonDeterministicSignaturesViaNotation: packet.BoolPointer(false)}
	entity := func(name string) *openpgp.Entity {
		e, err := openpgp.NewEntity(name, "", name+"@example.org", config)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	alice, bob := entity("alice"), entity("bob")
	raw := func(config *packet.Config) string {
		var out bytes.Buffer
		if err := openpgp.ArmoredDetachSign(&out, alice, strings.NewReader(payload(commitTime)), config); err != nil {
			t.Fatal(err)
		}
		return signedBy(payload(commitTime), out.String()+"\n")
	}
	plain := raw(config)
	ring := func(e *openpgp.Entity) string {
		var out bytes.Buffer
		if err := e.Serialize(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	revocation := func(by *openpgp.Entity, hash crypto.Hash, day int64) string {
		reason := packet.KeyRetired
		id := by.PrimaryKey.KeyId
		sig := &packet.Signature{Version: 4, SigType: packet.SigTypeKeyRevocation, PubKeyAlgo: by.PrimaryKey.PubKeyAlgo, Hash: hash,
			CreationTime: time.Unix(day, 0), IssuerKeyId: &id, RevocationReason: &reason}
		if err := sig.RevokeKey(alice.PrimaryKey, by.PrivateKey, config); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := sig.Serialize(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	opaque := func(tag uint8, contents string) string {
		var out bytes.Buffer
		if err := (&packet.OpaquePacket{Tag: tag, Contents: []byte(contents)}).Serialize(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	// with puts packets behind the primary key.
	with := func(more string) string {
		whole := ring(alice)
		rest := packetsAfter(t, whole)
		return strings.TrimSuffix(whole, rest) + more + rest
	}
	bent := []byte(revocation(alice, crypto.SHA256, commitTime+1000))
	bent[len(bent)-1] ^= 1
	noted := *config
	noted.SignatureNotations = []*packet.Notation{{Name: "must@example.org", Value: []byte("x"), IsCritical: true}}
	harmless := *config
	harmless.SignatureNotations = []*packet.Notation{{Name: "may@example.org", Value: []byte("x")}}

	for _, c := range []struct{ name, raw, list, want string }{
		{"as it is", plain, ring(alice), ""},
		{"revoked", plain, with(revocation(alice, crypto.SHA256, commitTime+1000)), "SIGNER_NOT_VALID"},
		{"revoked with SHA-1, which is enough for that", plain, with(revocation(alice, crypto.SHA1, commitTime+1000)), "SIGNER_NOT_VALID"},
		{"revoked by another", plain, with(revocation(bob, crypto.SHA256, commitTime+1000)), "SIGNER_NOT_VALID"},
		{"a revocation that does not fit", plain, with(string(bent)), ""},
		{"a revocation that can't be read", plain, with(opaque(2, "\x04\x20\x63\x08\x00\x00\x00\x00")), "INVALID_SIGNERS"},
		{"a revocation of version 3", plain, with(opaque(2, "\x03\x05\x20\x00\x00\x00\x00")), "INVALID_SIGNERS"},
		{"another signature that can't be read", plain, with(opaque(2, "\x04\x10\x63\x08\x00\x00\x00\x00")), ""},
		{"a signature of no bytes", plain, with(opaque(2, "")), ""},
		{"a photo, and what is said of it", plain, with(opaque(17, "jpeg") + opaque(2, "\x04\x30")), ""},
		{"trust, a marker and padding", plain, opaque(10, "PGP") + with(opaque(12, "\x00")+opaque(21, "xyz")+opaque(60, "new")), ""},
		{"a subkey of an unknown kind", plain, with(opaque(14, "\x04\x00\x00\x00\x00\x63") + opaque(2, "\x04\x28")), ""},
		{"a packet of another place", plain, with(opaque(11, "b\x00\x00\x00\x00\x00text")), "INVALID_SIGNERS"},
		{"a key of an unknown kind", plain, ring(alice) + opaque(6, "\x04\x00\x00\x00\x00\x63"), "INVALID_SIGNERS"},
		{"users first", plain, opaque(13, "a") + ring(alice), "INVALID_SIGNERS"},
		{"a key alone", plain, strings.TrimSuffix(ring(alice), packetsAfter(t, ring(alice))), "SIGNER_NOT_VALID"},
		{"the end is missing", plain, ring(alice)[:len(ring(alice))-3], "INVALID_SIGNERS"},
		{"a note that must be known", raw(&noted), ring(alice), "SIGNATURE_INVALID"},
		{"a note", raw(&harmless), ring(alice), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := verdict(t, objectID([]byte(c.raw)), c.raw, c.list); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	hostile := entity("m\u202eallory")
	var signed bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&signed, hostile, strings.NewReader(payload(commitTime)), config); err != nil {
		t.Fatal(err)
	}
	commit := signedBy(payload(commitTime), signed.String()+"\n")
	if got, code := verdict(t, objectID([]byte(commit)), commit, ring(hostile)); code != "" || got.Principal != `"m\u202eallory <m\u202eallory@example.org>"` {
		t.Errorf("a name that turns the line: %q, %q", got.Principal, code)
	}
	// A private key is never taken, nor is it shown.
	var private bytes.Buffer
	if err := alice.SerializePrivate(&private, config); err != nil {
		t.Fatal(err)
	}
	if _, err := signature.Parse("list", private.Bytes()); err == nil || !strings.Contains(err.Error(), "private key") {
		t.Errorf("a private key: %v", err)
	}
}

// packetsAfter returns what follows the first packet.
func packetsAfter(t *testing.T, ring string) string {
	t.Helper()
	r := strings.NewReader(ring)
	if _, err := packet.NewOpaqueReader(r).Next(); err != nil {
		t.Fatal(err)
	}
	return ring[len(ring)-r.Len():]
}
