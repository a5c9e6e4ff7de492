package gitssh

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"example.org/compose/internal/diag"
	"golang.org/x/crypto/ssh"
)

const (
	maxStderr = 4 << 10
	// exitTimeout is how long a status is waited for once the output has ended; servers send it with the end.
	exitTimeout = 10 * time.Second
)

// session is a running command.
type session struct {
	ctx     context.Context
	path    string      // the URL, for messages
	stop    func() bool // takes the watch on ctx off
	client  *ssh.Client
	in      io.WriteCloser
	out     io.Reader
	stderr  *stderr
	ended   chan struct{} // closed when exit is set
	exit    error         // of the command
	closing sync.Once
}

// start runs command on a connection.
func start(ctx context.Context, client *ssh.Client, command string, env map[string]string) (*session, error) {
	remote, err := client.NewSession()
	if err != nil {
		return nil, err
	}
	s := &session{ctx: ctx, client: client, stderr: &stderr{}, ended: make(chan struct{})}
	remote.Stderr = s.stderr
	if s.in, err = remote.StdinPipe(); err != nil {
		return nil, err
	}
	if s.out, err = remote.StdoutPipe(); err != nil {
		return nil, err
	}
	for _, name := range sortedNames(env) {
		// No answer is asked for: a server that does not take it is none that fails.
		payload := struct{ Name, Value string }{name, env[name]}
		if _, err := remote.SendRequest("env", false, ssh.Marshal(&payload)); err != nil {
			return nil, err
		}
	}
	if err := remote.Start(command); err != nil {
		return nil, err
	}
	go func() {
		s.exit = remote.Wait()
		close(s.ended)
	}()
	return s, nil
}

func (s *session) Read(p []byte) (int, error) {
	n, err := s.out.Read(p)
	if err == nil || n > 0 {
		return n, nil
	}
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	if errors.Is(err, io.EOF) {
		err = s.end()
	}
	return 0, err
}

// end is what an output that has ended means.
func (s *session) end() error {
	patience := time.NewTimer(exitTimeout)
	defer patience.Stop()
	select {
	case <-s.ended:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	case <-patience.C:
		return s.lost()
	}
	var exit *ssh.ExitError
	switch {
	case s.exit == nil:
		return io.EOF
	case errors.As(s.exit, &exit):
		return &ExitError{Status: exit.ExitStatus(), Signal: diag.Printable(exit.Signal(), 20), Stderr: s.Stderr()}
	}
	return s.lost()
}

// lost is an output that ended without a word on how.
func (s *session) lost() error {
	text := "the session ended without the command's status: the connection was lost, or the server ended the command; try again later"
	if said := s.Stderr(); said != "" {
		text += "; it had said " + strconv.Quote(said)
	}
	return &Error{diag.New(CodeUnreachable, s.path, text)}
}

func (s *session) Write(p []byte) (int, error) {
	n, err := s.in.Write(p)
	if err != nil && s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	return n, err
}

func (s *session) CloseWrite() error { return s.in.Close() }

func (s *session) Close() error {
	s.closing.Do(func() {
		s.stop()
		s.client.Close() // of a connection that may be broken already
	})
	return nil
}

func (s *session) Stderr() string { return s.stderr.String() }

// stderr keeps the first bytes of what is written, and takes the rest so that the command goes on.
type stderr struct {
	mu   sync.Mutex
	text []byte
}

func (e *stderr) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.text = append(e.text, p[:min(len(p), maxStderr-len(e.text))]...)
	return len(p), nil
}

func (e *stderr) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return diag.Printable(string(e.text), maxStderr)
}
