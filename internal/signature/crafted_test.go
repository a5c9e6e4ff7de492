package signature_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// blob is what an SSH signature holds after its magic, and how it is made: sign gets the bytes to sign.
type blob struct {
	version                   uint32
	key                       []byte
	namespace, reserved, hash string
	sign                      func(text []byte) []byte
	more                      string // after the end
}

// commit returns a commit that carries the signature, in armor.
func (b blob) commit(payload string) string {
	digest := sha512.Sum512([]byte(payload))
	text := append([]byte("SSHSIG"), ssh.Marshal(struct {
		Namespace, Reserved, Hash string
		Digest                    []byte
	}{b.namespace, b.reserved, b.hash, digest[:]})...)
	wire := append([]byte("SSHSIG"), ssh.Marshal(struct {
		Version                   uint32
		Key                       []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{b.version, b.key, b.namespace, b.reserved, b.hash, b.sign(text)})...)
	return signedBy(payload, armored(string(wire)+b.more))
}

func armored(wire string) string {
	var lines strings.Builder
	for digits := base64.StdEncoding.EncodeToString([]byte(wire)); digits != ""; {
		n := min(70, len(digits))
		lines.WriteString(digits[:n] + "\n")
		digits = digits[n:]
	}
	return "-----BEGIN SSH SIGNATURE-----\n" + lines.String() + "-----END SSH SIGNATURE-----\n"
}

// touched is the flag of a security key that somebody touched.
const touched = 1

// Signatures that ssh-keygen does not make by itself: of security keys, of old algorithms, and broken ones.
func TestCraftedSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("asks git about many commits")
	}
	l := newLab(t, "ssh-keygen")
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	modulus, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signer := func(key any) ssh.Signer {
		s, err := ssh.NewSignerFromKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	edSigner, rsaSigner := signer(private), signer(modulus)
	wire := func(format string, rest ...any) []byte {
		b := ssh.Marshal(struct{ Format string }{format})
		for _, part := range rest {
			b = append(b, ssh.Marshal(part)...)
		}
		return b
	}
	type bytesOf struct{ B []byte }
	type flags struct {
		Flags   byte
		Counter uint32
	}
	const application = "ssh:"
	point, err := curve.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	sk := wire(ssh.KeyAlgoSKED25519, bytesOf{public}, bytesOf{[]byte(application)})
	skCurve := wire(ssh.KeyAlgoSKECDSA256, bytesOf{[]byte("nistp256")}, bytesOf{point}, bytesOf{[]byte(application)})
	device := func(text []byte, f flags) []byte {
		app, message := sha256.Sum256([]byte(application)), sha256.Sum256(text)
		return append(append(app[:], ssh.Marshal(f)...), message[:]...)
	}
	withSK := func(f flags) func([]byte) []byte {
		return func(text []byte) []byte {
			return wire(ssh.KeyAlgoSKED25519, bytesOf{ed25519.Sign(private, device(text, f))}, f)
		}
	}
	withSKCurve := func(f flags) func([]byte) []byte {
		return func(text []byte) []byte {
			sum := sha256.Sum256(device(text, f))
			r, s, err := ecdsa.Sign(rand.Reader, curve, sum[:])
			if err != nil {
				t.Fatal(err)
			}
			return wire(ssh.KeyAlgoSKECDSA256, bytesOf{ssh.Marshal(struct{ R, S *big.Int }{r, s})}, f)
		}
	}
	with := func(s ssh.Signer, algorithm string) func([]byte) []byte {
		return func(text []byte) []byte {
			sig, err := s.(ssh.AlgorithmSigner).SignWithAlgorithm(rand.Reader, text, algorithm)
			if err != nil {
				t.Fatal(err)
			}
			return ssh.Marshal(sig)
		}
	}
	line := func(key []byte) string {
		kind, _, _ := strings.Cut(string(key[4:]), "\x00")
		return "who@example.org " + kind + " " + base64.StdEncoding.EncodeToString(key) + "\n"
	}
	ed := edSigner.PublicKey().Marshal()
	plain := payload(commitTime)
	good := blob{version: 1, key: ed, namespace: "git", hash: "sha512", sign: with(edSigner, ssh.KeyAlgoED25519)}
	change := func(change func(*blob)) string {
		b := good
		change(&b)
		return b.commit(plain)
	}

	for _, c := range []struct {
		name, raw, list string
		want            string
		git             bool
		why             string
	}{
		{"as ssh-keygen does it", good.commit(plain), line(ed), "", ok, ""},
		{"security key", blob{1, sk, "git", "", "sha512", withSK(flags{touched, 7}), ""}.commit(plain), line(sk), "", ok, ""},
		{"security key, ecdsa", blob{1, skCurve, "git", "", "sha512", withSKCurve(flags{touched, 7}), ""}.commit(plain), line(skCurve), "", ok, ""},
		{"security key, not touched", blob{1, sk, "git", "", "sha512", withSK(flags{0, 7}), ""}.commit(plain), line(sk), "SIGNATURE_INVALID", ok, "a program alone could have asked it"},
		{"security key, ecdsa, not touched", blob{1, skCurve, "git", "", "sha512", withSKCurve(flags{4, 7}), ""}.commit(plain), line(skCurve), "SIGNATURE_INVALID", ok, "a program alone could have asked it"},
		{"security key, other flags than signed", blob{1, sk, "git", "", "sha512", func(text []byte) []byte {
			return wire(ssh.KeyAlgoSKED25519, bytesOf{ed25519.Sign(private, device(text, flags{0, 7}))}, flags{touched, 7})
		}, ""}.commit(plain), line(sk), "SIGNATURE_INVALID", no, ""},
		{"security key, listed for another application", blob{1, sk, "git", "", "sha512", withSK(flags{touched, 7}), ""}.commit(plain),
			line(wire(ssh.KeyAlgoSKED25519, bytesOf{public}, bytesOf{[]byte("ssh:other")})), "SIGNER_NOT_ALLOWED", no, ""},
		{"security key, listed as a plain one", blob{1, sk, "git", "", "sha512", withSK(flags{touched, 7}), ""}.commit(plain), line(ed), "SIGNER_NOT_ALLOWED", no, ""},
		{"rsa with SHA-1", blob{1, rsaSigner.PublicKey().Marshal(), "git", "", "sha512", with(rsaSigner, ssh.KeyAlgoRSA), ""}.commit(plain), line(rsaSigner.PublicKey().Marshal()), "SIGNATURE_INVALID", no, ""},
		{"rsa with SHA-256", blob{1, rsaSigner.PublicKey().Marshal(), "git", "", "sha512", with(rsaSigner, ssh.KeyAlgoRSASHA256), ""}.commit(plain), line(rsaSigner.PublicKey().Marshal()), "", ok, ""},
		{"version 2", change(func(b *blob) { b.version = 2 }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"no namespace", change(func(b *blob) { b.namespace = "" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"a namespace with NUL", change(func(b *blob) { b.namespace = "git\x00" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"a reserved field", change(func(b *blob) { b.reserved = "x" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"md5", change(func(b *blob) { b.hash = "md5" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"sha384", change(func(b *blob) { b.hash = "sha384" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"another hash than signed", change(func(b *blob) { b.hash = "sha256" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"bytes after the end", change(func(b *blob) { b.more = "x" }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"bytes after the signature", change(func(b *blob) {
			b.sign = func(text []byte) []byte { return append(good.sign(text), 0) }
		}), line(ed), "SIGNATURE_INVALID", no, ""},
		{"no signature", change(func(b *blob) { b.sign = func([]byte) []byte { return nil } }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"an empty signature", change(func(b *blob) { b.sign = func([]byte) []byte { return wire(ssh.KeyAlgoED25519, bytesOf{}) } }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"a signature of another kind", change(func(b *blob) { b.key = rsaSigner.PublicKey().Marshal() }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"no key", change(func(b *blob) { b.key = nil }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"an unknown key", change(func(b *blob) { b.key = wire("ssh-unknown", bytesOf{public}) }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"a key that is cut", change(func(b *blob) { b.key = ed[:len(ed)-1] }), line(ed), "SIGNATURE_INVALID", no, ""},
		{"magic alone", signedBy(plain, armored("SSHSIG")), line(ed), "SIGNATURE_INVALID", no, ""},
		{"no magic", signedBy(plain, armored("SSHSIH\x00\x00\x00\x01")), line(ed), "SIGNATURE_INVALID", no, ""},
		{"no bytes", signedBy(plain, armored("")), line(ed), "SIGNATURE_INVALID", no, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := l.store(c.raw)
			accepted, says := l.gitAccepts(id, "gpg.ssh.allowedSignersFile="+l.file("signers", c.list))
			_, code := verdict(t, id, c.raw, c.list)
			compare(t, code, c.want, accepted, c.git, c.why, says+c.list+c.raw)
		})
	}
}
