package gitssh_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitssh"
	"example.org/compose/internal/giturl"
	"golang.org/x/crypto/ssh"
)

// listen serves connections with a function, and returns where.
func listen(t *testing.T, serve func(conn net.Conn)) giturl.URL {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
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
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return giturl.URL{Scheme: "ssh", Host: "127.0.0.1", Port: port, User: "git", Path: "/x"}
}

// stall takes what comes until the client has enough.
func stall(conn net.Conn) { io.Copy(io.Discard, conn) }

// homeWith is a home that knows hosts.
func homeWith(t *testing.T, known ...string) gitssh.Options {
	home := t.TempDir()
	write(t, filepath.Join(home, ".ssh", "known_hosts"), known...)
	return gitssh.Options{Home: home, System: t.TempDir()}
}

func TestHostileServers(t *testing.T) {
	t.Parallel()
	const inTime = "in time" // it takes ConnectTimeout, and is waited for no longer
	tests := []struct {
		name  string
		serve func(conn net.Conn)
		want  string
	}{
		{"says nothing", stall, inTime},
		{"closes", func(net.Conn) {}, "closed the connection before it showed a host key"},
		{"says half of its version", func(conn net.Conn) { io.WriteString(conn, "SSH-2.0-"); stall(conn) }, inTime},
		{"says its version and nothing more", func(conn net.Conn) { io.WriteString(conn, "SSH-2.0-x\r\n"); stall(conn) }, inTime},
		{"says its version and closes", func(conn net.Conn) { io.WriteString(conn, "SSH-2.0-x\r\n"); io.CopyN(io.Discard, conn, 100) }, "closed the connection before it showed a host key"},
		{"speaks http", func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			io.CopyN(io.Discard, conn, 1)
		}, "before it showed a host key"},
		{"speaks without end", func(conn net.Conn) {
			for line := bytes.Repeat([]byte("x"), 1000); ; {
				if _, err := conn.Write(append(line, '\n')); err != nil {
					return
				}
			}
		}, "the ssh handshake failed: "},
		{"sends garbage", func(conn net.Conn) {
			io.WriteString(conn, "SSH-2.0-x\r\n")
			conn.Write(bytes.Repeat([]byte{0xff, 0x1b}, 1000))
			stall(conn)
		}, "the ssh handshake failed: "},
		{"sends a packet of no kind", func(conn net.Conn) {
			io.WriteString(conn, "SSH-2.0-x\r\n\x00\x00\x00\x0c\x0a\x63")
			conn.Write(make([]byte, 100))
			stall(conn)
		}, "the ssh handshake failed: "},
		{"says why it does not want to", func(conn net.Conn) {
			io.WriteString(conn, "SSH-2.0-x\r\n")
			payload := append([]byte{1}, ssh.Marshal(struct {
				Reason           uint32
				Message, Landuge string
			}{12, "too \x1b[31mmany", ""})...)
			padding := 16 - (5+len(payload))%8
			conn.Write(append(append([]byte{0, 0, 0, byte(1 + len(payload) + padding), byte(padding)}, payload...), make([]byte, padding)...))
			stall(conn)
		}, `"too \x1b[31mmany"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			opts := homeWith(t)
			if tt.want == inTime {
				write(t, filepath.Join(opts.Home, ".ssh", "config"), "ConnectTimeout 1")
			}
			_, err := output(t, listen(t, tt.serve), "true", opts)
			wantRefusal(t, err, gitssh.CodeUnreachable, tt.want)
		})
	}
	t.Run("is not there", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		listener.Close()
		_, err = output(t, giturl.URL{Scheme: "ssh", Host: "127.0.0.1", Port: port, User: "git", Path: "/x"}, "true", homeWith(t))
		wantRefusal(t, err, gitssh.CodeUnreachable, "the server can't be reached: connect: connection refused")
	})
	t.Run("has no name", func(t *testing.T) {
		_, err := output(t, giturl.URL{Scheme: "ssh", Host: "no such host.invalid", User: "git", Path: "/x"}, "true", homeWith(t))
		wantRefusal(t, err, gitssh.CodeUnreachable, "the server can't be reached")
	})
}

// sshServer is a server in the test, for what OpenSSH's would not do. It returns the line of known_hosts for it.
func sshServer(t *testing.T, algorithms []string, session func(ch ssh.Channel, requests <-chan *ssh.Request)) (giturl.URL, string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{NoClientAuth: true}
	config.KeyExchanges = algorithms
	config.AddHostKey(key)
	u := listen(t, func(conn net.Conn) {
		server, channels, requests, err := ssh.NewServerConn(conn, config)
		if err != nil {
			return
		}
		defer server.Close()
		go ssh.DiscardRequests(requests)
		for c := range channels {
			if session == nil {
				c.Reject(ssh.ResourceShortage, "no \x1b[0mroom")
				continue
			}
			ch, requests, err := c.Accept()
			if err != nil {
				return
			}
			session(ch, requests)
		}
	})
	return u, "[" + u.Host + "]:" + u.Port + " " + string(ssh.MarshalAuthorizedKey(key.PublicKey()))
}

func TestOddSessions(t *testing.T) {
	t.Parallel()
	start := func(ch ssh.Channel, requests <-chan *ssh.Request) {
		for r := range requests {
			if r.WantReply {
				r.Reply(true, nil)
			}
			if r.Type == "exec" {
				return
			}
		}
	}
	tests := []struct {
		name       string
		algorithms []string
		session    func(ch ssh.Channel, requests <-chan *ssh.Request)
		want       string
	}{
		{"no session", nil, nil, "does not start git: rejected: resource shortage (\"no \\x1b[0mroom\")"},
		{"no command", nil, func(_ ssh.Channel, requests <-chan *ssh.Request) { ssh.DiscardRequests(requests) }, "does not start git: command true failed"},
		{"no status", nil, func(ch ssh.Channel, requests <-chan *ssh.Request) { start(ch, requests); ch.Close() }, "without the command's status"},
		{"a status of nonsense", nil, func(ch ssh.Channel, requests <-chan *ssh.Request) {
			start(ch, requests)
			ch.SendRequest("exit-status", false, []byte{1})
			ch.Close()
		}, "without the command's status"},
		{"old algorithms", []string{"diffie-hellman-group1-sha1"}, nil, "offers nothing that is safe to use"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, known := sshServer(t, tt.algorithms, tt.session)
			_, err := output(t, u, "true", homeWith(t, known))
			wantRefusal(t, err, gitssh.CodeUnreachable, tt.want)
		})
	}
}

// Run ends with ctx, wherever it is.
func TestContext(t *testing.T) {
	t.Parallel()
	accepted := make(chan struct{}, 1)
	reached := func(conn net.Conn) { accepted <- struct{}{}; stall(conn) }
	never, known := sshServer(t, nil, func(ssh.Channel, <-chan *ssh.Request) { accepted <- struct{}{}; select {} })
	tests := []struct {
		name string
		u    giturl.URL
		opts gitssh.Options
	}{
		{"before the version", listen(t, reached), homeWith(t)},
		{"after the version", listen(t, func(conn net.Conn) { io.WriteString(conn, "SSH-2.0-x\r\n"); reached(conn) }), homeWith(t)},
		{"at the agent", listen(t, stall), func() gitssh.Options {
			opts := homeWith(t)
			socket := serveAgent(t, reached)
			opts.Getenv = func(name string) string { return map[string]string{"SSH_AUTH_SOCK": socket}[name] }
			return opts
		}()},
		{"at the command", never, homeWith(t, known)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-accepted
				cancel(why)
			}()
			if _, err := gitssh.Run(ctx, tt.u, "true", nil, tt.opts); !errors.Is(err, why) {
				t.Errorf("got %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gitssh.Run(ctx, listen(t, stall), "true", nil, homeWith(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended before: %v", err)
	}
}
