package signature_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// commitTime is the committer's time of every commit here, unless a case says otherwise: 2021-06-15, noon.
const commitTime = 1623758400

// lab is a folder with a repository, keys, and the programs that git asks about signatures.
type lab struct {
	t   *testing.T
	dir string
	env []string
}

// newLab needs the programs named; without one of them the test is skipped, and .ci/run installs them.
func newLab(t *testing.T, programs ...string) *lab {
	t.Helper()
	for _, program := range append([]string{"git"}, programs...) {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing: this compares with what it says", program)
		}
	}
	l := &lab{t: t, dir: t.TempDir()}
	for _, name := range []string{"PATH", "SYSTEMROOT", "TMPDIR"} {
		l.env = append(l.env, name+"="+os.Getenv(name))
	}
	l.env = append(l.env, "HOME="+l.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+l.path("gitconfig"), "GIT_DIR="+l.path("repo.git"), "TZ=UTC", "LC_ALL=C")
	l.run(nil, "git", "init", "--quiet", "--bare", l.path("repo.git"))
	return l
}

func (l *lab) path(name string) string { return filepath.Join(l.dir, name) }

// run returns what a program prints; one that fails fails the test.
func (l *lab) run(stdin []byte, program string, args ...string) []byte {
	l.t.Helper()
	out, err := l.try(stdin, program, args...)
	if err != nil {
		l.t.Fatalf("%s %q: %v", program, args, err)
	}
	return out
}

// newCommand is for what must run when the test's context has ended.
func newCommand(env []string, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = env
	return cmd
}

func (l *lab) try(stdin []byte, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(l.t.Context(), program, args...)
	var out, diagnostics bytes.Buffer
	cmd.Env, cmd.Dir = l.env, l.dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &diagnostics
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &diagnostics)
	}
	return out.Bytes(), nil
}

// file writes a file and returns its path.
func (l *lab) file(name, text string) string {
	l.t.Helper()
	if err := os.WriteFile(l.path(name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
	return l.path(name)
}

func (l *lab) read(name string) string {
	l.t.Helper()
	b, err := os.ReadFile(l.path(name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(b)
}

// payload is an unsigned commit of the empty tree at that time.
func payload(seconds int64) string {
	return fmt.Sprintf("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A U Thor <author@example.org> 1000000000 +0000\n"+
		"committer C O Mitter <committer@example.org> %d +0200\n\na commit\n", seconds)
}

// signedBy puts a signature into a commit, as git does.
func signedBy(payload, signature string) string {
	headers, body, _ := strings.Cut(payload, "\n\n")
	header := "gpgsig " + strings.ReplaceAll(strings.TrimSuffix(signature, "\n"), "\n", "\n ")
	return headers + "\n" + header + "\n\n" + body
}

// store puts a commit into the repository, however odd it is, and returns its id.
func (l *lab) store(raw string) string {
	l.t.Helper()
	return strings.TrimSpace(string(l.run([]byte(raw), "git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")))
}

// commitTree lets git itself make and sign a commit; config is what says how.
func (l *lab) commitTree(seconds int64, config ...string) string {
	l.t.Helper()
	env := l.env
	defer func() { l.env = env }()
	date := fmt.Sprintf("%d +0200", seconds)
	l.env = append(l.env[:len(l.env):len(l.env)], "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE="+date)
	tree := strings.TrimSpace(string(l.run(nil, "git", "hash-object", "-t", "tree", "-w", "--stdin")))
	args := []string{}
	for _, c := range config {
		args = append(args, "-c", c)
	}
	id := strings.TrimSpace(string(l.run(nil, "git", append(args, "commit-tree", "-S", "-m", "made by git", tree)...)))
	return string(l.run(nil, "git", "cat-file", "commit", id))
}

// gitAccepts reports whether git accepts a commit, and what it says.
func (l *lab) gitAccepts(id string, config ...string) (bool, string) {
	args := []string{}
	for _, c := range config {
		args = append(args, "-c", c)
	}
	cmd := exec.CommandContext(l.t.Context(), "git", append(args, "verify-commit", "-v", id)...)
	cmd.Env, cmd.Dir = l.env, l.dir
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

// sshKey makes a key without a passphrase and returns its name; the public half as TYPE KEY.
func (l *lab) sshKey(name, kind, bits string) string {
	l.t.Helper()
	args := []string{"-q", "-t", kind, "-N", "", "-C", "", "-f", l.path(name)}
	if bits != "" {
		args = append(args, "-b", bits)
	}
	l.run(nil, "ssh-keygen", args...)
	return name
}

func (l *lab) public(name string) string {
	l.t.Helper()
	return strings.TrimSpace(l.read(name + ".pub"))
}

// sshSign signs as git does, but for what args say.
func (l *lab) sshSign(payload, key string, args ...string) string {
	l.t.Helper()
	if args == nil {
		args = []string{"-n", "git"}
	}
	return string(l.run([]byte(payload), "ssh-keygen", append([]string{"-Y", "sign", "-f", l.path(key)}, args...)...))
}

// zulu writes a time for an allowed-signers file.
func zulu(seconds int64) string { return time.Unix(seconds, 0).UTC().Format("20060102150405") + "Z" }
