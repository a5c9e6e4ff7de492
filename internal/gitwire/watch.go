package gitwire

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	// leastRate is how many bytes a second go over a line that is worth waiting for.
	leastRate = 1 << 10
	// patience is how many times the idle time an answer may fall behind leastRate: a server that counts objects says for minutes
	// no more than that it lives, a byte now and then.
	patience = 10
)

var (
	errStalled = errors.New("stalled") // nothing came for too long
	errSlow    = errors.New("slow")    // too little came for too long
)

// watch ends a connection that stalls or trickles, or whose caller gives up: ctx is the connection's. What a caller does
// between two waits costs the server no time.
type watch struct {
	name  string
	ctx   context.Context
	stop  context.CancelCauseFunc
	idle  time.Duration
	timer *time.Timer

	mu      sync.Mutex // a request may be sent and its answer be waited for at once
	waiting bool
	since   time.Time     // when bytes moved last, or the wait began
	behind  time.Duration // of leastRate, in this answer; what came faster is not saved up
}

// newWatch returns a watch whose context lives until stop, longer than the call that made it.
func newWatch(ctx context.Context, name string, idle time.Duration) *watch {
	w := &watch{name: name, idle: idle}
	w.ctx, w.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	w.timer = time.AfterFunc(idle, func() { w.stop(errStalled) })
	w.timer.Stop()
	return w
}

// follow ends the connection with ctx, until the function that it returns is called.
func (w *watch) follow(ctx context.Context) (unfollow func() bool) {
	return context.AfterFunc(ctx, func() { w.stop(ctx.Err()) })
}

// begin forgets how slow the last answer was.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.behind = 0
}

// during runs what waits for the server, and returns how many bytes it moved.
func (w *watch) during(f func() (int, error)) (int, error) {
	w.mu.Lock()
	w.waiting, w.since = true, time.Now()
	w.timer.Reset(w.idle)
	w.mu.Unlock()
	n, err := f()
	w.moved(n)
	w.mu.Lock()
	w.waiting = false
	w.timer.Stop()
	w.mu.Unlock()
	if err == nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return n, err
}

// moved notes that bytes went to the server or came from it.
func (w *watch) moved(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waiting {
		return
	}
	now := time.Now()
	w.behind = max(0, w.behind+now.Sub(w.since)-time.Duration(bytes)*(time.Second/leastRate))
	w.since = now
	w.timer.Reset(w.idle)
	if w.behind > patience*w.idle {
		w.stop(errSlow)
	}
}

// why returns what the watch ended the connection for; nil where it did not.
func (w *watch) why(error) error {
	switch cause := context.Cause(w.ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, errStalled):
		return fault(CodeUnreachable, w.name, "the server sent nothing for %s; run the command again", w.idle)
	case errors.Is(cause, errSlow):
		return fault(CodeUnreachable, w.name, "the server is too slow: it fell %s behind %d KiB a second; run the command again, where the network is better", patience*w.idle, leastRate>>10)
	default:
		return cause
	}
}

// sending is the body of a request. It is read in pieces, and what was read of it has gone out when more is asked for: a slow line
// is none that stalls.
type sending struct {
	rest  []byte
	watch *watch
	last  int
}

func (s *sending) Read(b []byte) (int, error) {
	s.watch.moved(s.last)
	if len(s.rest) == 0 {
		s.last = 0
		return 0, io.EOF
	}
	s.last = copy(b[:min(len(b), readSize)], s.rest)
	s.rest = s.rest[s.last:]
	return s.last, nil
}

func (s *sending) Close() error { return nil }
