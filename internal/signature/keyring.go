package signature

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

const (
	pgpPublic    = "PGP PUBLIC KEY BLOCK"
	pgpSignature = "PGP SIGNATURE"
)

// pgpKey is an OpenPGP key as it was exported: nothing of it is checked yet. The library's own readers leave out what they
// can't read, and a revocation must not be left out.
type pgpKey struct {
	primary     *packet.PublicKey
	direct      []*packet.Signature // on the key itself, in its own name
	revocations []*packet.Signature // the same
	foreign     []*packet.Signature // revocations in another key's name
	users       []*pgpUser
	subkeys     []*pgpSubkey
}

type pgpUser struct {
	id          string
	certs       []*packet.Signature // in the key's own name; what others say of a user does not count
	revocations []*packet.Signature // the same
}

type pgpSubkey struct {
	key         *packet.PublicKey
	bindings    []*packet.Signature
	revocations []*packet.Signature
}

// Tags of packets (RFC 9580, section 5).
const (
	tagSignature    = 2
	tagSecretKey    = 5
	tagPublicKey    = 6
	tagSecretSubkey = 7
	tagMarker       = 10
	tagTrust        = 12
	tagUserID       = 13
	tagPublicSubkey = 14
	tagAttribute    = 17
	tagPadding      = 21
	leastIgnored    = 40 // from here on a reader passes over what it does not know
)

// parseArmored reads every armored block of text; what stands between them is a comment.
func (s *Signers) parseArmored(text []byte) *listFault {
	for line := 1; len(text) > 0; {
		switch {
		case begins(text, pgpPublic):
			body, rest, reason := dearmor(text, pgpPublic, true)
			if reason != "" {
				return &listFault{line, "holds an OpenPGP key that can't be read: " + reason}
			}
			if fault := s.parseKeys(body); fault != nil {
				fault.line = line
				return fault
			}
			line += bytes.Count(text[:len(text)-len(rest)], []byte("\n"))
			text = rest
		case bytes.HasPrefix(text, []byte("-----BEGIN ")):
			first, _ := cutLine(text)
			return &listFault{line, "holds " + quoted(first) + "; want OpenPGP public keys, as gpg --armor --export prints them"}
		default:
			var other []byte
			other, text = cutLine(text)
			if fault := checkBetween(other); fault != nil {
				fault.line = line
				return fault
			}
			line++
		}
	}
	if len(s.pgp) == 0 {
		return faulty("holds no OpenPGP key")
	}
	return nil
}

// checkBetween refuses a line outside of armor that says who may sign, and would not be read: an allowed signer, or a part of
// another armor. In front of keys that are published stands any other text.
func checkBetween(line []byte) *listFault {
	line = bytes.TrimSpace(line)
	if bytes.HasPrefix(line, []byte("#")) {
		return nil
	}
	if bytes.Contains(line, []byte("-----BEGIN ")) || bytes.Contains(line, []byte("-----END ")) {
		return faulty("holds a part of an armor at another place than the begin of a line, or without its other end; write each key as gpg --armor --export prints it")
	}
	for word := range strings.FieldsSeq(string(line)) {
		if looksSSH(word) {
			return faulty("holds an SSH key beside OpenPGP ones; keep the two in two lists")
		}
	}
	return nil
}

// looksSSH reports whether a word is the type of an SSH key, or a key in base64: those begin with a length below 256.
func looksSSH(word string) bool {
	for _, start := range [...]string{"ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "AAAA", "cert-authority"} {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	return false
}

// parseKeys reads a sequence of transferable public keys (RFC 9580, section 10.1).
func (s *Signers) parseKeys(b []byte) *listFault {
	r := keyReader{keys: s.pgp}
	for in := bytes.NewReader(b); in.Len() > 0; {
		p, err := nextPacket(in)
		if err == nil {
			err = r.add(p)
		}
		if err != nil {
			return faulty("holds an OpenPGP key that can't be used: %v", err)
		}
	}
	s.pgp = r.keys
	return nil
}

// nextPacket reads one packet, and its contents as they are.
func nextPacket(in *bytes.Reader) (p *packet.OpaquePacket, err error) {
	err = guard(func() error {
		p, err = packet.NewOpaqueReader(in).Next()
		return err
	})
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends in the middle")
	}
	return p, err
}

// guard turns a panic of the OpenPGP library, which reads what strangers wrote and has had such faults, into an error. Nothing
// that it was working on is used after one.
func guard(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is malformed in a way that the OpenPGP library does not expect")
		}
	}()
	return call()
}

// parsePacket reads the contents of a packet as T.
func parsePacket[T packet.Packet](p *packet.OpaquePacket) (value T, err error) {
	err = guard(func() error {
		parsed, err := p.Parse()
		if err != nil {
			return err
		}
		var ok bool
		if value, ok = parsed.(T); !ok {
			return errors.New("it holds another kind of packet than it says")
		}
		return nil
	})
	return value, err
}

// keyReader puts packets together.
type keyReader struct {
	keys   []*pgpKey
	key    *pgpKey    // the one that is being read
	user   *pgpUser   // what the signatures that follow are about: a user,
	subkey *pgpSubkey // a subkey,
	skip   bool       // something that is passed over; else the key itself
}

func (r *keyReader) add(p *packet.OpaquePacket) error {
	if r.key == nil && p.Tag != tagPublicKey && p.Tag != tagMarker && p.Tag != tagSecretKey {
		return errors.New("it does not begin with a public key")
	}
	switch p.Tag {
	case tagSecretKey, tagSecretSubkey:
		return errors.New(isPrivate)
	case tagPublicKey:
		key, err := parsePacket[*packet.PublicKey](p)
		if err != nil {
			return err
		}
		r.key, r.user, r.subkey, r.skip = &pgpKey{primary: key}, nil, nil, false
		r.keys = append(r.keys, r.key)
	case tagUserID:
		r.user, r.subkey, r.skip = &pgpUser{id: string(p.Contents)}, nil, false
		r.key.users = append(r.key.users, r.user)
	case tagPublicSubkey:
		key, err := parsePacket[*packet.PublicKey](p)
		r.user, r.subkey, r.skip = nil, &pgpSubkey{key: key}, err != nil
		if err == nil { // one of a kind that is not known can't be asked for a signature either
			r.key.subkeys = append(r.key.subkeys, r.subkey)
		}
	case tagAttribute:
		r.user, r.subkey, r.skip = nil, nil, true
	case tagSignature:
		if !r.skip {
			return r.sign(p)
		}
	case tagMarker, tagTrust, tagPadding:
	default:
		if p.Tag < leastIgnored {
			return errors.New("it holds a packet that has no place in a key")
		}
	}
	return nil
}

// sign adds a signature to what it is about. One that can't be read does not count, but for revocations.
func (r *keyReader) sign(p *packet.OpaquePacket) error {
	sig, err := parsePacket[*packet.Signature](p)
	if err != nil {
		switch signatureType(p.Contents) {
		case packet.SigTypeKeyRevocation, packet.SigTypeSubkeyRevocation:
			return errors.New("it holds a revocation that can't be checked; export the key without it, or take the key out")
		}
		return nil
	}
	own := sig.CheckKeyIdOrFingerprint(r.key.primary)
	switch kind := sig.SigType; {
	case kind == packet.SigTypeKeyRevocation && !own:
		r.key.foreign = append(r.key.foreign, sig)
	case kind == packet.SigTypeKeyRevocation:
		r.key.revocations = append(r.key.revocations, sig)
	case !own:
	case r.user != nil && kind == packet.SigTypeCertificationRevocation:
		r.user.revocations = append(r.user.revocations, sig)
	case r.user != nil && kind >= packet.SigTypeGenericCert && kind <= packet.SigTypePositiveCert:
		r.user.certs = append(r.user.certs, sig)
	case r.subkey != nil && kind == packet.SigTypeSubkeyRevocation:
		r.subkey.revocations = append(r.subkey.revocations, sig)
	case r.subkey != nil && kind == packet.SigTypeSubkeyBinding:
		r.subkey.bindings = append(r.subkey.bindings, sig)
	case r.user == nil && r.subkey == nil && kind == packet.SigTypeDirectSignature:
		r.key.direct = append(r.key.direct, sig)
	}
	return nil
}

// signatureType returns the type of a signature that can't be read, 0 for none.
func signatureType(contents []byte) packet.SignatureType {
	at := 1
	if len(contents) > 0 && contents[0] < 4 { // versions 2 and 3 have a length first
		at = 2
	}
	if len(contents) <= at {
		return 0
	}
	return packet.SignatureType(contents[at])
}
