package signature_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/signature"
	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/ssh"
)

// objectID is the id of a commit.
func objectID(raw []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "commit %d\x00%s", len(raw), raw)
	return hex.EncodeToString(h.Sum(nil))
}

// sshSigned is a commit that a key made of zeros signed, and a list with that key; no program is needed.
func sshSigned(t testing.TB) (raw, list string) {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	key := signer.PublicKey().Marshal()
	b := blob{version: 1, key: key, namespace: "git", hash: "sha512", sign: func(text []byte) []byte {
		sig, err := signer.Sign(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		return ssh.Marshal(sig)
	}}
	return b.commit(payload(commitTime)), "zero@example.org ssh-ed25519 " + base64.StdEncoding.EncodeToString(key) + "\n"
}

// pgpSigned is a commit that a new key signed, the signature itself, and a key ring with that key.
func pgpSigned(t testing.TB) (raw string, sig, ring []byte) {
	t.Helper()
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return time.Unix(commitTime, 0) }}
	entity, err := openpgp.NewEntity("Zero", "", "zero@example.org", config)
	if err != nil {
		t.Fatal(err)
	}
	if err := entity.AddSigningSubkey(config); err != nil {
		t.Fatal(err)
	}
	var armored, binary, public bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&armored, entity, strings.NewReader(payload(commitTime)), config); err != nil {
		t.Fatal(err)
	}
	if err := openpgp.DetachSign(&binary, entity, strings.NewReader(payload(commitTime)), config); err != nil {
		t.Fatal(err)
	}
	if err := entity.Serialize(&public); err != nil {
		t.Fatal(err)
	}
	return signedBy(payload(commitTime), armored.String()+"\n"), binary.Bytes(), public.Bytes()
}

func parse(t testing.TB, list string) *signature.Signers {
	t.Helper()
	signers, err := signature.Parse("list", []byte(list))
	if err != nil {
		t.Fatal(err)
	}
	return signers
}

// check fails unless the answer is a signer, or an *Error with a code of a commit.
func check(t *testing.T, signers *signature.Signers, raw []byte) bool {
	t.Helper()
	signer, err := signers.Verify(t.Context(), objectID(raw), raw)
	if err == nil {
		if signer.Fingerprint == "" || signer.Time.IsZero() {
			t.Errorf("accepted, and signed by %+v", signer)
		}
		return true
	}
	var fault *signature.Error
	if !errors.As(err, &fault) || fault.Error() == "" {
		t.Fatalf("another error: %v", err)
	}
	switch fault.Code() {
	case signature.CodeNotSigned, signature.CodeInvalid, signature.CodeNotAllowed, signature.CodeNotValid:
	default:
		t.Errorf("the code is %s", fault.Code())
	}
	return false
}

func TestVerifyNeedsNoProgram(t *testing.T) {
	raw, list := sshSigned(t)
	id := objectID([]byte(raw))
	got, err := parse(t, list).Verify(t.Context(), id, []byte(raw))
	want := signature.Signer{Principal: "zero@example.org", Fingerprint: "SHA256:tAXFyTXI8xtDaujAEcwJslAYc9/6FKcUkd2Lw0xDhPo", Time: time.Unix(commitTime, 0).UTC()}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	pgp, _, ring := pgpSigned(t)
	signers := parse(t, string(ring))
	if !check(t, signers, []byte(pgp)) || check(t, signers, []byte(raw)) {
		t.Error("the OpenPGP key is not taken, or for another's")
	}
	for name, other := range map[string]string{"another id": objectID([]byte(raw + "x")), "no id": "", "a short id": id[:39], "an upper-case id": strings.ToUpper(id)} {
		if _, err := parse(t, list).Verify(t.Context(), other, []byte(raw)); err == nil || code(t, err) != signature.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	big := strings.Replace(raw, "a commit", strings.Repeat("a", 16<<20), 1)
	if check(t, signers, []byte(big)) {
		t.Error("a commit past the bound is taken")
	}
	long := signedBy(payload(commitTime), armored(strings.Repeat("x", 64<<10)))
	if check(t, signers, []byte(long)) {
		t.Error("a signature past the bound is taken")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := signers.Verify(ended, id, []byte(raw)); !errors.Is(err, context.Canceled) {
		t.Errorf("the context ended: %v", err)
	}
}

// A key ring that somebody bent: every packet left out once, doubled once, and each bit of it changed. The signature's own
// key is never taken for valid without a signature of its own, and nothing panics.
func TestBentKeyRings(t *testing.T) {
	raw, _, ring := pgpSigned(t)
	rounds := len(ring) * 8
	step := 1
	if testing.Short() {
		step = 7
	}
	for bit := 0; bit < rounds; bit += step {
		bent := bytes.Clone(ring)
		bent[bit/8] ^= 1 << (bit % 8)
		signers, err := signature.Parse("list", bent)
		if err != nil {
			continue
		}
		check(t, signers, []byte(raw))
	}
	for end := range ring {
		if signers, err := signature.Parse("list", ring[:end]); err == nil {
			check(t, signers, []byte(raw))
		}
	}
}

// Calls may overlap.
func TestVerifyOverlaps(t *testing.T) {
	raw, _, ring := pgpSigned(t)
	signers := parse(t, string(ring))
	done := make(chan error)
	for range 8 {
		go func() {
			_, err := signers.Verify(context.Background(), objectID([]byte(raw)), []byte(raw))
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	raw, list := sshSigned(f)
	_, _, ring := pgpSigned(f)
	for _, text := range []string{list, "# a\n\"a b\",!c namespaces=\"a\\\"b,git\",valid-after=\"20200101Z\",valid-before=\"202101010000\" " + strings.TrimPrefix(list, "zero@example.org "),
		"* cert-authority " + strings.TrimPrefix(list, "zero@example.org "), string(ring), "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + base64.StdEncoding.EncodeToString(ring) + "\n=AAAA\n-----END PGP PUBLIC KEY BLOCK-----\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		signers, err := signature.Parse("list", text)
		if err != nil {
			var fault *signature.Error
			if !errors.As(err, &fault) || fault.Code() != signature.CodeInvalidSigners {
				t.Fatalf("another error: %v", err)
			}
			return
		}
		check(t, signers, []byte(raw))
	})
}

// Any bytes as a signature, as they are and in both armors.
func FuzzSignature(f *testing.F) {
	raw, list := sshSigned(f)
	_, sig, ring := pgpSigned(f)
	signers := parse(f, list)
	signers.Add(parse(f, string(ring)))
	_, ssh, _, _ := signature.Split(objectID([]byte(raw)), []byte(raw))
	_, digits, _ := strings.Cut(string(ssh), "-----\n")
	digits, _, _ = strings.Cut(digits, "-----")
	wire, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(digits, "\n", ""))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(ssh))
	f.Add(wire)
	f.Add(sig)
	plain := payload(commitTime)
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, signers, []byte(signedBy(plain, string(b))))
		check(t, signers, []byte(signedBy(plain, armored(string(b)))))
		pgp := strings.Replace(strings.ReplaceAll(armored(string(b)), "SSH SIGNATURE", "PGP SIGNATURE"), "-----\n", "-----\n\n", 1)
		check(t, signers, []byte(signedBy(plain, pgp)))
	})
}

// Any bytes as a commit: what is taken has the payload and the signature by the rule, and its committer's time.
func FuzzCommit(f *testing.F) {
	raw, list := sshSigned(f)
	signers := parse(f, list)
	for _, text := range []string{raw, payload(commitTime), strings.Replace(raw, "\ngpgsig ", "\ngpgsig-sha256 x\n y\ngpgsig ", 1), "gpgsig a\n b\ncommitter a <b> 1 +0000\n c\n", "\n", " \ngpgsig "} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, signers, b)
		payload, sig, seconds, refused := signature.Split(objectID(b), b)
		wantPayload, wantSig := folded(b)
		if refused == signature.CodeNotSigned && wantSig != nil {
			t.Errorf("there is a signature, %q", wantSig)
		}
		if refused != "" {
			return
		}
		if !bytes.Equal(payload, wantPayload) || !bytes.Equal(sig, wantSig) {
			t.Errorf("got %q and %q, want %q and %q", payload, sig, wantPayload, wantSig)
		}
		if m := regexp.MustCompile(`(?m)^committer .*>[^\n]*?0*([0-9]+)[^\S\n]+\S+\s*$`).FindSubmatch(payload); m == nil || fmt.Sprint(seconds) != string(m[1]) {
			t.Errorf("the time %d is not that of %q", seconds, payload)
		}
	})
}

// folded is the rule of gitformat-signature(5), read otherwise than the package does: the headers, each with its continued
// lines, and of these the ones that are signed. No signature is nil.
func folded(b []byte) (payload, sig []byte) {
	headers, body := string(b), ""
	if end := strings.Index("\n"+headers, "\n\n"); end >= 0 {
		headers, body = headers[:end], headers[end:]
	}
	var kept []string
	for _, header := range regexp.MustCompile(`(?s)(?:\A|[^\n ])[^\n]*\n?(?: [^\n]*\n?)*`).FindAllString(headers, -1) {
		value, signed := strings.CutPrefix(header, "gpgsig ")
		switch {
		case signed:
			sig = append(append([]byte{}, sig...), strings.ReplaceAll(value, "\n ", "\n")...)
		case !strings.HasPrefix(header, "gpgsig"):
			kept = append(kept, header)
		}
	}
	return []byte(strings.Join(kept, "") + body), sig
}
