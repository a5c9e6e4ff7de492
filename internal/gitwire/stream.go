package gitwire

import (
	"bufio"
	"context"
	"io"
	"time"
)

// stream is a server at the other end of one connection: git's daemon, or a command that ssh runs. Version 2 takes request
// after request there, version 0 one.
type stream struct {
	name string
	idle time.Duration
	dial dialer

	conn  conn // nil before the first use, after a fault, and after a request of version 0
	from  *bufio.Reader
	watch *watch
}

// dialer connects and asks for upload-pack in version 2. Reads and writes of the connection end with ctx.
type dialer func(ctx context.Context) (conn, error)

// conn is a connection to upload-pack.
type conn interface {
	io.ReadWriteCloser
	// silent closes, and says why the server ended without a word; nil where nothing is known of it.
	silent() error
}

func (s *stream) advertise(ctx context.Context) (*packets, error) {
	s.drop()
	w := newWatch(ctx, s.name, s.idle)
	unfollow := w.follow(ctx)
	defer unfollow()
	conn, err := s.dial(w.ctx)
	if err != nil {
		if better := w.why(err); better != nil {
			err = better
		}
		w.stop(nil)
		return nil, err
	}
	s.conn, s.watch = conn, w
	s.from = bufio.NewReaderSize(watched{conn, w}, readSize)
	p := s.answer(ctx, false)
	if _, _, err := p.peek(); err != nil && p.read == 0 && w.why(err) == nil {
		if better := conn.silent(); better != nil {
			p.close(false)
			return nil, better
		}
	}
	return p, nil
}

func (s *stream) ask(ctx context.Context, version int, request []byte) (*packets, error) {
	if s.conn == nil {
		return nil, errWorn
	}
	p := s.answer(ctx, version != 2)
	s.send(request)
	// A server that refuses may close before it has read all: what it says goes before that the rest could not be sent.
	if _, _, err := p.peek(); err != nil && p.read == 0 {
		why := p.why(err)
		p.close(false)
		if why != nil {
			return nil, why
		}
		return nil, errWorn
	}
	return p, nil
}

// answer returns the packets that come next, and follows ctx until they are let go of.
func (s *stream) answer(ctx context.Context, last bool) *packets {
	p := newPackets(s.name, s.from)
	p.why = s.watch.why
	s.watch.begin()
	unfollow := s.watch.follow(ctx)
	p.end = func(whole bool) {
		unfollow()
		if last || !whole {
			s.drop()
		}
	}
	return p
}

// send writes in pieces, so that a slow line is not taken for one that stalls. What fails shows in what is read.
func (s *stream) send(request []byte) {
	for len(request) > 0 {
		n, err := s.watch.writing(func() (int, error) { return s.conn.Write(request[:min(len(request), 16<<10)]) })
		if err != nil || n <= 0 {
			return
		}
		request = request[n:]
	}
}

func (s *stream) drop() {
	if s.conn != nil {
		s.conn.Close()
		s.watch.stop(nil)
		s.conn = nil
	}
}

// close says good-bye first, as the protocol asks.
func (s *stream) close() error {
	if s.conn != nil {
		s.send([]byte(flushPacket))
	}
	s.drop()
	return nil
}

// watched reads under a watch.
type watched struct {
	from  io.Reader
	watch *watch
}

func (r watched) Read(b []byte) (int, error) {
	return r.watch.reading(func() (int, error) { return r.from.Read(b) })
}
