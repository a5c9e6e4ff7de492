// Package gitwire speaks git's protocol with a server: it lists refs and receives pack streams. Version 2 is asked
// for, and version 0 understood, over https, http, ssh and git. Start with Open.
//
// Nothing here trusts what comes: packets, refs and packs are bounded, a server that stalls or trickles ends in an error, and
// a redirect takes no credentials to another host. What a pack holds is checked by package gitpack.
//
// Each Remote has its own connections and shares nothing with another. What a server says by itself is shown without control
// characters and shortened.
//
// Format: gitprotocol-v2(5), gitprotocol-pack(5), gitprotocol-http(5).
package gitwire

import (
	"context"
	"fmt"
	"io"
	"time"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/giturl"
	"github.com/go-git/go-git/v5/plumbing"
)

// Ref is one ref of a server. An annotated tag's Peeled is the object that it leads to in the end, else it is zero.
type Ref struct {
	Name   string // HEAD, refs/heads/main
	ID     plumbing.Hash
	Peeled plumbing.Hash
	Target string // of a symbolic ref: refs/heads/main; an unborn HEAD has a Target and a zero ID
}

// Filter says which objects a server leaves out.
type Filter string

// The filters.
const (
	AllObjects Filter = ""
	NoBlobs    Filter = "blob:none"
	NoTrees    Filter = "tree:0" // commits alone
)

// Request asks for a pack.
type Request struct {
	Wants  []plumbing.Hash // at least one
	Haves  []plumbing.Hash // commits that are here with their whole history, newest first
	Filter Filter
	Depth  int // 0: the whole history; 1: the wanted commits alone, or more from a server that can't cut it
}

// Remote is a repository that gives out refs and objects. It is used by one goroutine, and closed. After an error it may
// be used on: what needs a new connection makes one.
type Remote interface {
	// Refs returns the refs whose names begin with one of prefixes (all, where none is given), by name; HEAD first.
	Refs(ctx context.Context, prefixes ...string) ([]Ref, error)
	// Can reports whether a filter can be asked for, and whether any object can be asked for by its id, not only tips of refs.
	Can(ctx context.Context) (Ability, error)
	// Fetch asks for a pack and hands its bytes to into, once; they end in io.EOF after a whole pack. An error of into ends the fetch;
	// what went wrong on the way to into goes before it. A filter that Can denies is an error.
	// INVALID_REVISION: a want is not there or not given out.
	Fetch(ctx context.Context, ask Request, into func(pack io.Reader) error) error
	Close() error
}

// Ability is what a server offers.
type Ability struct {
	Filter    bool // Request.Filter is obeyed
	AnyObject bool // wants may be any object that the server has
}

// Options are what Open needs of its surroundings. The zero value has no credentials, and default bounds.
type Options struct {
	Credentials *credential.Finder    // nil: none but those of the URL; nothing is sent before a server asks
	Getenv      func(string) string   // os.Getenv for proxies, certificates, agents; nil: none
	Home        string                // of the user, for ssh's files; "" for none
	Idle        time.Duration         // without a byte from the server, the default is a minute; and a tenth of what an answer may fall behind 1 KiB a second
	Allow       func(giturl.URL) bool // asked for each repository that a redirect leads to, as it is parsed; nil: all are allowed
	MaxRefs     int                   // with those whose names are of no use; default 1,000,000
	MaxBytes    int64                 // of one pack, default 4 GiB
}

// Open returns the repository at u: https, http, ssh or git. Nothing is asked of the server before a method of the Remote
// needs it; only settings are read, and an *Error says what is wrong with one.
func Open(ctx context.Context, u giturl.URL, opts Options) (Remote, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.Getenv == nil {
		opts.Getenv = func(string) string { return "" }
	}
	if opts.Idle <= 0 {
		opts.Idle = time.Minute
	}
	if opts.MaxRefs <= 0 {
		opts.MaxRefs = 1_000_000
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = 4 << 30
	}
	r := &remote{name: u.String(), opts: opts}
	switch u.Scheme {
	case "https", "http":
		server, err := newHTTP(u, opts)
		if err != nil {
			return nil, err
		}
		r.server = server
	case "git":
		r.server = &stream{name: r.name, idle: opts.Idle, dial: dialDaemon(u)}
	case "ssh":
		r.server = &stream{name: r.name, idle: opts.Idle, dial: dialSSH(u, opts)}
	default:
		return nil, fmt.Errorf("gitwire: %s is read by another package", u.Scheme)
	}
	return r, nil
}
