package signature

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	sshLabel  = "SSH SIGNATURE"
	sshMagic  = "SSHSIG"
	namespace = "git" // what git signs commits for; a signature for another purpose is none of a commit
)

// minRSA is the least size of an RSA key, of SSH and OpenPGP; gpg and GitHub ask for as much.
const minRSA = 2048

// sshSignature is what follows the magic in an SSH signature (PROTOCOL.sshsig).
type sshSignature struct {
	Version   uint32
	Key       []byte
	Namespace string
	Reserved  string
	Hash      string
	Signature []byte
}

// signed is what follows the magic in the bytes that are signed.
type signed struct {
	Namespace string
	Reserved  string
	Hash      string
	Digest    []byte
}

// verifySSH checks the signature against the key that it carries, then looks for that key in the lists.
func (s *Signers) verifySSH(c *commit) (Signer, *refusal) {
	key, no := checkSSH(c)
	if no != nil {
		return Signer{}, no
	}
	cert, _ := key.(*ssh.Certificate)
	plain := key
	if cert != nil {
		plain = cert.Key
	}
	fingerprint := ssh.FingerprintSHA256(plain)
	for _, a := range s.ssh {
		var principal string
		var why *refusal
		switch {
		case a.authority && cert != nil && bytes.Equal(cert.SignatureKey.Marshal(), a.blob):
			principal, why = a.certified(cert, c.time)
		case !a.authority && cert == nil && bytes.Equal(key.Marshal(), a.blob):
			principal, why = a.listed()
		default:
			continue
		}
		if why == nil {
			why = a.allows(c.time)
		}
		if why == nil {
			return Signer{Principal: principal, Fingerprint: fingerprint, Time: c.time}, nil
		}
		no = worst(no, why)
	}
	if no == nil {
		no = notAllowed("the commit is signed with the key %s, which is in no list; bind a revision that an allowed signer signed, or let someone who may decide that add the key", fingerprint)
		if cert != nil {
			no = notAllowed("the commit is signed with a certificate of the authority %s, which is in no list as cert-authority", ssh.FingerprintSHA256(cert.SignatureKey))
		}
	}
	return Signer{}, no
}

// checkSSH returns the key with which the commit was signed.
func checkSSH(c *commit) (ssh.PublicKey, *refusal) {
	body, rest, reason := dearmor(c.signature, sshLabel, false)
	if reason == "" && !blank(rest) {
		reason = "something follows its armor"
	}
	if reason != "" {
		return nil, invalid("the commit's SSH signature can't be read: %s", reason)
	}
	body, found := bytes.CutPrefix(body, []byte(sshMagic))
	var blob sshSignature
	if !found || ssh.Unmarshal(body, &blob) != nil {
		return nil, invalid("the commit's SSH signature can't be read: its bytes are no SSH signature")
	}
	key, err := ssh.ParsePublicKey(blob.Key)
	switch {
	case blob.Version != 1:
		return nil, invalid("the commit's SSH signature is of version %d; this compose knows version 1", blob.Version)
	case blob.Namespace != namespace:
		return nil, invalid("the commit's SSH signature is for the namespace %q; that of a commit is for %q", clip(blob.Namespace), namespace)
	case blob.Reserved != "":
		return nil, invalid("the commit's SSH signature uses a reserved field")
	case err != nil:
		return nil, invalid("the commit's SSH signature carries a key that can't be read, or is of no kind that may sign here")
	}
	var digest []byte
	switch blob.Hash {
	case "sha256":
		sum := sha256.Sum256(c.payload)
		digest = sum[:]
	case "sha512":
		sum := sha512.Sum512(c.payload)
		digest = sum[:]
	default:
		return nil, invalid("the commit's SSH signature uses the hash %q; want sha256 or sha512", clip(blob.Hash))
	}
	plain := key
	if cert, ok := key.(*ssh.Certificate); ok {
		plain = cert.Key
	}
	text := append([]byte(sshMagic), ssh.Marshal(signed{Namespace: namespace, Hash: blob.Hash, Digest: digest})...)
	if no := checkWire(plain, text, blob.Signature); no != nil {
		return nil, no
	}
	return key, nil
}

// checkWire checks a signature in the form of the SSH protocol against a key that is no certificate. A security key must
// have been touched, which the library asks for.
func checkWire(key ssh.PublicKey, text, wire []byte) *refusal {
	var sig ssh.Signature
	if ssh.Unmarshal(wire, &sig) != nil {
		return invalid("the commit's SSH signature can't be read: it holds no signature")
	}
	if no := weak(key, &sig); no != nil {
		return invalid("the commit's signer: %s", no.msg)
	}
	if err := key.Verify(text, &sig); err != nil {
		return invalid("the commit's SSH signature does not fit the commit: one of the two was changed, or it was not signed with the key that it names, or that security key was not touched")
	}
	return nil
}

// weak refuses kinds of signatures and keys that nobody should rely on, and those that the library may learn in time.
func weak(key ssh.PublicKey, sig *ssh.Signature) *refusal {
	known, rest := false, false
	switch sig.Format {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512:
		known = true
	case ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256:
		known, rest = true, true
	}
	switch {
	case sig.Format == ssh.KeyAlgoRSA:
		return invalid("a signature is RSA with SHA-1, which can be forged; sign with a newer ssh-keygen")
	case !known:
		return invalid("a signature is of the kind %q, which may not sign here", clip(sig.Format))
	case !rest && len(sig.Rest) > 0:
		return invalid("a signature can't be read: something follows in it")
	}
	if public, ok := key.(ssh.CryptoPublicKey); ok {
		if public, ok := public.CryptoPublicKey().(*rsa.PublicKey); ok && public.N.BitLen() < minRSA {
			return invalid("a signature is of an RSA key of %d bits; want %d or more", public.N.BitLen(), minRSA)
		}
	}
	return nil
}

// listed returns who holds the key itself.
func (a *allowed) listed() (string, *refusal) {
	principal, ok := a.principal()
	if !ok {
		return "", notAllowed("the commit's signer is listed as %q, which excludes every name that it gives", clip(a.principals))
	}
	return principal, nil
}

// maxPrincipals is how many names OpenSSH takes in a certificate.
const maxPrincipals = 256

// certified returns the first name of the certificate that the line allows. The line's key is the one that the certificate
// names as its authority. Names in a certificate are no patterns.
func (a *allowed) certified(cert *ssh.Certificate, at time.Time) (string, *refusal) {
	if no := checkAuthority(cert); no != nil {
		return "", no
	}
	switch {
	case cert.CertType != ssh.UserCert:
		return "", notAllowed("the certificate of the commit's signer is that of a host; want one of a user")
	case len(cert.CriticalOptions) > 0:
		return "", notAllowed("the certificate of the commit's signer has critical options, which restrict logins and say nothing of signing")
	case len(cert.ValidPrincipals) == 0 || len(cert.ValidPrincipals) > maxPrincipals:
		return "", notAllowed("the certificate of the commit's signer has %d names; want 1 to %d", len(cert.ValidPrincipals), maxPrincipals)
	}
	named := slices.IndexFunc(cert.ValidPrincipals, func(name string) bool { return matchList(name, a.principals) })
	seconds := uint64(at.Unix())
	switch {
	case named < 0:
		return "", notAllowed("the certificate of the commit's signer is for %q, and the list allows its authority to name %q", clip(strings.Join(cert.ValidPrincipals, ",")), clip(a.principals))
	case seconds < cert.ValidAfter:
		return "", notValid("the commit is of %s, when the certificate of its signer was not valid yet", stamp(at))
	case seconds >= cert.ValidBefore: // 2^64-1 stands for no end
		return "", notValid("the commit is of %s, when the certificate of its signer was not valid any more", stamp(at))
	}
	return cert.ValidPrincipals[named], nil
}

// checkAuthority checks the signature under a certificate.
func checkAuthority(cert *ssh.Certificate) *refusal {
	if no := weak(cert.SignatureKey, cert.Signature); no != nil {
		return invalid("the certificate of the commit's signer: %s", no.msg)
	}
	bare := *cert
	bare.Signature = nil
	text := bare.Marshal() // what is signed, and the length of a signature that is not there
	if err := cert.SignatureKey.Verify(text[:len(text)-4], cert.Signature); err != nil {
		return invalid("the certificate of the commit's signer does not carry the signature of the authority that it names")
	}
	return nil
}
