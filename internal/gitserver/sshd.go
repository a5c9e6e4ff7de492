package gitserver

import (
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sshdPath is where Debian's openssh-server has it.
const sshdPath = "/usr/sbin/sshd"

// SSHDOptions says how an SSHD is to differ from the usual one. The zero value is useful.
type SSHDOptions struct {
	HostKeys []string // types as ssh-keygen -t takes them; nil: ed25519
	Config   []string // more lines of sshd_config
	// Certified gives the first host key a certificate of an authority, for 127.0.0.1.
	Certified bool
}

// SSHD is OpenSSH's server on loopback, for the user who runs the test. What is below Home is all that a client needs; nobody's
// own files are touched.
type SSHD struct {
	Host, Port string // 127.0.0.1 and a free one
	User       string // who may log in, with the key below Home
	Home       string // has .ssh/id_ed25519 and .ssh/known_hosts
	Folder     string // of the server: hostkey_TYPE, hostkey_TYPE.pub, ca.pub, authorized_keys, log
	// Known are the lines of known_hosts, one for each host key in the order of the options; with Certified, the
	// authority's line first.
	Known []string

	listener net.Listener
	config   string
	mu       sync.Mutex
	running  []*exec.Cmd
	accepted int
	closed   bool
	serving  sync.WaitGroup
}

// StartSSHD starts a server that ends with the test. The test is skipped where there is no sshd.
//
// Each connection has an sshd of its own (sshd -i), so that the port is free for certain and there is no start to wait for.
func StartSSHD(t testing.TB, opts SSHDOptions) *SSHD {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs OpenSSH's sshd")
	}
	if _, err := os.Stat(sshdPath); err != nil {
		t.Skip("needs " + sshdPath + " of Debian's openssh-server")
	}
	who, err := user.Current()
	must(t, err)
	if who.Uid == "0" {
		must(t, os.MkdirAll("/run/sshd", 0o755)) // of privilege separation; made by the service otherwise
	}
	s := &SSHD{Host: "127.0.0.1", User: who.Username, Folder: t.TempDir(), Home: t.TempDir()}
	s.listener, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, s.Port, err = net.SplitHostPort(s.listener.Addr().String())
	must(t, err)
	s.makeKeys(t, opts)
	s.makeConfig(t, opts)
	if out, err := exec.Command(sshdPath, "-t", "-f", s.config).CombinedOutput(); err != nil {
		t.Fatalf("sshd refuses its configuration: %v\n%s", err, out)
	}
	s.serving.Add(1)
	go s.serve()
	t.Cleanup(func() { s.close(t) })
	return s
}

// Getenv is the environment of a client: HOME and USER.
func (s *SSHD) Getenv(name string) string {
	return map[string]string{"HOME": s.Home, "USER": s.User}[name]
}

// URL is the ssh URL of a repository on this machine.
func (s *SSHD) URL(path string) string { return "ssh://" + s.User + "@" + s.Host + ":" + s.Port + path }

// WriteKnown makes Home's known_hosts of lines.
func (s *SSHD) WriteKnown(t testing.TB, lines ...string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(s.Home, ".ssh", "known_hosts"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// Authorize lets the key of a line of authorized_keys in, alone.
func (s *SSHD) Authorize(t testing.TB, line string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(s.Folder, "authorized_keys"), []byte(line+"\n"), 0o600))
}

// Accepted is how many connections there were.
func (s *SSHD) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// Cut ends all connections that are open, as a server does that dies.
func (s *SSHD) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cmd := range s.running {
		cmd.Process.Kill()
	}
}

func (s *SSHD) makeKeys(t testing.TB, opts SSHDOptions) {
	t.Helper()
	must(t, os.Mkdir(filepath.Join(s.Home, ".ssh"), 0o700))
	Keygen(t, filepath.Join(s.Home, ".ssh", "id_ed25519"), "-t", "ed25519")
	s.Authorize(t, readLine(t, filepath.Join(s.Home, ".ssh", "id_ed25519.pub")))
	name := "[" + s.Host + "]:" + s.Port
	for _, kind := range kindsOf(opts) {
		key := filepath.Join(s.Folder, "hostkey_"+kind)
		Keygen(t, key, "-t", kind)
		s.Known = append(s.Known, name+" "+readLine(t, key+".pub"))
	}
	if opts.Certified {
		ca := filepath.Join(s.Folder, "ca")
		Keygen(t, ca, "-t", "ed25519")
		key := filepath.Join(s.Folder, "hostkey_"+kindsOf(opts)[0])
		out, err := exec.Command("ssh-keygen", "-q", "-s", ca, "-I", "test", "-h", "-n", s.Host, "-V", "always:forever", key+".pub").CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
		s.Known = slices.Insert(s.Known, 0, "@cert-authority "+name+" "+readLine(t, ca+".pub"))
	}
	s.WriteKnown(t, s.Known...)
}

func (s *SSHD) makeConfig(t testing.TB, opts SSHDOptions) {
	t.Helper()
	s.config = filepath.Join(s.Folder, "sshd_config")
	lines := []string{
		"PidFile none", "UsePAM no", "StrictModes no", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PermitRootLogin yes",
		"AuthorizedKeysFile " + filepath.Join(s.Folder, "authorized_keys"), "AcceptEnv GIT_PROTOCOL",
		// What git is told by the machine's configuration is none of the test.
		"SetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null", "LogLevel VERBOSE", "PrintMotd no", "PrintLastLog no",
	}
	for _, kind := range kindsOf(opts) {
		lines = append(lines, "HostKey "+filepath.Join(s.Folder, "hostkey_"+kind))
	}
	if opts.Certified {
		lines = append(lines, "HostCertificate "+filepath.Join(s.Folder, "hostkey_"+kindsOf(opts)[0]+"-cert.pub"))
	}
	// The first value of a keyword counts.
	must(t, os.WriteFile(s.config, []byte(strings.Join(append(opts.Config, lines...), "\n")+"\n"), 0o600))
}

// serve starts an sshd for each connection.
func (s *SSHD) serve() {
	defer s.serving.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		file, err := conn.(*net.TCPConn).File()
		conn.Close()
		if err != nil {
			continue
		}
		cmd := exec.Command(sshdPath, "-i", "-f", s.config, "-E", filepath.Join(s.Folder, "log"))
		cmd.Stdin, cmd.Stdout = file, file
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
		s.mu.Lock()
		s.accepted++
		if !s.closed && cmd.Start() == nil {
			s.running = append(s.running, cmd)
			s.serving.Add(1)
			go func() {
				defer s.serving.Done()
				cmd.Wait()
			}()
		}
		s.mu.Unlock()
		file.Close()
	}
}

func (s *SSHD) close(t testing.TB) {
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Cut()
	s.serving.Wait()
	if t.Failed() {
		if log, err := os.ReadFile(filepath.Join(s.Folder, "log")); err == nil {
			t.Logf("sshd says:\n%s", log)
		}
	}
}

// Keygen makes a key without a passphrase, or what else ssh-keygen's arguments say.
func Keygen(t testing.TB, path string, args ...string) {
	t.Helper()
	args = append([]string{"-q", "-C", "test", "-f", path}, args...)
	if !slices.Contains(args, "-N") {
		args = append(args, "-N", "")
	}
	if out, err := exec.Command("ssh-keygen", args...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
}

func kindsOf(opts SSHDOptions) []string {
	if opts.HostKeys == nil {
		return []string{"ed25519"}
	}
	return opts.HostKeys
}

func readLine(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return strings.TrimSpace(string(text))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
