package gitwire

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"
)

const (
	// leastRate is how many bytes a second go over a line that is worth waiting for.
	leastRate = 1 << 10
	// maxBehind is how many times the idle time an answer may fall behind leastRate: a server that counts objects says for minutes
	// no more than that it lives, a byte now and then.
	maxBehind = 10
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
	since   time.Time // when bytes moved last, or the wait began
	// behind leastRate, in this request and its answer. What came faster is not saved up; what was sent faster is, until an answer
	// comes: it may still be on its way, in the buffers of two systems.
	behind time.Duration
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

// reading runs what waits for bytes of the server, and returns how many came.
func (w *watch) reading(f func() (int, error)) (int, error) { return w.during(w.came, f) }

// writing runs what waits for the server to take bytes, and returns how many it took.
func (w *watch) writing(f func() (int, error)) (int, error) { return w.during(w.went, f) }

func (w *watch) during(moved func(bytes int), f func() (int, error)) (int, error) {
	w.mu.Lock()
	w.waiting, w.since = true, time.Now()
	w.timer.Reset(w.patience())
	w.mu.Unlock()
	n, err := f()
	moved(n)
	w.mu.Lock()
	w.waiting = false
	w.timer.Stop()
	w.mu.Unlock()
	if err == nil && w.ctx.Err() != nil {
		err = context.Cause(w.ctx)
	}
	return n, err
}

// patience is how long nothing may move.
func (w *watch) patience() time.Duration { return w.idle + max(0, -w.behind) }

// went notes that bytes were sent.
func (w *watch) went(bytes int) { w.moved(bytes, math.MinInt64) }

// came notes that bytes came.
func (w *watch) came(bytes int) { w.moved(bytes, 0) }

// moved counts bytes; least is as far as the other side can be ahead.
func (w *watch) moved(bytes int, least time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waiting {
		return
	}
	now := time.Now()
	w.behind = max(least, w.behind+now.Sub(w.since)-time.Duration(bytes)*(time.Second/leastRate))
	w.since = now
	w.timer.Reset(w.patience())
	if w.behind > maxBehind*w.idle {
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
		return fault(CodeUnreachable, w.name, "the server is too slow: it fell %s behind %d KiB a second; run the command again, where the network is better", maxBehind*w.idle, leastRate>>10)
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
	s.watch.went(s.last)
	if len(s.rest) == 0 {
		s.last = 0
		return 0, io.EOF
	}
	s.last = copy(b[:min(len(b), readSize)], s.rest)
	s.rest = s.rest[s.last:]
	return s.last, nil
}

func (s *sending) Close() error { return nil }
