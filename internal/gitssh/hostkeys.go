package gitssh

import (
	"bytes"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"golang.org/x/crypto/ssh"
)

// The package knownhosts of x/crypto is not used: one line of a key type that it doesn't know fails the whole file, where
// OpenSSH passes it by; it takes the key of an authority for the key of a host; and its pattern matching is exponential.

const maxKnownHostsBytes = 16 << 20

// knownKey is what a line of known hosts says.
type knownKey struct {
	key       ssh.PublicKey
	authority bool   // it signs certificates of hosts
	revoked   bool   // it is accepted for nothing
	where     string // FILE:LINE
	bare      bool   // the line is about the host without a port
}

// knownHosts are the lines about one host, and keys that no host may show.
type knownHosts struct {
	keys    []knownKey
	revoked map[string]string // keys in wire format to where they are listed
}

// readKnownHosts reads what is known of the host; files that are missing say nothing.
func readKnownHosts(p *place, s *settings) (*knownHosts, error) {
	known := &knownHosts{revoked: map[string]string{}}
	for _, path := range s.knownHosts {
		text, err := readKeys(p, path)
		if err != nil {
			return nil, err
		}
		known.addText(text, p.short(path), s.keyName, s.bareName)
	}
	for _, path := range s.revoked {
		if err := known.addRevoked(p, path); err != nil {
			return nil, err
		}
	}
	return known, nil
}

func readKeys(p *place, path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	text, err := plainfile.Read(path, maxKnownHostsBytes)
	if plainfile.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", p.short(path), plainfile.Cause(err))
	}
	return text, nil
}

// addText takes the lines that are about name, or about bare, the host without its port. As in OpenSSH, lines that
// can't be read are passed by.
//
// Format: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT.
func (k *knownHosts) addText(text []byte, file, name, bare string) {
	for i, line := range bytes.Split(text, []byte("\n")) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		entry := knownKey{where: fmt.Sprintf("%s:%d", file, i+1)}
		switch fields[0] {
		case "@cert-authority":
			entry.authority = true
			fields = fields[1:]
		case "@revoked":
			entry.revoked = true
			fields = fields[1:]
		}
		if len(fields) < 3 || fields[0][0] == '@' {
			continue
		}
		if !namesHost(fields[0], name) {
			if bare == "" || !namesHost(fields[0], bare) {
				continue
			}
			entry.bare = true
		}
		key, err := parseKey(fields[1], fields[2])
		if err != nil {
			continue
		}
		entry.key = key
		k.keys = append(k.keys, entry)
		if entry.revoked {
			k.revoked[string(key.Marshal())] = entry.where
		}
	}
}

func parseKey(kind, encoded string) (ssh.PublicKey, error) {
	wire, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePublicKey(wire)
	if err == nil && key.Type() != kind {
		err = fmt.Errorf("a key of type %s is said to be %s", key.Type(), kind)
	}
	return key, err
}

// namesHost reports whether the first field of a line is about name: patterns, or |1|SALT|HASH.
func namesHost(field, name string) bool {
	rest, hashed := strings.CutPrefix(field, "|1|")
	if !hashed {
		return matchesAny(strings.Split(field, ","), name)
	}
	encodedSalt, encodedSum, _ := strings.Cut(rest, "|")
	salt, err := base64.StdEncoding.DecodeString(encodedSalt)
	if err != nil {
		return false
	}
	sum, err := base64.StdEncoding.DecodeString(encodedSum)
	if err != nil {
		return false
	}
	mac := hmac.New(sha1.New, salt)
	mac.Write([]byte(name))
	return hmac.Equal(mac.Sum(nil), sum)
}

// addRevoked reads a file of RevokedHostKeys. As in OpenSSH, one that can't be read revokes everything.
func (k *knownHosts) addRevoked(p *place, path string) error {
	text, err := plainfile.Read(path, maxKnownHostsBytes)
	if err != nil {
		return fmt.Errorf("the revoked host keys in %s can't be read: %w", p.short(path), plainfile.Cause(err))
	}
	if bytes.HasPrefix(text, []byte("SSHKRL\n\x00")) {
		return fmt.Errorf("the revoked host keys in %s are a binary list, which is not read here; list the keys as text", p.short(path))
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		key, _, _, _, err := ssh.ParseAuthorizedKey(line)
		if err != nil {
			return fmt.Errorf("%s:%d is no key: %w", p.short(path), i+1, err)
		}
		k.revoked[string(key.Marshal())] = fmt.Sprintf("%s:%d", p.short(path), i+1)
	}
	return nil
}

// algorithms lists the algorithms of host keys to ask for. Those of known keys come first: a server shows one key
// only, and one of a type that is not known would look like an attack.
func (k *knownHosts) algorithms() []string {
	supported := ssh.SupportedAlgorithms().HostKeys
	var authority bool
	types := map[string]bool{}
	for _, e := range k.keys {
		authority = authority || e.authority && !e.revoked
		if !e.authority && !e.revoked {
			types[e.key.Type()] = true
		}
	}
	rank := func(algorithm string) int {
		order := 3 // as OpenSSH likes them
		switch {
		case strings.Contains(algorithm, "ssh-ed25519"):
			order = 1
		case strings.Contains(algorithm, "ecdsa-"):
			order = 2
		}
		switch {
		case strings.Contains(algorithm, "-cert-"):
			return order
		case types[keyType(algorithm)]:
			return 10 + order
		}
		return 20 + order
	}
	// Without an authority a certificate would prove nothing.
	list := slices.DeleteFunc(slices.Clone(supported), func(a string) bool { return !authority && rank(a) < 10 })
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	return list
}

// keyType is the type of the keys that an algorithm signs with.
func keyType(algorithm string) string {
	if algorithm == ssh.KeyAlgoRSASHA256 || algorithm == ssh.KeyAlgoRSASHA512 {
		return ssh.KeyAlgoRSA
	}
	return algorithm
}

// check accepts the key that a server showed, or says why not.
func (k *knownHosts) check(s *settings, key ssh.PublicKey, now func() time.Time) *refusal {
	var badCert error
	if cert, ok := key.(*ssh.Certificate); ok {
		if where, ok := k.revokedAt(cert.Key, cert.SignatureKey); ok {
			return &refusal{kind: revokedKey, key: cert.Key, where: where}
		}
		if badCert = k.checkCertificate(s, cert, now); badCert == nil {
			return nil
		}
		key = cert.Key // it may be known without its certificate
	}
	if where, ok := k.revokedAt(key); ok {
		return &refusal{kind: revokedKey, key: key, where: where}
	}
	wire := key.Marshal()
	var others []knownKey
	for _, e := range k.keys {
		if e.authority || e.revoked {
			continue
		}
		if bytes.Equal(e.key.Marshal(), wire) {
			return nil
		}
		if !e.bare {
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		return &refusal{kind: changedKey, key: key, where: others[0].where, known: others, cert: badCert}
	}
	return &refusal{kind: unknownKey, key: key, cert: badCert}
}

func (k *knownHosts) revokedAt(keys ...ssh.PublicKey) (where string, ok bool) {
	for _, key := range keys {
		if where, ok = k.revoked[string(key.Marshal())]; ok {
			return where, true
		}
	}
	return "", false
}

// checkCertificate says why a certificate does not vouch for the host.
func (k *knownHosts) checkCertificate(s *settings, cert *ssh.Certificate, now func() time.Time) error {
	if cert.CertType != ssh.HostCert {
		return fmt.Errorf("its certificate is none of a host")
	}
	wire := cert.SignatureKey.Marshal()
	if !slices.ContainsFunc(k.keys, func(e knownKey) bool {
		return e.authority && !e.revoked && bytes.Equal(e.key.Marshal(), wire)
	}) {
		return fmt.Errorf("its certificate is signed by %s, which is no known authority for this host", fingerprint(cert.SignatureKey))
	}
	if err := checkAuthority(cert); err != nil {
		return err
	}
	checker := ssh.CertChecker{Clock: now}
	if err := checker.CheckCert(s.principalName, cert); err != nil {
		return fmt.Errorf("its certificate is not valid: %s", diag.Printable(strings.TrimPrefix(err.Error(), "ssh: "), 300))
	}
	return nil
}

// authorityAlgorithms are those that an authority may sign with: OpenSSH's CASignatureAlgorithms without a configuration. SHA-1 is none
// of them: who finds a collision has a certificate that nobody signed.
var authorityAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// minAuthorityRSA is what the authorities of signers need as well (package signature). OpenSSH takes less; an authority speaks for many
// hosts, and for years.
const minAuthorityRSA = 2048

// checkAuthority says why what an authority signed proves nothing, though it is a known one.
func checkAuthority(cert *ssh.Certificate) error {
	if format := cert.Signature.Format; !slices.Contains(authorityAlgorithms, format) {
		return fmt.Errorf("its certificate is signed with %s, which is not safe; have it signed with another algorithm (ssh-keygen -t rsa-sha2-512)", diag.Printable(format, 50))
	}
	if key, ok := cert.SignatureKey.(ssh.CryptoPublicKey); ok {
		if key, ok := key.CryptoPublicKey().(*rsa.PublicKey); ok && key.N.BitLen() < minAuthorityRSA {
			return fmt.Errorf("its certificate is signed by an RSA key of %d bits, and %d are the least; have it signed by another", key.N.BitLen(), minAuthorityRSA)
		}
	}
	return nil
}

// fingerprint is a key as ssh-keygen -l shows it.
func fingerprint(key ssh.PublicKey) string { return ssh.FingerprintSHA256(key) }
