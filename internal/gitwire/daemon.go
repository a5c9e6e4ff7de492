package gitwire

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"example.org/compose/internal/gitssh"
	"example.org/compose/internal/giturl"
)

// connectTimeout bounds a connection's beginning, and that of TLS.
const connectTimeout = 30 * time.Second

// dialDaemon connects to git's daemon and names the repository. Nothing there is encrypted, and nobody is known.
func dialDaemon(u giturl.URL) dialer {
	return func(ctx context.Context) (conn, error) {
		dialer := net.Dialer{Timeout: connectTimeout}
		c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Host, u.PortNumber()))
		if err != nil {
			return nil, unreachable(u.String(), err)
		}
		stop := context.AfterFunc(ctx, func() { c.Close() })
		line := "git-upload-pack " + u.Path + "\x00host=" + u.HostPort() + "\x00\x00version=2\x00"
		if _, err := fmt.Fprintf(c, "%04x%s", len(line)+lengthSize, line); err != nil {
			stop()
			c.Close()
			return nil, unreachable(u.String(), err)
		}
		return daemonConn{c, stop}, nil
	}
}

type daemonConn struct {
	net.Conn
	stop func() bool
}

func (c daemonConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

func (c daemonConn) silent() error { return nil }

// dialSSH runs upload-pack on the host. A server that does not take the variable speaks version 0.
func dialSSH(u giturl.URL, opts Options) dialer {
	return func(ctx context.Context) (conn, error) {
		session, err := gitssh.Run(ctx, u, "git-upload-pack "+quote(u.Path), map[string]string{"GIT_PROTOCOL": "version=2"},
			gitssh.Options{Getenv: opts.Getenv, Home: opts.Home})
		if err != nil {
			return nil, err
		}
		return sshConn{session, u.String()}, nil
	}
}

type sshConn struct {
	gitssh.Session
	name string
}

// silent has what the command wrote to its standard error: there a host says that it knows no such repository.
func (c sshConn) silent() error {
	c.Close()
	words := said(c.Stderr())
	lower := strings.ToLower(words)
	switch {
	case words == "":
		return nil
	case containsAny(lower, "command not found", "git-upload-pack: not found", "is not recognized"):
		return fault(CodeResponseInvalid, c.name, "there is no git on the host (it says %q); name a host that serves repositories", words)
	case containsAny(lower, "permission denied", "access denied", "denied by", "not allowed", "unauthorized"):
		return fault(CodeAuthentication, c.name, "the host knows you and does not let you read the repository (it says %q); ask its owner, or use another key", words)
	case saysNotFound(lower) || strings.Contains(lower, "not found"):
		return fault(CodeNotFound, c.name, "the host knows no such repository, or does not give it out (it says %q); check the path, and the key that you use", words)
	}
	return fault(CodeResponseInvalid, c.name, "the host ended the session (it says %q)", words)
}

// quote writes a path for a POSIX shell as git does; hosts that are no shell undo just that.
func quote(path string) string {
	return "'" + strings.NewReplacer("'", `'\''`, "!", `'\!'`).Replace(path) + "'"
}
