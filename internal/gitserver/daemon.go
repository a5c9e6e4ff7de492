package gitserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// DaemonOptions say what git's daemon is like.
type DaemonOptions struct {
	Protocol string   // "0" to speak that alone; "" for what a client asks
	Config   []string // key=value
}

// Daemon is git's daemon, one process for each connection.
type Daemon struct {
	URL string // git://127.0.0.1:port

	fault       setting[Fault]
	mu          sync.Mutex
	connections []net.Conn
	count       int
}

// ServeDaemon serves the repositories below root by the git protocol. The daemon runs as inetd would run it, so that the port is
// open when this returns and belongs to nobody else.
func ServeDaemon(t testing.TB, root string, options DaemonOptions) *Daemon {
	t.Helper()
	needGit(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &Daemon{URL: "git://" + listener.Addr().String()}
	ctx, cancel := context.WithCancel(context.Background())
	env := environment(t.TempDir(), options.Config)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			d.mu.Lock()
			d.connections = append(d.connections, conn)
			d.count++
			d.mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				command := exec.CommandContext(ctx, "git", "daemon", "--inetd", "--export-all", "--base-path="+root, root)
				command.Env = append(env, "REMOTE_ADDR=127.0.0.1", "REMOTE_PORT=1")
				d.run(ctx, command, conn, options.Protocol)
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		listener.Close()
		d.Disconnect()
		running.Wait()
	})
	return d
}

// Misbehave makes answers from now on faulty.
func (d *Daemon) Misbehave(fault Fault) { d.fault.set(fault) }

// Disconnect ends the connections that are open.
func (d *Daemon) Disconnect() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conn := range d.connections {
		conn.Close()
	}
	d.connections = nil
}

// Connections returns how many there have been.
func (d *Daemon) Connections() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

func (d *Daemon) run(ctx context.Context, command *exec.Cmd, conn net.Conn, protocol string) {
	in, err := command.StdinPipe()
	if err != nil {
		return
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return
	}
	if err := command.Start(); err != nil {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() {
		defer in.Close()
		if protocol == "0" {
			first, err := firstPacket(conn)
			if err != nil {
				return
			}
			in.Write(first)
		}
		io.Copy(in, conn)
	})
	io.Copy(&faulty{to: conn, fault: d.fault.get(), flush: func() {},
		stall: func() { <-ctx.Done() },
		cut:   func() { conn.Close() },
	}, out)
	conn.Close() // ends what still reads from it
	copying.Wait()
	out.Close()
	command.Wait()
}

// firstPacket reads the name of the repository, and drops the version that is asked for.
func firstPacket(conn io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return nil, err
	}
	var size int
	if _, err := fmt.Sscanf(string(head[:]), "%04x", &size); err != nil || size < 4 {
		return nil, fmt.Errorf("no packet: %q, %v", head, err)
	}
	line := make([]byte, size-4)
	if _, err := io.ReadFull(conn, line); err != nil {
		return nil, err
	}
	line, _, _ = bytes.Cut(line, []byte("\x00\x00"))
	text := strings.TrimSuffix(string(line), "\x00") + "\x00"
	return fmt.Appendf(nil, "%04x%s", len(text)+4, text), nil
}
