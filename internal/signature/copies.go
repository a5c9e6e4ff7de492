package signature

import "github.com/ProtonMail/go-crypto/openpgp/packet"

// part names a part of a key: a user by its id, a subkey by its fingerprint.
type part struct{ key, name string }

// merged joins the copies of each key, as gpg does when it imports them: whatever one of them says counts. A stale copy in
// one list must not make up for a revocation, or an earlier end, in another. The copies stay as they are.
func merged(copies []*pgpKey) []*pgpKey {
	var keys []*pgpKey
	at, users, subkeys := map[string]*pgpKey{}, map[part]*pgpUser{}, map[part]*pgpSubkey{}
	for _, c := range copies {
		print := string(c.primary.Fingerprint)
		key := at[print]
		if key == nil {
			key = &pgpKey{primary: c.primary}
			at[print] = key
			keys = append(keys, key)
		}
		key.direct = append(key.direct, c.direct...)
		key.revocations = append(key.revocations, c.revocations...)
		key.foreign = append(key.foreign, c.foreign...)
		for _, u := range c.users {
			user := users[part{print, u.id}]
			if user == nil {
				user = &pgpUser{id: u.id}
				users[part{print, u.id}] = user
				key.users = append(key.users, user)
			}
			user.certs = append(user.certs, u.certs...)
			user.revocations = append(user.revocations, u.revocations...)
		}
		for _, s := range c.subkeys {
			name := part{print, string(s.key.Fingerprint)}
			sub := subkeys[name]
			if sub == nil {
				sub = &pgpSubkey{key: s.key}
				subkeys[name] = sub
				key.subkeys = append(key.subkeys, sub)
			}
			sub.bindings = append(sub.bindings, s.bindings...)
			sub.revocations = append(sub.revocations, s.revocations...)
		}
	}
	deliver(keys)
	return keys
}

// deliver gives revocations that stand behind another key to the keys that they name: so they come out where files are
// put together.
func deliver(keys []*pgpKey) {
	var all []*packet.Signature
	for _, key := range keys {
		all = append(all, key.foreign...)
	}
	for _, sig := range all {
		for _, key := range keys {
			if sig.CheckKeyIdOrFingerprint(key.primary) {
				key.revocations = append(key.revocations, sig)
			}
		}
	}
}
