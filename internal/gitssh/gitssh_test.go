package gitssh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/gitssh"
	"example.org/compose/internal/giturl"
)

// optionsOf are those of a client at home in what the server laid out; the machine's own ssh configuration is none of it.
func optionsOf(t *testing.T, s *gitserver.SSHD) gitssh.Options {
	return gitssh.Options{Getenv: s.Getenv, Home: s.Home, System: t.TempDir()}
}

func urlOf(s *gitserver.SSHD) giturl.URL {
	return giturl.URL{Scheme: "ssh", Host: s.Host, Port: s.Port, Path: "/x"}
}

// output runs a command and returns what it prints.
func output(t *testing.T, u giturl.URL, command string, opts gitssh.Options) (string, error) {
	t.Helper()
	session, err := gitssh.Run(t.Context(), u, command, nil, opts)
	if err != nil {
		return "", err
	}
	defer session.Close()
	out, err := io.ReadAll(session)
	return string(out), err
}

// wantRefusal fails unless err is an *Error of that code whose text and hint have all of texts.
func wantRefusal(t *testing.T, err error, code string, texts ...string) {
	t.Helper()
	var e *gitssh.Error
	if !errors.As(err, &e) || e.Code() != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	shown := e.Error() + "\n" + e.Hint()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			t.Errorf("%q is not in %s", text, shown)
		}
	}
	if e.Path() == "" {
		t.Errorf("no path in %v", err)
	}
}

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestUploadPack(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
	repo := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "--bare", repo).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	u, _, err := giturl.Parse(s.URL(repo))
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"2": "000eversion 2\n", "0": "0000"} {
		session, err := gitssh.Run(t.Context(), u, "git-upload-pack '"+repo+"'", map[string]string{"GIT_PROTOCOL": "version=" + version}, optionsOf(t, s))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(session, "0000"); err != nil {
			t.Fatal(err)
		}
		if err := session.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		out, err := io.ReadAll(session)
		if err != nil || !bytes.HasPrefix(out, []byte(want)) || !bytes.HasSuffix(out, []byte("0000")) {
			t.Errorf("version %q: got %q, %v", version, out, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := session.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
	}
}

func TestExit(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
	tests := []struct {
		name, command string
		want          gitssh.ExitError
	}{
		{"a status", "printf out; printf 'no such\\n\\033[31mrepository\\n' >&2; exit 3", gitssh.ExitError{Status: 3, Stderr: "no such ?[31mrepository"}},
		{"a signal", "kill -TERM $$", gitssh.ExitError{Status: 143, Signal: "TERM"}},
		{"no such program", "exec /none/such 2>/dev/null", gitssh.ExitError{Status: 127}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := output(t, urlOf(s), tt.command, optionsOf(t, s))
			var exit *gitssh.ExitError
			if !errors.As(err, &exit) || *exit != tt.want {
				t.Errorf("got %#v, want %#v", err, tt.want)
			}
		})
	}
	t.Run("much on stderr", func(t *testing.T) {
		session, err := gitssh.Run(t.Context(), urlOf(s), "head -c 9000000 /dev/zero | tr '\\0' x >&2; printf done", nil, optionsOf(t, s))
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		out, err := io.ReadAll(session)
		if err != nil || string(out) != "done" || len(session.Stderr()) != 4<<10 {
			t.Errorf("got %q, %v and %d bytes of stderr", out, err, len(session.Stderr()))
		}
	})
}

// A Read that waits for a command ends with ctx, with Close, and with the server.
func TestEndOfSession(t *testing.T) {
	t.Parallel()
	s := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
	why := errors.New("enough")
	tests := []struct {
		name string
		end  func(session gitssh.Session, cancel func())
		want func(err error) bool
	}{
		{"ctx", func(_ gitssh.Session, cancel func()) { cancel() }, func(err error) bool { return errors.Is(err, why) }},
		{"Close", func(session gitssh.Session, _ func()) { session.Close() }, func(err error) bool { return err != nil }},
		{"the server", func(gitssh.Session, func()) { s.Cut() }, func(err error) bool {
			var e *gitssh.Error
			return errors.As(err, &e) && e.Code() == gitssh.CodeUnreachable && strings.Contains(e.Error(), "last words")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			session, err := gitssh.Run(ctx, urlOf(s), "echo last words >&2; echo; exec sleep 600", nil, optionsOf(t, s))
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := io.ReadFull(session, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			for session.Stderr() == "" { // it has a stream of its own
				if ctx.Err() != nil {
					t.Fatal("no stderr")
				}
				time.Sleep(time.Millisecond)
			}
			reads, writes := make(chan error), make(chan error)
			go func() {
				_, err := session.Read(make([]byte, 1))
				reads <- err
			}()
			go func() {
				_, err := session.Write(make([]byte, 8<<20)) // more than anybody holds for a command that does not read
				writes <- err
			}()
			tt.end(session, func() { cancel(why) })
			if err := <-reads; !tt.want(err) {
				t.Errorf("Read: %v", err)
			}
			if err := <-writes; err == nil {
				t.Error("Write went on")
			}
			session.Close()
		})
	}
}
