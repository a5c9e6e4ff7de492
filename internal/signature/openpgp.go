package signature

import (
	"bytes"
	"cmp"
	"crypto"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// verifyPGP checks the signature against the keys of the lists that it names.
func (s *Signers) verifyPGP(c *commit) (Signer, *refusal) {
	sig, no := readPGP(c.signature)
	if no != nil {
		return Signer{}, no
	}
	named, fits := false, false
	for _, key := range merged(s.pgp) {
		for _, sub := range key.named(sig) {
			named = true
			public := key.primary
			if sub != nil {
				public = sub.key
			}
			if why := weakKey(public); why != "" {
				no = worst(no, invalid("the commit's OpenPGP signature is of a key that can't be relied on: %s", why))
				continue
			}
			if checkData(public, sig, c.payload) != nil {
				continue
			}
			fits = true
			user, why := key.allows(sub, sig.CreationTime, c.time)
			if why == "" && sig.SigLifetimeSecs != nil && ended(sig.CreationTime, *sig.SigLifetimeSecs, c.time) {
				why = "the signature was made to end before the commit's time"
			}
			if why == "" {
				return Signer{Principal: user, Fingerprint: key.fingerprint(), Time: c.time}, nil
			}
			no = worst(no, notValid("the commit is of %s, and its signer's key %s may not sign it: %s", stamp(c.time), key.fingerprint(), why))
		}
	}
	switch {
	case !named:
		return Signer{}, notAllowed("the commit is signed with the OpenPGP key %s, which is in no list; bind a revision that an allowed signer signed, or let someone who may decide that add the key", issuer(sig))
	case !fits && no == nil:
		return Signer{}, invalid("the commit's OpenPGP signature does not fit the commit: one of the two was changed, or it was not made with the key that it names")
	}
	return Signer{}, no
}

// readPGP reads the one signature that an armored text holds.
func readPGP(text []byte) (*packet.Signature, *refusal) {
	body, rest, reason := dearmor(text, pgpSignature, true)
	if reason == "" && !blank(rest) {
		reason = "something follows its armor"
	}
	if reason != "" {
		return nil, invalid("the commit's OpenPGP signature can't be read: %s", reason)
	}
	in := bytes.NewReader(body)
	p, err := nextPacket(in)
	switch {
	case err != nil:
		return nil, invalid("the commit's OpenPGP signature can't be read: %v", err)
	case p.Tag != tagSignature || in.Len() > 0:
		return nil, invalid("the commit's OpenPGP signature holds more than one signature, or something else")
	}
	sig, err := parsePacket[*packet.Signature](p)
	if err != nil {
		return nil, invalid("the commit's OpenPGP signature can't be read: %v", err)
	}
	why := ""
	switch {
	case sig.SigType != packet.SigTypeBinary:
		why = "it is not one of exact bytes"
	case !strong(sig.Hash):
		why = "its hash is " + sig.Hash.String() + ", which can't be relied on"
	case sig.IssuerKeyId == nil:
		why = "it does not say which key made it"
	case unknownNotation(sig):
		why = "it has a condition that this compose does not know"
	}
	if why != "" {
		return nil, invalid("the commit's OpenPGP signature can't be used: %s", why)
	}
	return sig, nil
}

// named returns which of the key's parts a signature names; nil stands for the primary one.
func (k *pgpKey) named(sig *packet.Signature) []*pgpSubkey {
	var parts []*pgpSubkey
	if sig.CheckKeyIdOrFingerprint(k.primary) {
		parts = append(parts, nil)
	}
	for _, sub := range k.subkeys {
		if sig.CheckKeyIdOrFingerprint(sub.key) {
			parts = append(parts, sub)
		}
	}
	return parts
}

// allows says why the key, or that subkey of it, may not have signed at both times; else it returns the primary user.
//
// As gpg does, it goes by the newest signature of the key on itself: an owner who moves the end of a key says so for the
// past too. A revocation counts whatever its date: it was the owner's word that the key is not to be relied on.
func (k *pgpKey) allows(sub *pgpSubkey, times ...time.Time) (user, why string) {
	if k.revoked() {
		return "", "it is revoked"
	}
	latest := slices.MaxFunc(times, time.Time.Compare)
	user, self := k.self(latest)
	if self == nil {
		return "", "it carries no signature of its own that can be relied on; SHA-1 no longer can: let its owner renew the key, and list it anew"
	}
	if why := weakKey(k.primary); why != "" {
		return "", why
	}
	if why := lived(k.primary, self, times); why != "" {
		return "", why
	}
	if direct := newest(k.direct, latest, k.primary.VerifyDirectKeySignature); direct != nil && direct != self {
		if why := lived(k.primary, direct, times); why != "" {
			return "", why
		}
	}
	if sub == nil {
		if !self.FlagsValid || !self.FlagSign {
			return "", "it is not made for signing"
		}
		return user, ""
	}
	binding := newest(sub.bindings, latest, func(sig *packet.Signature) error { return k.primary.VerifyKeySignature(sub.key, sig) })
	switch {
	case sub.revoked(k.primary):
		return "", "its subkey is revoked"
	case binding == nil:
		return "", "its subkey is not bound to it by signatures of both that can be relied on"
	case !binding.FlagsValid || !binding.FlagSign || binding.EmbeddedSignature == nil || !reliable(binding.EmbeddedSignature, latest):
		return "", "its subkey is not made for signing"
	}
	if why := lived(sub.key, binding, times); why != "" {
		return "", "its subkey: " + why
	}
	return user, ""
}

func (k *pgpKey) revoked() bool {
	return len(k.foreign) > 0 || slices.ContainsFunc(k.revocations, func(sig *packet.Signature) bool {
		return guard(func() error { return k.primary.VerifyRevocationSignature(sig) }) == nil
	})
}

func (s *pgpSubkey) revoked(primary *packet.PublicKey) bool {
	return slices.ContainsFunc(s.revocations, func(sig *packet.Signature) bool {
		return guard(func() error { return primary.VerifySubkeyRevocationSignature(sig, s.key) }) == nil
	})
}

// self returns the signature of the key on itself that says what it is for, and the primary user. Up to version 4 that is
// the newest on any user that is not revoked, from version 6 on the newest on the key itself; users are optional then.
func (k *pgpKey) self(at time.Time) (user string, self *packet.Signature) {
	type said struct {
		user *pgpUser
		sig  *packet.Signature
	}
	var all []said
	for _, u := range k.users {
		verify := func(sig *packet.Signature) error { return k.primary.VerifyUserIdSignature(u.id, k.primary, sig) }
		sig := newest(u.certs, at, verify)
		if sig == nil {
			continue
		}
		revoked := slices.ContainsFunc(u.revocations, func(r *packet.Signature) bool {
			return !r.CreationTime.Before(sig.CreationTime) && guard(func() error { return verify(r) }) == nil
		})
		if !revoked {
			all = append(all, said{u, sig})
		}
	}
	newer := func(a, b said) int {
		return cmp.Or(a.sig.CreationTime.Compare(b.sig.CreationTime), cmp.Compare(b.user.id, a.user.id))
	}
	primary := func(s said) int {
		if s.sig.IsPrimaryId != nil && *s.sig.IsPrimaryId {
			return 1
		}
		return 0
	}
	if len(all) > 0 {
		self = slices.MaxFunc(all, newer).sig
		user = slices.MaxFunc(all, func(a, b said) int { return cmp.Or(cmp.Compare(primary(a), primary(b)), newer(a, b)) }).user.id
	}
	if k.primary.Version >= 6 {
		self = newest(k.direct, at, k.primary.VerifyDirectKeySignature)
	}
	return user, self
}

// newest returns the newest of the signatures that can be relied on at that time and that verify; nil for none.
func newest(list []*packet.Signature, at time.Time, verify func(*packet.Signature) error) *packet.Signature {
	var best *packet.Signature
	for _, sig := range list {
		if (best == nil || !sig.CreationTime.Before(best.CreationTime)) && reliable(sig, at) && guard(func() error { return verify(sig) }) == nil {
			best = sig
		}
	}
	return best
}

// reliable reports whether a signature of a key on itself counts.
func reliable(sig *packet.Signature, at time.Time) bool {
	return strong(sig.Hash) && !unknownNotation(sig) && (sig.SigLifetimeSecs == nil || !ended(sig.CreationTime, *sig.SigLifetimeSecs, at))
}

// lived says why a key was not valid at each of the times, by what it says of itself.
func lived(key *packet.PublicKey, self *packet.Signature, times []time.Time) string {
	for _, at := range times {
		switch {
		case at.Before(key.CreationTime):
			return "it was made later, at " + stamp(key.CreationTime)
		case self.KeyLifetimeSecs != nil && ended(key.CreationTime, *self.KeyLifetimeSecs, at):
			return "it ended before, at " + stamp(key.CreationTime.Add(time.Duration(*self.KeyLifetimeSecs)*time.Second))
		}
	}
	return ""
}

// ended reports whether what began then and lasts so many seconds, 0 for ever, is over. The last second is part of
// no life, as in gpg.
func ended(began time.Time, seconds uint32, at time.Time) bool {
	return seconds > 0 && at.Unix() >= began.Unix()+int64(seconds)
}

// strong reports whether nobody can find two texts of one hash.
func strong(h crypto.Hash) bool {
	switch h {
	case crypto.SHA256, crypto.SHA384, crypto.SHA512, crypto.SHA3_256, crypto.SHA3_512:
		return true
	}
	return false
}

// weakKey says why a key can't be relied on; "" where it can.
func weakKey(key *packet.PublicKey) string {
	switch key.PubKeyAlgo {
	case packet.PubKeyAlgoRSA, packet.PubKeyAlgoRSASignOnly:
		// One bit less: a product of two primes of half the size may lack the highest bit.
		if bits, err := key.BitLength(); err != nil || bits < minRSA-1 {
			return fmt.Sprintf("RSA of %d bits; want %d or more", bits, minRSA)
		}
		return ""
	case packet.PubKeyAlgoECDSA, packet.PubKeyAlgoEdDSA:
		if curve, err := key.Curve(); err != nil || curve == packet.CurveSecP256k1 {
			return "its curve"
		}
		return ""
	case packet.PubKeyAlgoEd25519, packet.PubKeyAlgoEd448:
		return ""
	}
	return fmt.Sprintf("its algorithm, number %d", key.PubKeyAlgo)
}

// unknownNotation reports whether a signature has a condition that its reader must know: none is known here.
func unknownNotation(sig *packet.Signature) bool {
	return slices.ContainsFunc(sig.Notations, func(n *packet.Notation) bool { return n.IsCritical })
}

// checkData checks a signature of exact bytes.
func checkData(key *packet.PublicKey, sig *packet.Signature, payload []byte) error {
	return guard(func() error {
		if (key.Version == 6) != (sig.Version == 6) {
			return errors.New("the versions differ")
		}
		h, err := sig.PrepareVerify()
		if err != nil {
			return err
		}
		h.Write(payload)
		return key.VerifySignature(h, sig)
	})
}

// fingerprint returns the fingerprint of the primary key, as gpg prints it.
func (k *pgpKey) fingerprint() string { return fmt.Sprintf("%X", k.primary.Fingerprint) }

// issuer returns how a signature names its key.
func issuer(sig *packet.Signature) string {
	if len(sig.IssuerFingerprint) > 0 {
		return fmt.Sprintf("%X", sig.IssuerFingerprint)
	}
	return fmt.Sprintf("%016X", *sig.IssuerKeyId)
}

// quoted shows bytes in a message.
func quoted(b []byte) string { return strconv.Quote(clip(b)) }
