package gitwire

import (
	"context"
	"errors"
	"io"
)

// server is a way to a repository's upload-pack.
type server interface {
	// advertise begins anew and returns what the server says by itself.
	advertise(ctx context.Context) (*packets, error)
	// ask sends a request in that version and returns what answers it. errWorn: the connection had served before and is gone, so
	// that beginning anew is worth it.
	ask(ctx context.Context, version int, request []byte) (*packets, error)
	close() error
}

// errWorn is of a connection that the server gave up between two requests.
var errWorn = errors.New("the connection is gone")

// remote is a Remote over any server.
type remote struct {
	name   string
	opts   Options
	server server
	said   *advertisement // nil before the first word
}

// begin makes sure that the server's advertisement is there.
func (r *remote) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil || r.said != nil {
		return err
	}
	p, err := r.server.advertise(ctx)
	if err != nil {
		return err
	}
	said, err := readAdvertisement(p, r.opts.MaxRefs)
	p.close(err == nil)
	if err != nil {
		return err // what was refused is not kept
	}
	r.said = said
	return nil
}

// exchange sends what build makes of the advertisement, and returns the answer. Where the connection wore out meanwhile, it begins
// anew, once.
func (r *remote) exchange(ctx context.Context, build func(*advertisement) ([]byte, error)) (*packets, error) {
	for again := false; ; again = true {
		if err := r.begin(ctx); err != nil {
			return nil, err
		}
		request, err := build(r.said)
		if err != nil {
			return nil, err
		}
		p, err := r.server.ask(ctx, r.said.version, request)
		switch {
		case !errors.Is(err, errWorn):
			return p, err
		case again:
			return nil, fault(CodeUnreachable, r.name, "the server closed the connection without an answer; run the command again")
		}
		r.said = nil
	}
}

func (r *remote) Can(ctx context.Context) (Ability, error) {
	if err := r.begin(ctx); err != nil {
		return Ability{}, err
	}
	return r.said.ability(), nil
}

func (r *remote) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	if r.said.version != 2 {
		return r.said.refs.sorted(prefixes), nil
	}
	p, err := r.exchange(ctx, func(a *advertisement) ([]byte, error) { return lsRefs(a, prefixes), nil })
	if err != nil {
		return nil, err
	}
	if r.said.version != 2 { // it began anew and met another server
		p.close(false)
		return nil, p.invalid("its version changes")
	}
	list, err := readRefs(p, r.opts.MaxRefs)
	p.close(err == nil)
	if err != nil {
		return nil, err
	}
	return list.sorted(prefixes), nil
}

func (r *remote) Fetch(ctx context.Context, ask Request, into func(pack io.Reader) error) error {
	p, err := r.exchange(ctx, func(a *advertisement) ([]byte, error) { return fetchRequest(a, ask) })
	if err != nil {
		return err
	}
	pack, err := findPack(p, r.said, ask, r.opts.MaxBytes)
	if err != nil {
		p.close(false)
		return err
	}
	err = into(pack)
	if err == nil {
		_, err = io.Copy(io.Discard, pack) // what ends it
	}
	p.close(err == nil)
	if pack.err != nil && pack.err != io.EOF {
		return pack.err
	}
	return err
}

func (r *remote) Close() error { return r.server.close() }
