package gitssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/plainfile"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

const (
	// maxOffers is how many keys are offered: OpenSSH's MaxAuthTries, after which a server hangs up.
	maxOffers    = 6
	maxKeyBytes  = 64 << 10
	maxAgentKeys = 1000
)

// offer is a key that a server may be asked to take.
type offer struct {
	signer ssh.Signer
	name   string // for messages
}

// keyring is what there is to authenticate with.
type keyring struct {
	offers  []offer  // at most maxOffers
	left    int      // how many more there are
	notes   []string // why others are not offered
	closers []func()
}

func (k *keyring) close() {
	for _, c := range k.closers {
		c()
	}
}

func (k *keyring) note(format string, args ...any) {
	k.notes = append(k.notes, fmt.Sprintf(format, args...))
}

// openKeyring finds the keys for a host, the best first: those that the configuration names, with their certificates;
// those of the agent, where default files hold the same ones first; then the default files.
func openKeyring(ctx context.Context, p *place, s *settings) *keyring {
	k := &keyring{}
	held := k.agentSigners(ctx, s)
	certs := k.certificates(p, s)
	var named, both, files []offer
	used := map[string]bool{}
	for _, id := range s.identities {
		found := k.identity(p, id, held, used, certs)
		switch {
		case id.asked:
			named = append(named, found.all...)
		case found.inAgent:
			both = append(both, found.all...)
		default:
			files = append(files, found.all...)
		}
	}
	all := append(named, both...)
	if !s.identityOnly {
		for _, signer := range held {
			if !used[wireOf(signer)] {
				all = append(all, offer{signer, "of the agent"})
			}
		}
	}
	all = append(all, files...)
	if len(all) > maxOffers {
		k.left = len(all) - maxOffers
		all = all[:maxOffers]
	}
	k.offers = all
	return k
}

// agentSigners asks the agent for its keys. An agent that is not there has none.
func (k *keyring) agentSigners(ctx context.Context, s *settings) []ssh.Signer {
	if s.agent == "" {
		return nil
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "unix", s.agent)
	if err != nil {
		k.note("the ssh agent can't be reached")
		return nil
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	k.closers = append(k.closers, func() { stop(); conn.Close() })
	// A key may ask for a touch or a confirmation, so that signing has the time that authenticating has.
	conn.SetDeadline(time.Now().Add(authTimeout))
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		k.note("the ssh agent does not list its keys")
		return nil
	}
	if len(signers) > maxAgentKeys {
		signers = signers[:maxAgentKeys]
	}
	var usable []ssh.Signer
	for _, signer := range signers {
		if signer = withoutSHA1(signer); signer != nil {
			usable = append(usable, signer)
		}
	}
	return usable
}

// certificates reads the files of CertificateFile.
func (k *keyring) certificates(p *place, s *settings) []*ssh.Certificate {
	var certs []*ssh.Certificate
	for _, path := range s.certificates {
		if cert, ok := readPublic(path).(*ssh.Certificate); ok {
			certs = append(certs, cert)
		} else {
			k.note("%s holds no certificate", p.short(path))
		}
	}
	return certs
}

// identityKeys is what an identity file leads to: certificates, then the key.
type identityKeys struct {
	all     []offer
	inAgent bool
}

// identity finds the key of a file: in the agent, else in the file. It marks in used what it takes.
func (k *keyring) identity(p *place, id identity, held []ssh.Signer, used map[string]bool, certs []*ssh.Certificate) identityKeys {
	signer, public, problem := readPrivate(id.path)
	if public == nil {
		public = readPublic(id.path + ".pub")
	}
	if public == nil && problem != "" {
		public = readPublic(id.path) // the configuration names the public half of a key in the agent
	}
	var found identityKeys
	name := p.short(id.path)
	if public != nil {
		for _, other := range held {
			if wireOf(other) == string(public.Marshal()) {
				signer, found.inAgent = other, true
			}
		}
	}
	if signer == nil {
		if problem != "" {
			k.note("%s %s", name, problem)
		} else if id.asked {
			k.note("%s is missing", name)
		}
		return found
	}
	add := func(s ssh.Signer, name string) {
		if wire := wireOf(s); !used[wire] {
			used[wire] = true
			found.all = append(found.all, offer{s, name})
		}
	}
	if cert, ok := readPublic(id.path + "-cert.pub").(*ssh.Certificate); ok {
		certs = append(slices.Clone(certs), cert)
	}
	for _, cert := range certs {
		if !bytes.Equal(cert.Key.Marshal(), signer.PublicKey().Marshal()) {
			continue
		}
		if certified, err := ssh.NewCertSigner(cert, signer); err == nil {
			add(certified, name+" with a certificate")
		}
	}
	add(signer, name)
	return found
}

// readPrivate reads a private key. problem says why a file that is there can't be used; a missing one is none.
func readPrivate(path string) (signer ssh.Signer, public ssh.PublicKey, problem string) {
	text, err := plainfile.Read(path, maxKeyBytes)
	switch {
	case plainfile.IsMissing(err):
		return nil, nil, ""
	case err != nil:
		return nil, nil, "can't be read: " + plainfile.Cause(err).Error()
	}
	signer, err = ssh.ParsePrivateKey(text)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &encrypted):
		return nil, encrypted.PublicKey, "is encrypted; add it to the agent with ssh-add"
	case err != nil:
		// The error may quote the file.
		return nil, nil, "is no private key that can be used from a file; a key of a security token belongs into the agent"
	}
	if usable := withoutSHA1(signer); usable != nil {
		return usable, signer.PublicKey(), ""
	}
	return nil, nil, "can't sign with SHA-2"
}

// readPublic reads a public key or a certificate; nil where there is none.
func readPublic(path string) ssh.PublicKey {
	text, err := plainfile.Read(path, maxKeyBytes)
	if err != nil {
		return nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	if err != nil {
		return nil
	}
	return key
}

// withoutSHA1 keeps a signer of an RSA key to SHA-2; nil where it can't be kept. DSA has no other.
func withoutSHA1(signer ssh.Signer) ssh.Signer {
	kind := signer.PublicKey().Type()
	if strings.HasPrefix(kind, "ssh-dss") {
		return nil
	}
	if kind != ssh.KeyAlgoRSA && kind != ssh.CertAlgoRSAv01 {
		return signer
	}
	able, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return nil
	}
	kept, err := ssh.NewSignerWithAlgorithms(able, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256})
	if err != nil {
		return nil
	}
	return kept
}

func wireOf(signer ssh.Signer) string { return string(signer.PublicKey().Marshal()) }

// problem says what a person can do about a server that took none of the keys.
func (k *keyring) problem(user string) string {
	text := "the server does not let " + diag.Printable(user, 100) + " in"
	if len(k.offers) == 0 {
		text += "; there is no key to offer: add one to the ssh agent, or name its file as IdentityFile in ~/.ssh/config"
	} else {
		var names []string
		for _, o := range k.offers {
			names = append(names, fingerprint(o.signer.PublicKey())+" ("+o.name+")")
		}
		text += " with any of the keys " + strings.Join(names, ", ") + "; have one of them added there, or name the right one as IdentityFile in ~/.ssh/config"
	}
	if k.left > 0 {
		text += fmt.Sprintf("; %d more were not offered, as servers hang up after %d: name the right one as IdentityFile", k.left, maxOffers)
	}
	if len(k.notes) > 0 {
		text += "; passed over: " + strings.Join(k.notes, ", ")
	}
	return text
}
