package gitssh

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
	"golang.org/x/crypto/ssh"
)

const (
	// authTimeout is OpenSSH's LoginGraceTime, after which its server hangs up by itself.
	authTimeout = 2 * time.Minute
	// startTimeout bounds the start of the command, once somebody is let in.
	startTimeout = 30 * time.Second
)

// attempt is one connection in the making.
type attempt struct {
	path     string // the URL, for messages
	settings *settings
	known    *knownHosts
	keys     *keyring
	conn     net.Conn
	trusted  atomic.Bool // the host key was accepted
	refused  *refusal
}

func run(ctx context.Context, u giturl.URL, command string, env map[string]string, p *place) (Session, error) {
	a := &attempt{path: u.String()}
	session, err := a.run(ctx, u, command, env, p)
	if err == nil {
		return session, nil
	}
	if a.conn != nil {
		a.conn.Close()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, err
}

func (a *attempt) run(ctx context.Context, u giturl.URL, command string, env map[string]string, p *place) (*session, error) {
	var err error
	if a.settings, err = settingsOf(p, u); err != nil {
		return nil, a.configFault(err)
	}
	if a.known, err = readKnownHosts(p, a.settings); err != nil {
		return nil, &Error{diag.Wrap(CodeHostKey, a.path, "no host key can be accepted", err)}
	}
	dialer := net.Dialer{Timeout: a.settings.timeout}
	if a.conn, err = dialer.DialContext(ctx, "tcp", a.settings.address()); err != nil {
		return nil, &Error{diag.Wrap(CodeUnreachable, a.path, "the server can't be reached", withoutAddress(err))}
	}
	// From here on the end of ctx closes the connection, which ends whatever waits for it.
	stop := context.AfterFunc(ctx, func() { a.conn.Close() })
	a.keys = openKeyring(ctx, p, a.settings)
	defer a.keys.close()
	client, err := a.handshake()
	if err != nil {
		stop()
		return nil, err
	}
	a.conn.SetDeadline(time.Now().Add(startTimeout))
	s, err := start(ctx, client, command, env)
	if err != nil {
		stop()
		client.Close()
		return nil, a.startFault(err)
	}
	a.conn.SetDeadline(time.Time{})
	s.stop = stop
	s.path = a.path
	return s, nil
}

// handshake agrees on keys with the server, checks its host key and authenticates.
func (a *attempt) handshake() (*ssh.Client, error) {
	signers := make([]ssh.Signer, len(a.keys.offers))
	for i, o := range a.keys.offers {
		signers[i] = o.signer
	}
	config := &ssh.ClientConfig{
		User:              a.settings.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signers...)},
		HostKeyAlgorithms: a.known.algorithms(),
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if a.refused = a.known.check(a.settings, key, time.Now); a.refused != nil {
				return errors.New("host key refused")
			}
			if !a.trusted.Swap(true) {
				a.conn.SetDeadline(time.Now().Add(authTimeout))
			}
			return nil
		},
		ClientVersion: "SSH-2.0-compose",
	}
	a.conn.SetDeadline(time.Now().Add(a.settings.timeout))
	conn, channels, requests, err := ssh.NewClientConn(a.conn, a.settings.address(), config)
	if err != nil {
		return nil, a.handshakeFault(err)
	}
	return ssh.NewClient(conn, channels, requests), nil
}

// configFault is an error of the ssh configuration.
func (a *attempt) configFault(err error) error {
	var proxy *proxyError
	switch {
	case errors.Is(err, errNoUser):
		return &Error{diag.New(CodeAuthentication, a.path, err.Error())}
	case errors.As(err, &proxy):
		return &Error{diag.Wrap(CodeUnreachable, a.path, "the server is not connected to directly", err).WithHint(cloneHint)}
	}
	return &Error{diag.Wrap(CodeUnreachable, a.path, "the ssh configuration can't be obeyed", err).WithHint(cloneHint)}
}

func (a *attempt) handshakeFault(err error) error {
	if a.refused != nil {
		return &Error{a.refused.base(a.path, a.settings)}
	}
	var timeout net.Error
	var negotiation *ssh.AlgorithmNegotiationError
	said := diag.Printable(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "ssh: handshake failed: "), "ssh: "), 300)
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		step := "show its host key"
		if a.trusted.Load() {
			step = "answer while authenticating"
		}
		return &Error{diag.New(CodeUnreachable, a.path, "the server accepted the connection and did not "+step+" in time; try again later")}
	case errors.As(err, &negotiation):
		return &Error{diag.New(CodeUnreachable, a.path, "the server offers nothing that is safe to use: "+said)}
	case !a.trusted.Load() && isEnd(err):
		return &Error{diag.New(CodeUnreachable, a.path, "the server closed the connection before it showed a host key; try again later, or see its log")}
	case !a.trusted.Load():
		return &Error{diag.New(CodeUnreachable, a.path, "the ssh handshake failed: "+said)}
	case isEnd(err):
		return &Error{diag.New(CodeUnreachable, a.path, "the server closed the connection while authenticating; "+a.keys.problem(a.settings.user))}
	}
	return &Error{diag.New(CodeAuthentication, a.path, a.keys.problem(a.settings.user)+"; the last word was: "+said)}
}

func (a *attempt) startFault(err error) error {
	said := diag.Printable(strings.TrimPrefix(err.Error(), "ssh: "), 300)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		said = "it did not answer in time"
	}
	return &Error{diag.New(CodeUnreachable, a.path, "the server lets "+diag.Printable(a.settings.user, 100)+" in and does not start git: "+said)}
}

// isEnd reports whether the connection was lost.
func isEnd(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op)
}

// withoutAddress drops the addresses of a network error: they differ from one try to the next.
func withoutAddress(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		if dns.IsNotFound {
			return errors.New("no such host " + dns.Name)
		}
		return errors.New("looking up " + dns.Name + " failed")
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		if op.Timeout() {
			return errors.New("no answer in time")
		}
		return op.Err
	}
	return err
}

// sortedNames returns the names of variables in order.
func sortedNames(env map[string]string) []string {
	var names []string
	for name := range env {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
