package gitssh_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// startAgent serves the keys of files on a socket.
func startAgent(t *testing.T, files ...string) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		key, err := ssh.ParseRawPrivateKey(text)
		if err != nil {
			if key, err = ssh.ParseRawPrivateKeyWithPassphrase(text, []byte("open sesame")); err != nil {
				t.Fatal(err)
			}
		}
		if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
			t.Fatal(err)
		}
	}
	return serveAgent(t, func(conn net.Conn) { agent.ServeAgent(ring, conn) })
}

func serveAgent(t *testing.T, serve func(conn net.Conn)) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "gitssh") // the name of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "agent")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return socket
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
	keys := t.TempDir()
	key := func(name string) string { return filepath.Join(keys, name) }
	gitserver.Keygen(t, key("right"), "-t", "ed25519")
	gitserver.Keygen(t, key("rsa"), "-t", "rsa", "-b", "2048")
	gitserver.Keygen(t, key("pem"), "-t", "rsa", "-b", "2048", "-m", "PEM")
	gitserver.Keygen(t, key("ecdsa"), "-t", "ecdsa")
	gitserver.Keygen(t, key("encrypted"), "-t", "ed25519", "-N", "open sesame")
	gitserver.Keygen(t, key("encrypted-pem"), "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", "open sesame")
	var wrong []string
	for _, name := range []string{"w1", "w2", "w3", "w4", "w5", "w6", "w7"} {
		gitserver.Keygen(t, key(name), "-t", "ed25519")
		wrong = append(wrong, key(name))
	}
	for from, to := range map[string]string{"right": "certified", "rsa": "certified-rsa"} {
		for _, end := range []string{"", ".pub"} {
			text, err := os.ReadFile(key(from) + end)
			if err != nil {
				t.Fatal(err)
			}
			write(t, key(to)+end, strings.TrimSpace(string(text)))
		}
		if out, err := exec.Command("ssh-keygen", "-q", "-s", key("w1"), "-I", "test", "-n", s.User, key(to)+".pub").CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	write(t, key("garbage"), "-----BEGIN OPENSSH PRIVATE KEY-----", "c2VjcmV0", "-----END OPENSSH PRIVATE KEY-----")
	public := func(name string) string {
		text, err := os.ReadFile(key(name) + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	right := startAgent(t, key("right"))
	tests := []struct {
		name       string
		authorized string // a line; or
		files      map[string]string
		config     []string
		agent      string
		want       []string // nil: the server lets the user in
	}{
		{"a default file", public("right"), map[string]string{"id_ed25519": "right"}, nil, "", nil},
		{"a default file of RSA", public("rsa"), map[string]string{"id_rsa": "rsa"}, nil, "", nil},
		{"a default file of RSA in the old format", public("pem"), map[string]string{"id_rsa": "pem"}, nil, "", nil},
		{"the third default file", public("ecdsa"), map[string]string{"id_ed25519": "w1", "id_rsa": "rsa", "id_ecdsa": "ecdsa"}, nil, "", nil},
		{"a file of the configuration", public("right"), map[string]string{"work": "right", "id_ed25519": "w1"}, []string{"IdentityFile ~/.ssh/work"}, "", nil},
		{"the agent", public("right"), nil, nil, right, nil},
		{"the agent, RSA", public("rsa"), nil, nil, startAgent(t, key("w1"), key("rsa")), nil},
		{"the agent of the configuration", public("right"), nil, []string{"IdentityAgent " + right}, "/none", nil},
		{"the agent beside wrong files", public("right"), map[string]string{"id_ed25519": "w1", "id_rsa": "rsa"}, nil, right, nil},
		{"a file beside wrong keys of the agent", public("right"), map[string]string{"id_ed25519": "right"}, nil, startAgent(t, wrong[:3]...), nil},
		{"a file of the configuration before many of the agent", public("right"), map[string]string{"work": "right"}, []string{"IdentityFile ~/.ssh/work"}, startAgent(t, wrong...), nil},
		{"an encrypted file that the agent has", public("encrypted"), map[string]string{"work": "encrypted"}, []string{"IdentityFile ~/.ssh/work", "IdentitiesOnly yes"}, startAgent(t, append(wrong[:6:6], key("encrypted"))...), nil},
		{"a public file for a key of the agent", public("right"), map[string]string{"work.pub": "right.pub"}, []string{"IdentityFile ~/.ssh/work.pub", "IdentitiesOnly yes"}, startAgent(t, append(wrong[:6:6], key("right"))...), nil},
		{"the public half alone", public("right"), map[string]string{"work.pub": "right.pub"}, []string{"IdentityFile ~/.ssh/work", "IdentitiesOnly yes"}, startAgent(t, append(wrong[:6:6], key("right"))...), nil},
		{"a certificate beside the key", "cert-authority " + public("w1"), map[string]string{"id_ed25519": "certified", "id_ed25519-cert.pub": "certified-cert.pub"}, nil, "", nil},
		{"a certificate of RSA", "cert-authority " + public("w1"), map[string]string{"id_rsa": "certified-rsa", "id_rsa-cert.pub": "certified-rsa-cert.pub"}, nil, "", nil},
		{"a certificate of the configuration", "cert-authority " + public("w1"), map[string]string{"work": "certified", "cert": "certified-cert.pub"}, []string{"IdentityFile ~/.ssh/work", "CertificateFile ~/.ssh/cert"}, "", nil},
		{"a certificate for a key of the agent", "cert-authority " + public("w1"), map[string]string{"work.pub": "right.pub", "cert": "certified-cert.pub"}, []string{"IdentityFile ~/.ssh/work", "CertificateFile ~/.ssh/cert"}, right, nil},

		{"a wrong key", public("right"), map[string]string{"id_ed25519": "w1"}, nil, "", []string{"SHA256:", "(~/.ssh/id_ed25519)", "the server does not let " + s.User + " in"}},
		{"no key", public("right"), nil, nil, "", []string{"there is no key to offer"}},
		{"a key that is missing", public("right"), nil, []string{"IdentityFile ~/.ssh/none"}, "", []string{"there is no key to offer", "~/.ssh/none is missing"}},
		{"an encrypted key", public("encrypted"), map[string]string{"id_ed25519": "encrypted"}, nil, "", []string{"there is no key to offer", "~/.ssh/id_ed25519 is encrypted; add it to the agent with ssh-add"}},
		{"an encrypted key in the old format", public("encrypted-pem"), map[string]string{"id_rsa": "encrypted-pem"}, nil, "", []string{"~/.ssh/id_rsa is encrypted; add it to the agent with ssh-add"}},
		{"a file that is no key", public("right"), map[string]string{"id_rsa": "garbage"}, nil, "", []string{"~/.ssh/id_rsa is no private key"}},
		{"a file that is no certificate", public("right"), map[string]string{"id_ed25519": "w1"}, []string{"CertificateFile ~/.ssh/id_ed25519"}, "", []string{"~/.ssh/id_ed25519 holds no certificate"}},
		{"an agent that is not there", public("right"), nil, nil, "/none", []string{"the ssh agent can't be reached"}},
		{"an agent that is none", public("right"), nil, nil, serveAgent(t, func(conn net.Conn) { conn.Write([]byte("HTTP/1.0 400 Bad\n")) }), []string{"the ssh agent does not list its keys"}},
		{"an agent that is not asked", public("right"), nil, []string{"IdentityAgent none"}, right, []string{"there is no key to offer"}},
		{"only identities", public("right"), map[string]string{"id_ed25519": "w1"}, []string{"IdentitiesOnly yes"}, right, []string{"(~/.ssh/id_ed25519)"}},
		{"too many", public("right"), map[string]string{"id_ed25519": "right"}, nil, startAgent(t, wrong...), []string{"2 more were not offered", "IdentityFile"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.Authorize(t, tt.authorized)
			opts := optionsOf(t, s)
			opts.Home = t.TempDir()
			opts.Getenv = func(name string) string { return map[string]string{"USER": s.User, "SSH_AUTH_SOCK": tt.agent}[name] }
			write(t, filepath.Join(opts.Home, ".ssh", "known_hosts"), s.Known...)
			write(t, filepath.Join(opts.Home, ".ssh", "config"), tt.config...)
			for to, from := range tt.files {
				text, err := os.ReadFile(key(from))
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(opts.Home, ".ssh", to), strings.TrimSpace(string(text)))
			}
			out, err := output(t, urlOf(s), "echo in", opts)
			if tt.want == nil {
				if out != "in\n" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				return
			}
			wantRefusal(t, err, gitssh.CodeAuthentication, tt.want...)
			if strings.Contains(err.Error(), "c2VjcmV0") {
				t.Errorf("it quotes the file: %v", err)
			}
		})
	}
}
