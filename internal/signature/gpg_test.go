package signature_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// gpgHome is a lab with a home of GnuPG in which it makes keys and signs. The path of its agent's socket must be short.
type gpgHome struct {
	*lab
	home string
}

func newGPG(t *testing.T) *gpgHome {
	l := newLab(t, "gpg", "gpgconf")
	g := &gpgHome{lab: l, home: shortHome(t)}
	l.env = append(l.env, "GNUPGHOME="+g.home)
	t.Cleanup(func() { // the test's context has ended by now, and the agent of this home with nothing else
		stop := newCommand(l.env, "gpgconf", "--kill", "all")
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("the agent may still be there: %v\n%s", err, out)
		}
	})
	return g
}

func shortHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "gpg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return home
}

// at runs gpg as if it were that day; stdin answers what it asks.
func (g *gpgHome) at(day, stdin string, args ...string) string {
	g.t.Helper()
	options := []string{"--batch", "--no-tty", "--quiet", "--yes", "--pinentry-mode", "loopback", "--passphrase", "", "--faked-system-time", day + "T120000!"}
	if stdin != "" && args[0] != "--detach-sign" {
		options = append(options[1:], "--command-fd", "0") // answers are for a person, not for a batch
	}
	return string(g.run([]byte(stdin), "gpg", append(options, args...)...))
}

// key makes a key for signing and returns its user.
func (g *gpgHome) key(name, kind, usage, expire string, options ...string) string {
	g.t.Helper()
	user := name + " <" + name + "@example.org>"
	g.at("20200101", "", append(options, "--quick-generate-key", user, kind, usage, expire)...)
	return user
}

func (g *gpgHome) fingerprint(user string) string {
	g.t.Helper()
	for line := range strings.Lines(g.at("20200601", "", "--with-colons", "--list-keys", "="+user)) {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" {
			return fields[9]
		}
	}
	g.t.Fatalf("no key of %s", user)
	return ""
}

func (g *gpgHome) export(users ...string) string {
	g.t.Helper()
	args := []string{"--armor", "--export"}
	for _, user := range users {
		args = append(args, "="+user)
	}
	return g.at("20200601", "", args...)
}

// sign returns a commit of that time that user signed on a day.
func (g *gpgHome) sign(seconds int64, day, user string, args ...string) string {
	g.t.Helper()
	text := payload(seconds)
	return signedBy(text, g.at(day, text, append([]string{"--detach-sign", "--armor", "--local-user", "=" + user}, args...)...))
}

// gpgAccepts asks git in a home that holds the keys of the list alone.
func (g *gpgHome) gpgAccepts(t *testing.T, id, list string) (bool, string) {
	t.Helper()
	home := shortHome(t)
	file := filepath.Join(home, "list")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	l := *g.lab
	l.t, l.env = t, append(l.env[:len(l.env):len(l.env)], "GNUPGHOME="+home)
	if _, err := l.try(nil, "gpg", "--batch", "--no-tty", "--quiet", "--no-autostart", "--import", file); err != nil {
		t.Log("gpg does not import the list: ", err)
	}
	return l.gitAccepts(id)
}

// Each commit and keyring is held against what git says with gpg. Keys are of January 2020, commits of June 2021.
func TestOpenPGP(t *testing.T) {
	if testing.Short() {
		t.Skip("asks git about many commits")
	}
	g := newGPG(t)
	const day = "20210615"
	alice := g.key("alice", "ed25519", "sign", "never")
	bob := g.key("bob", "rsa2048", "sign", "never")
	carol := g.key("carol", "nistp256", "cert", "never")
	g.at("20200201", "", "--quick-add-key", g.fingerprint(carol), "ed25519", "sign", "never")
	early := g.key("early", "ed25519", "sign", "20210101T000000")   // it ends before the commit,
	ending := g.key("ending", "ed25519", "sign", "20220101T000000") // after it, and before now
	renewed := g.key("renewed", "ed25519", "sign", "20210101T000000")
	staleRenewed := g.export(renewed)
	g.at("20201201", "", "--quick-set-expire", g.fingerprint(renewed), "20220101T000000")
	g.at("20211201", "", "--quick-set-expire", g.fingerprint(renewed), "0")
	cut := g.key("cut", "ed25519", "sign", "never")
	byCut := g.sign(commitTime, day, cut)
	staleCut := g.export(cut)
	g.at("20220101", "", "--quick-set-expire", g.fingerprint(cut), "20210101T000000")
	renewedLater := g.key("subrenewed", "ed25519", "cert", "never")
	g.at("20200201", "", "--quick-add-key", g.fingerprint(renewedLater), "ed25519", "sign", "20210101T000000")
	g.at("20201201", "", "--quick-set-expire", g.fingerprint(renewedLater), "0", "*")
	subEarly := g.key("subearly", "ed25519", "cert", "never")
	g.at("20200201", "", "--quick-add-key", g.fingerprint(subEarly), "ed25519", "sign", "20210101T000000")
	bySubEarly := g.sign(commitTime, "20201201", subEarly)
	revoked := g.key("revoked", "ed25519", "sign", "never")
	byRevoked := g.sign(commitTime, day, revoked)
	staleRevoked := g.export(revoked)
	g.revoke(revoked, "0") // no reason given
	retired := g.key("retired", "ed25519", "sign", "never")
	byRetired := g.sign(commitTime, day, retired)
	g.revoke(retired, "3") // no longer used, and later than the commit
	subRevoked := g.key("subrevoked", "ed25519", "cert", "never")
	g.at("20200201", "", "--quick-add-key", g.fingerprint(subRevoked), "ed25519", "sign", "never")
	bySubRevoked := g.sign(commitTime, day, subRevoked)
	staleSubRevoked := g.export(subRevoked)
	g.at("20220101", "key 1\nrevkey\ny\n2\n\ny\nsave\n", "--edit-key", g.fingerprint(subRevoked))
	twoUsers := g.key("twousers", "ed25519", "sign", "never")
	g.at("20200301", "", "--quick-add-uid", g.fingerprint(twoUsers), "Second <second@example.org>")
	staleTwoUsers := g.export(twoUsers)
	g.at("20210101", "", "--quick-revoke-uid", g.fingerprint(twoUsers), twoUsers)
	late := g.key("late", "ed25519", "sign", "never")
	g.at("20210701", "", "--quick-generate-key", "Later <later@example.org>", "ed25519", "sign", "never")
	later := "Later <later@example.org>"
	short := g.key("short", "rsa1024", "sign", "never")
	brainpool := g.key("brainpool", "brainpoolP256r1", "sign", "never")
	koblitz := g.key("koblitz", "secp256k1", "sign", "never")
	old := g.key("old", "ed25519", "sign", "never", "--cert-digest-algo", "SHA1")

	full := g.key("full", "default", "default", "never") // with a subkey for encryption
	g.at("20200201", "", "--quick-add-key", g.fingerprint(full), "rsa2048", "auth", "never")

	// Mallory's key with carol's subkey, as if carol's signatures were Mallory's.
	mallory := g.key("mallory", "ed25519", "sign", "never")
	stolen := g.at(day, "", "--export", "="+mallory) + string(packets(t, g.at(day, "", "--export", "="+carol), 14))
	// Carol's key without the subkey's own signature: anybody could claim it so.
	halfBound := string(withoutBackSignature(t, g.at(day, "", "--export", "="+carol)))

	plain := payload(commitTime)
	byAlice := g.sign(commitTime, day, alice)
	_, signature, _ := strings.Cut(byAlice, "\ngpgsig ")
	signature, _, _ = strings.Cut(signature, "\n\n")
	signature = strings.ReplaceAll(signature, "\n ", "\n") + "\n"

	for _, c := range []struct {
		name, raw, list string
		want            string
		git             bool
		why             string
	}{
		{"ed25519, made by git", g.commitTree(commitTime, "user.signingKey=alice@example.org"), g.export(alice), "", ok, ""},
		{"rsa", g.sign(commitTime, day, bob), g.export(bob), "", ok, ""},
		{"brainpool", g.sign(commitTime, day, brainpool), g.export(brainpool), "", ok, ""},
		{"a subkey", g.sign(commitTime, day, carol), g.export(carol), "", ok, ""},
		{"sha512", g.sign(commitTime, day, bob, "--digest-algo", "SHA512"), g.export(bob), "", ok, ""},
		{"several keys", byAlice, g.export(bob, carol, alice), "", ok, ""},
		{"several blocks", byAlice, "# keys\n" + g.export(bob) + "\nand\n" + g.export(alice), "", ok, ""},
		{"a binary key ring", byAlice, g.at(day, "", "--export", "="+bob, "="+alice), "", ok, ""},
		{"a key ring of the least size", byAlice, g.at(day, "", "--export-options", "export-minimal", "--armor", "--export", "="+alice), "", ok, ""},

		{"not signed", plain, g.export(alice), "COMMIT_NOT_SIGNED", no, ""},
		{"another key", byAlice, g.export(bob), "SIGNER_NOT_ALLOWED", no, ""},
		{"another key, and another message", strings.Replace(byAlice, "a commit", "A commit", 1), g.export(bob), "SIGNER_NOT_ALLOWED", no, ""},
		{"another message", strings.Replace(byAlice, "a commit", "A commit", 1), g.export(alice), "SIGNATURE_INVALID", no, ""},
		{"another time", strings.Replace(byAlice, "1623758400", "1623758401", 1), g.export(alice), "SIGNATURE_INVALID", no, ""},
		{"another commit's signature", signedBy(payload(commitTime+1), signature), g.export(alice), "SIGNATURE_INVALID", no, ""},
		{"white space after the armor", signedBy(plain, signature+" \n\n"), g.export(alice), "", ok, ""},
		{"text after the armor", signedBy(plain, signature+"more\n"), g.export(alice), "SIGNATURE_INVALID", ok, "nobody signed that text"},
		{"a comment in the armor", signedBy(plain, strings.Replace(signature, "SIGNATURE-----\n", "SIGNATURE-----\nComment: of alice\n", 1)), g.export(alice), "", ok, ""},
		{"armor of a message", signedBy(plain, strings.ReplaceAll(signature, "PGP SIGNATURE", "PGP MESSAGE")), g.export(alice), "SIGNATURE_INVALID", ok, "an armor of another kind; gpg wrote it last in the nineties"},
		{"two blocks", signedBy(plain, signature+signature), g.export(alice), "SIGNATURE_INVALID", no, ""},
		{"a second signature, of the other format", strings.Replace(byAlice, "\ngpgsig ", "\ngpgsig-sha256 any\n bytes\ngpgsig ", 1), g.export(alice), "SIGNATURE_INVALID", ok, "git does not look at that header, and nobody signed it"},
		{"two signatures", g.sign(commitTime, day, alice, "--local-user", "="+bob), g.export(alice, bob), "SIGNATURE_INVALID", no, ""},
		{"of lines", g.sign(commitTime, day, alice, "--textmode"), g.export(alice), "SIGNATURE_INVALID", ok, "it fits other bytes as well"},
		{"sha1", g.sign(commitTime, day, bob, "--digest-algo", "SHA1"), g.export(bob), "SIGNATURE_INVALID", ok, "SHA-1 can be made to collide"},
		{"rsa, short", g.sign(commitTime, day, short), g.export(short), "SIGNATURE_INVALID", ok, "RSA of 1024 bits is within reach"},
		{"secp256k1", g.sign(commitTime, day, koblitz), g.export(koblitz), "SIGNATURE_INVALID", ok, "RFC 9580 has no such curve"},
		{"X.509", signedBy(plain, strings.ReplaceAll(signature, "PGP SIGNATURE", "SIGNED MESSAGE")), g.export(alice), "SIGNATURE_INVALID", no, ""},

		{"the key ended before", g.sign(commitTime, "20200601", early), g.export(early), "SIGNER_NOT_VALID", no, ""},
		{"the key ended before, the commit's date is older", g.sign(1590000000, "20200601", early), g.export(early), "", no, "the key was valid at the commit's time"},
		{"the key ended after", g.sign(commitTime, day, ending), g.export(ending), "", no, "the key was valid at the commit's time"},
		{"the key was renewed", g.sign(commitTime, day, renewed), g.export(renewed), "", ok, ""},
		{"the key was renewed, the old signatures are gone", g.sign(commitTime, day, renewed), g.at("20220601", "", "--export-options", "export-minimal", "--armor", "--export", "="+renewed), "", ok, ""},
		{"the key's life was cut", byCut, g.export(cut), "SIGNER_NOT_VALID", no, ""},
		{"the subkey ended before", bySubEarly, g.export(subEarly), "SIGNER_NOT_VALID", no, ""},
		{"the subkey was renewed", g.sign(commitTime, day, renewedLater), g.export(renewedLater), "", ok, ""},
		{"the key is revoked", byRevoked, g.export(revoked), "SIGNER_NOT_VALID", no, ""},
		{"the key is retired", byRetired, g.export(retired), "SIGNER_NOT_VALID", no, ""},
		{"the subkey is revoked", bySubRevoked, g.export(subRevoked), "SIGNER_NOT_VALID", no, ""},
		{"the key is revoked, and a stale copy follows", byRevoked, g.export(revoked) + staleRevoked, "SIGNER_NOT_VALID", no, ""},
		{"the key is revoked, and a stale copy comes first", byRevoked, staleRevoked + g.export(alice, revoked), "SIGNER_NOT_VALID", no, ""},
		{"the subkey is revoked, and a stale copy follows", bySubRevoked, g.export(subRevoked) + staleSubRevoked, "SIGNER_NOT_VALID", no, ""},
		{"the subkey is revoked, and a stale copy comes first", bySubRevoked, staleSubRevoked + g.export(subRevoked), "SIGNER_NOT_VALID", no, ""},
		{"the key's life was cut, and a stale copy follows", byCut, g.export(cut) + staleCut, "SIGNER_NOT_VALID", no, ""},
		{"the key's life was cut, and a stale copy comes first", byCut, staleCut + g.export(cut), "SIGNER_NOT_VALID", no, ""},
		{"the key was renewed, and a stale copy follows", g.sign(commitTime, day, renewed), g.export(renewed) + staleRenewed, "", ok, ""},
		{"a user is revoked, and a stale copy follows", g.sign(commitTime, day, "Second <second@example.org>"), g.export("Second <second@example.org>") + staleTwoUsers, "", ok, ""},
		{"a user is revoked", g.sign(commitTime, day, "Second <second@example.org>"), g.export("Second <second@example.org>"), "", ok, ""},
		{"the key is younger than the commit", g.sign(commitTime, "20210801", later), g.export(later), "SIGNER_NOT_VALID", ok, "git asks for a key that is valid now"},
		{"signed much later", g.sign(commitTime, "20230101", late), g.export(late), "", ok, ""},
		{"the signature ended before", g.sign(commitTime, "20210101", alice, "--default-sig-expire", "1m"), g.export(alice), "SIGNER_NOT_VALID", no, ""},
		{"the signature ended after", g.sign(commitTime, day, alice, "--default-sig-expire", "1m"), g.export(alice), "", no, "it was valid at the commit's time"},
		{"the subkey is another key's", g.sign(commitTime, day, carol), stolen, "SIGNER_NOT_VALID", no, ""},
		{"the subkey has not signed", g.sign(commitTime, day, carol), halfBound, "SIGNER_NOT_VALID", no, ""},
		{"subkeys for other ends", g.sign(commitTime, day, full), g.export(full), "", ok, ""},
		{"the key's own signatures are SHA-1", g.sign(commitTime, day, old), g.export(old), "SIGNER_NOT_VALID", ok, "SHA-1 can be made to collide"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := g.store(c.raw)
			accepted, says := g.gpgAccepts(t, id, c.list)
			got, code := verdict(t, id, c.raw, c.list)
			compare(t, code, c.want, accepted, c.git, c.why, says+c.list+c.raw)
			if accepted && c.want == "" && (got.Time.Unix() != commitTime || !strings.Contains(says, `"`+got.Principal+`"`) || !strings.Contains(strings.ReplaceAll(says, " ", ""), got.Fingerprint)) {
				t.Errorf("signed by %+v; git says\n%s", got, says)
			}
		})
	}
}

// packets returns the packets of a key from the first of that tag on.
func packets(t *testing.T, key string, tag uint8) []byte {
	t.Helper()
	var out bytes.Buffer
	r := packet.NewOpaqueReader(strings.NewReader(key))
	for found := false; ; {
		p, err := r.Next()
		if err == io.EOF {
			return out.Bytes()
		}
		if err != nil {
			t.Fatal(err)
		}
		if found = found || p.Tag == tag; found {
			if err := p.Serialize(&out); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// withoutBackSignature empties the unhashed part of each signature that binds a subkey, which is where gpg keeps the subkey's
// own signature.
func withoutBackSignature(t *testing.T, key string) []byte {
	t.Helper()
	var out bytes.Buffer
	r := packet.NewOpaqueReader(strings.NewReader(key))
	for removed := 0; ; {
		p, err := r.Next()
		if err == io.EOF {
			if removed != 1 {
				t.Fatalf("removed %d signatures", removed)
			}
			return out.Bytes()
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.Tag == 2 && p.Contents[1] == 0x18 {
			at := 6 + int(binary.BigEndian.Uint16(p.Contents[4:]))
			end := at + 2 + int(binary.BigEndian.Uint16(p.Contents[at:]))
			for in := p.Contents[at+2 : end]; len(in) > 0; {
				size := int(in[0])
				if size < 192 && in[1] == 16 { // the issuer stays
					p.Contents = slices.Concat(p.Contents[:at], []byte{0, byte(size + 1)}, in[:size+1], p.Contents[end:])
					removed++
					break
				}
				if in = in[1:]; size >= 192 {
					size = (size-192)<<8 + int(in[0]) + 192
					in = in[1:]
				}
				in = in[size:]
			}
		}
		if err := p.Serialize(&out); err != nil {
			t.Fatal(err)
		}
	}
}

// revoke makes and imports a revocation for a reason, by gpg's number for it, in 2022.
func (g *gpgHome) revoke(user, reason string) {
	g.t.Helper()
	text := g.at("20220101", "y\n"+reason+"\n\ny\n", "--armor", "--gen-revoke", g.fingerprint(user))
	g.at("20220101", "", "--import", g.file("revocation", text))
}
