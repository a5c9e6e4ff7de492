package signature_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/signature"
	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// copied is a key that signed a commit with its subkey, and what its owner said of it at different times.
type copied struct {
	t      *testing.T
	entity *openpgp.Entity
	config *packet.Config
	raw    string
}

func newCopied(t *testing.T, name string) *copied {
	t.Helper()
	c := &copied{t: t, config: &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return time.Unix(commitTime, 0) }}}
	var err error
	if c.entity, err = openpgp.NewEntity(name, "", name+"@example.org", c.config); err == nil {
		err = c.entity.AddSigningSubkey(c.config)
	}
	var out bytes.Buffer
	if err == nil {
		err = openpgp.ArmoredDetachSign(&out, c.entity, strings.NewReader(payload(commitTime)), c.config)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.raw = signedBy(payload(commitTime), out.String()+"\n")
	return c
}

// exported is the key as it is now.
func (c *copied) exported() string {
	c.t.Helper()
	var out bytes.Buffer
	if err := c.entity.Serialize(&out); err != nil {
		c.t.Fatal(err)
	}
	return out.String()
}

// later is the time of what its owner says after the commit.
func (c *copied) later() *packet.Config {
	config := *c.config
	config.Time = func() time.Time { return time.Unix(commitTime+1000, 0) }
	return &config
}

// What any copy of a key says counts, wherever the copies stand: once in one list, twice in one, in two that are joined in
// either order, and with others around.
func TestCopiesOfKeys(t *testing.T) {
	bob := newCopied(t, "bob")
	for name, change := range map[string]func(c *copied) error{
		"revoked": func(c *copied) error { return c.entity.RevokeKey(packet.KeyRetired, "", c.later()) },
		"the subkey is revoked": func(c *copied) error {
			return c.entity.RevokeSubkey(&c.entity.Subkeys[len(c.entity.Subkeys)-1], packet.KeyRetired, "", c.later())
		},
		"ended": func(c *copied) error {
			for _, id := range c.entity.Identities {
				second := uint32(1)
				id.SelfSignature.KeyLifetimeSecs, id.SelfSignature.CreationTime = &second, time.Unix(commitTime+1000, 0)
				if err := id.SelfSignature.SignUserId(id.UserId.Id, c.entity.PrimaryKey, c.entity.PrivateKey, c.later()); err != nil {
					return err
				}
			}
			return nil
		},
		"not for signing any more": func(c *copied) error {
			sub := &c.entity.Subkeys[len(c.entity.Subkeys)-1]
			sub.Sig.FlagSign, sub.Sig.FlagEncryptStorage, sub.Sig.CreationTime = false, true, time.Unix(commitTime+1000, 0)
			return sub.Sig.SignKey(sub.PublicKey, c.entity.PrivateKey, c.later())
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCopied(t, "alice")
			// The commit is of a time when every signature is there, and the key has not ended by what the stale copy says.
			c.raw = c.signAt(commitTime + 2000)
			stale := c.exported()
			if err := change(c); err != nil {
				t.Fatal(err)
			}
			fresh, other := c.exported(), bob.exported()
			for i, tt := range []struct {
				lists []string
				want  string
			}{
				{[]string{stale}, ""},
				{[]string{fresh}, "SIGNER_NOT_VALID"},
				{[]string{stale + fresh}, "SIGNER_NOT_VALID"},
				{[]string{fresh + stale}, "SIGNER_NOT_VALID"},
				{[]string{fresh + other + stale}, "SIGNER_NOT_VALID"},
				{[]string{stale, fresh}, "SIGNER_NOT_VALID"},
				{[]string{fresh, stale}, "SIGNER_NOT_VALID"},
				{[]string{stale, other, fresh, stale}, "SIGNER_NOT_VALID"},
			} {
				if _, got := verdict(t, objectID([]byte(c.raw)), c.raw, tt.lists...); got != tt.want {
					t.Errorf("%d: got %q, want %q", i, got, tt.want)
				}
			}
			// Joining two lists leaves the second as it was.
			first, second := parse(t, fresh), parse(t, stale)
			first.Add(second)
			if check(t, first, []byte(c.raw)) || !check(t, second, []byte(c.raw)) {
				t.Error("the joined list takes the key, or what was joined to it does not any more")
			}
		})
	}
}

// signAt signs a commit of that time.
func (c *copied) signAt(seconds int64) string {
	c.t.Helper()
	config := *c.config
	config.Time = func() time.Time { return time.Unix(seconds, 0) }
	var out bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&out, c.entity, strings.NewReader(payload(seconds)), &config); err != nil {
		c.t.Fatal(err)
	}
	return signedBy(payload(seconds), out.String()+"\n")
}

// A revocation that stands behind another key, as where files were put together, counts for the key that it names.
func TestRevocationBehindAnotherKey(t *testing.T) {
	alice, bob := newCopied(t, "alice"), newCopied(t, "bob")
	list := alice.exported() + bob.exported()
	before := alice.exported()
	if err := alice.entity.RevokeKey(packet.KeyRetired, "", alice.later()); err != nil {
		t.Fatal(err)
	}
	after := alice.exported()
	start := strings.TrimSuffix(before, packetsAfter(t, before))
	revocation := strings.TrimPrefix(after, start)
	revocation = strings.TrimSuffix(revocation, packetsAfter(t, revocation))
	if _, got := verdict(t, objectID([]byte(alice.raw)), alice.raw, list+revocation); got != "SIGNER_NOT_VALID" {
		t.Errorf("got %q", got)
	}
	if _, got := verdict(t, objectID([]byte(alice.raw)), alice.raw, revocation+list); got != "INVALID_SIGNERS" {
		t.Errorf("a revocation in front: got %q", got)
	}
}

// A list is of one kind: in one of both, SSH lines would be taken for comments between the armor, and not count. So would
// keys whose armor does not begin a line.
func TestListsOfBothKinds(t *testing.T) {
	_, ssh := sshSigned(t)
	_, _, ring := pgpSigned(t)
	key := strings.ReplaceAll(armored(string(ring)), "SSH SIGNATURE", "PGP PUBLIC KEY BLOCK")
	key = strings.Replace(key, "-----\n", "-----\n\n", 1)
	digits := strings.TrimPrefix(ssh, "zero@example.org ")
	parse(t, key)
	at := strings.Count(key, "\n") + 1
	for _, c := range []struct {
		list string
		line int // 0 for a list that is taken
	}{
		{"# zero@example.org ssh-ed25519 AAAA\n" + key, 0},
		{"pub   ed25519 2021-06-15 [SC]\n" + key + "\nand another:\n" + key, 0},
		{ssh + key, 1},
		{key + ssh, at},
		{key + strings.TrimSpace(ssh), at},
		{key + "\r\n" + strings.ReplaceAll(ssh, "\n", "\r\n"), at + 1},
		{key + "\n  \t" + ssh + key, at + 1},
		{key + digits, at},
		{key + "zero@example.org cert-authority,namespaces=\"git\" " + digits, at},
		{key + "zero@example.org " + strings.TrimPrefix(digits, "ssh-ed25519 "), at},
		{key + "zero@example.org sk-ssh-ed25519@openssh.com\n", at},
		{key + "  " + strings.ReplaceAll(key, "\n", "\n  "), at},
		{"-----END PGP PUBLIC KEY BLOCK-----\n" + key, 1},
	} {
		_, err := signature.Parse("list", []byte(c.list))
		if c.line == 0 {
			if err != nil {
				t.Errorf("%q: %v", c.list, err)
			}
			continue
		}
		if err == nil || code(t, err) != signature.CodeInvalidSigners || !slices.Contains(strings.SplitAfterN(err.Error(), " ", 2), fmt.Sprintf("list:%d: ", c.line)) {
			t.Errorf("%q: got %v, want line %d", c.list, err, c.line)
		}
	}
}
