package gitssh_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitssh"
	"example.org/compose/internal/giturl"
	"golang.org/x/crypto/ssh"
)

// otherKey is a key that no server of the tests has, as a line of authorized_keys.
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl other"

func TestHostKeys(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{HostKeys: []string{"ecdsa", "ed25519", "rsa"}})
	name := "[" + s.Host + "]:" + s.Port
	keyOf := func(line string) string { _, key, _ := strings.Cut(line, " "); return key }
	hash := func(line string) string {
		path := filepath.Join(t.TempDir(), "known_hosts")
		write(t, path, line)
		if out, err := exec.Command("ssh-keygen", "-q", "-H", "-f", path).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	ecdsa, ed25519, rsa := s.Known[0], s.Known[1], s.Known[2]
	tests := []struct {
		name   string
		known  []string
		config []string
		want   []string // nil: the key is accepted
	}{
		{"the key that the server likes best", []string{ecdsa}, nil, nil},
		{"another of its keys", []string{ed25519}, nil, nil},
		{"its RSA key", []string{rsa}, nil, nil},
		{"hashed", []string{hash(ed25519)}, nil, nil},
		{"hashed, among others", []string{hash(name + "9 " + otherKey), hash(ed25519)}, nil, nil},
		{"lines that say nothing", []string{"# " + rsa, "", "garbage", name + " ssh-ed25519 !", name + " ssh-rsa " + strings.Fields(keyOf(ed25519))[1], name + " 1024 35 1234", "@new " + name + " " + otherKey, ed25519}, nil, nil},
		{"several names", []string{"git.example.org,127.0.0.1," + name + " " + keyOf(ed25519)}, nil, nil},
		{"a pattern", []string{"[127.0.0.?]:* " + keyOf(ed25519)}, nil, nil},
		{"without its port", []string{s.Host + " " + keyOf(ed25519)}, nil, nil},
		{"one that is known twice", []string{name + " " + otherKey, ed25519}, nil, nil},
		{"of a file of its own", nil, []string{"UserKnownHostsFile ~/.ssh/own"}, nil},
		{"of the system", nil, []string{"GlobalKnownHostsFile ~/.ssh/own"}, nil},
		{"by an alias", []string{"alias " + keyOf(ed25519)}, []string{"HostKeyAlias alias"}, nil},

		{"unknown", nil, nil, []string{"which is not among the known hosts", "SHA256:", "(ssh-ed25519)", "ssh-keyscan -p " + s.Port + " -t ed25519 127.0.0.1 >> ~/.ssh/known_hosts"}},
		{"unknown, and nobody minds", nil, []string{"StrictHostKeyChecking no"}, []string{"which is not among the known hosts"}},
		{"unknown, and taken at first", nil, []string{"StrictHostKeyChecking accept-new"}, []string{"which is not among the known hosts"}},
		{"known for another port", []string{"[127.0.0.1]:1 " + keyOf(ed25519)}, nil, []string{"which is not among the known hosts"}},
		{"known for another host", []string{"[127.0.0.2]:" + s.Port + " " + keyOf(ed25519)}, nil, []string{"which is not among the known hosts"}},
		{"known, but not for this one", []string{"[*]:*,!" + name + " " + keyOf(ed25519)}, nil, []string{"which is not among the known hosts"}},
		{"another without its port", []string{s.Host + " " + otherKey}, nil, []string{"which is not among the known hosts"}},
		{"no file at all", nil, []string{"UserKnownHostsFile /dev/null"}, []string{"which is not among the known hosts"}},
		{"not by its alias", []string{ed25519}, []string{"HostKeyAlias alias"}, []string{"the server alias showed"}},
		{"changed", []string{"# one", name + " " + otherKey}, nil, []string{"~/.ssh/known_hosts:2", "somebody may be in between", "(ssh-ed25519)", "ssh-keygen -R '" + name + "'"}},
		{"changed, hashed", []string{hash(name + " " + otherKey)}, nil, []string{"~/.ssh/known_hosts:1", "somebody may be in between"}},
		{"revoked", []string{ed25519, "@revoked * " + keyOf(ed25519)}, nil, []string{"which ~/.ssh/known_hosts:2 revokes", "do not connect"}},
		{"revoked first", []string{"@revoked " + name + " " + keyOf(ed25519), ed25519}, nil, []string{"which ~/.ssh/known_hosts:1 revokes"}},
		{"revoked by a file", []string{ed25519}, []string{"RevokedHostKeys ~/.ssh/revoked"}, []string{"which ~/.ssh/revoked:2 revokes"}},
		{"a file of revoked keys that is missing", []string{ed25519}, []string{"RevokedHostKeys ~/.ssh/none"}, []string{"~/.ssh/none can't be read"}},
		{"a file of revoked keys that is none", []string{ed25519}, []string{"RevokedHostKeys ~/.ssh/config"}, []string{"~/.ssh/config:1 is no key"}},
		{"an authority's own key", []string{"@cert-authority " + ed25519}, nil, []string{"which is not among the known hosts"}},
		{"a file that can't be read", []string{ed25519}, []string{"GlobalKnownHostsFile ~/.ssh"}, []string{"~/.ssh can't be read: is a folder"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := optionsOf(t, s)
			s.WriteKnown(t, tt.known...)
			write(t, filepath.Join(s.Home, ".ssh", "config"), tt.config...)
			write(t, filepath.Join(s.Home, ".ssh", "own"), ed25519)
			write(t, filepath.Join(s.Home, ".ssh", "revoked"), "# these", keyOf(ed25519))
			out, err := output(t, urlOf(s), "echo in", opts)
			if tt.want == nil {
				if out != "in\n" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				return
			}
			wantRefusal(t, err, gitssh.CodeHostKey, tt.want...)
		})
	}
}

func TestHostCertificate(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{HostKeys: []string{"ecdsa", "ed25519"}, Certified: true})
	authority, plain := s.Known[0], s.Known[1]
	name := "[" + s.Host + "]:" + s.Port
	key := strings.TrimPrefix(authority, "@cert-authority "+name+" ")
	tests := []struct {
		name   string
		known  []string
		config string
		want   []string
	}{
		{"an authority", []string{authority}, "", nil},
		{"an authority for all", []string{"@cert-authority * " + key}, "", nil},
		{"an authority without the port", []string{"@cert-authority 127.0.0.* " + key}, "", nil},
		{"a changed key beside", []string{name + " " + otherKey, authority}, "", nil},
		{"no authority", []string{plain}, "", nil},
		{"another authority, and the key", []string{"@cert-authority " + name + " " + otherKey, plain}, "", nil},
		{"another authority", []string{"@cert-authority " + name + " " + otherKey}, "", []string{"is signed by SHA256:", "no known authority", "not among the known hosts"}},
		{"an authority of others", []string{"@cert-authority *.example.org " + key}, "", []string{"not among the known hosts"}},
		{"the authority's key as a host's", []string{name + " " + key}, "", []string{"somebody may be in between"}},
		{"for another name", []string{"@cert-authority alias " + key}, "HostKeyAlias alias", []string{"its certificate is not valid", "principal"}},
		{"a revoked authority", []string{authority, "@revoked * " + key}, "", []string{"~/.ssh/known_hosts:2 revokes"}},
		{"a revoked key", []string{authority, "@revoked " + plain}, "", []string{"~/.ssh/known_hosts:2 revokes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.WriteKnown(t, tt.known...)
			write(t, filepath.Join(s.Home, ".ssh", "config"), tt.config)
			out, err := output(t, urlOf(s), "echo in", optionsOf(t, s))
			if tt.want == nil {
				if out != "in\n" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				return
			}
			wantRefusal(t, err, gitssh.CodeHostKey, tt.want...)
		})
	}
}

// A certificate counts where its authority signs safely: as ssh has it without a configuration, and with an RSA key that is long enough.
func TestAuthorityAlgorithms(t *testing.T) {
	t.Parallel()
	signerOf := func(key crypto.Signer, err error) ssh.Signer {
		t.Helper()
		signer, err2 := ssh.NewSignerFromKey(key)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return signer
	}
	_, hostKey, err := ed25519.GenerateKey(rand.Reader)
	host := signerOf(hostKey, err)
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	ed := signerOf(edKey, err)
	short := signerOf(rsa.GenerateKey(rand.Reader, 1024))
	long := signerOf(rsa.GenerateKey(rand.Reader, 2048))
	curve := signerOf(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	for _, tt := range []struct {
		name      string
		authority ssh.Signer
		algorithm string
		want      bool
	}{
		{"ed25519", ed, ssh.KeyAlgoED25519, true},
		{"ecdsa", curve, ssh.KeyAlgoECDSA384, true},
		{"rsa, SHA-512", long, ssh.KeyAlgoRSASHA512, true},
		{"rsa, SHA-256", long, ssh.KeyAlgoRSASHA256, true},
		{"rsa, SHA-1", long, ssh.KeyAlgoRSA, false},
		{"a short rsa, SHA-512", short, ssh.KeyAlgoRSASHA512, false},
		{"a short rsa, SHA-1", short, ssh.KeyAlgoRSA, false},
	} {
		signer, err := ssh.NewSignerWithAlgorithms(tt.authority.(ssh.AlgorithmSigner), []string{tt.algorithm})
		if err != nil {
			t.Fatal(err)
		}
		cert := &ssh.Certificate{Key: host.PublicKey(), CertType: ssh.HostCert, ValidPrincipals: []string{"git"}, ValidBefore: ssh.CertTimeInfinity}
		if err := cert.SignCert(rand.Reader, signer); err != nil {
			t.Fatal(err)
		}
		authority := "@cert-authority git " + string(ssh.MarshalAuthorizedKey(tt.authority.PublicKey()))
		if got, _ := gitssh.KnowsKey([]byte(authority), "git", "git", cert); got != tt.want {
			t.Errorf("%s: accepted is %v", tt.name, got)
		}
		// The key itself may be known all the same.
		if got, _ := gitssh.KnowsKey([]byte(authority+"git "+string(ssh.MarshalAuthorizedKey(host.PublicKey()))), "git", "git", cert); !got {
			t.Errorf("%s: the key is not accepted", tt.name)
		}
	}
}

// A host that is named by an alias of the configuration.
func TestAlias(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
	write(t, filepath.Join(s.Home, ".ssh", "config"), "Host catalog", "HostName "+s.Host, "Port "+s.Port, "User "+s.User)
	opts := optionsOf(t, s)
	opts.Getenv = func(name string) string { return map[string]string{"USER": "nobody-at-all"}[name] }
	out, err := output(t, giturl.URL{Scheme: "ssh", Host: "catalog", Path: "/x"}, "echo in", opts)
	if out != "in\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func FuzzKnownHosts(f *testing.F) {
	f.Add([]byte("a,b* "+otherKey+"\n@revoked !c "+otherKey+"\n|1|c2FsdA==|c3Vt "+otherKey+"\n[x]:1 ssh-rsa AAAA"), "b")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if n := gitssh.KnownKeys(text, name); n > strings.Count(string(text), "\n")+1 {
			t.Errorf("%d keys", n)
		}
	})
}

// FuzzKnownHostsLaw: what is appended about other hosts changes nothing, and a key that is listed is accepted.
func FuzzKnownHostsLaw(f *testing.F) {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(otherKey))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("x "+otherKey+"\n"), []byte("@cert-authority y "+otherKey))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		text := string(before) + "\n[host]:1 " + otherKey + "\n" + string(after)
		if strings.Contains(text, "@revoked") {
			t.Skip()
		}
		if ok, algorithms := gitssh.KnowsKey([]byte(text), "[host]:1", "host", key); !ok || len(algorithms) == 0 {
			t.Errorf("a listed key is not known in %q", text)
		}
	})
}
