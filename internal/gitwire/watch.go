package gitwire

import (
	"context"
	"errors"
	"time"
)

// errStalled ends a connection on which nothing came for too long.
var errStalled = errors.New("stalled")

// watch ends a connection that stalls, or whose caller gives up: ctx is the connection's.
type watch struct {
	name  string
	ctx   context.Context
	stop  context.CancelCauseFunc
	idle  time.Duration
	timer *time.Timer
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

// during runs what waits for the server.
func (w *watch) during(f func() (int, error)) (int, error) {
	w.timer.Reset(w.idle)
	defer w.timer.Stop()
	return f()
}

// why returns what the watch ended the connection for; nil where it did not.
func (w *watch) why(error) error {
	switch cause := context.Cause(w.ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, errStalled):
		return fault(CodeUnreachable, w.name, "the server sent nothing for %s; run the command again", w.idle)
	default:
		return cause
	}
}
