package gitwire

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.org/compose/internal/giturl"
)

const (
	maxHead = 64 << 10 // bytes of a response's header fields
	// maxCertificates is of the file of trusted ones: what systems come with has a quarter of a MiB.
	maxCertificates = 16 << 20
)

const (
	service     = "git-upload-pack"
	refsTail    = "/info/refs"
	refsQuery   = "service=" + service
	requestType = "application/x-" + service + "-request"
	refsType    = "application/x-" + service + "-advertisement"
	resultType  = "application/x-" + service + "-result"
)

// httpServer is a server of the smart protocol over http: each request is by itself, on a connection of its own, and goes to where
// the first was redirected.
//
// Package net/http writes to the log of the program what comes over a connection that waits for its next request, and its client of
// http 2 does for more. So no connection is kept, http 2 is not spoken, and before a request nothing is read (heldConn).
type httpServer struct {
	name   string
	idle   time.Duration
	allow  func(giturl.URL) bool // nil: all
	client *http.Client
	auth   *authority
	base   *url.URL // of the repository, without user
}

func newHTTP(u giturl.URL, opts Options) (*httpServer, error) {
	settings := &tls.Config{}
	var version1 http.Protocols
	version1.SetHTTP1(true)
	var err error
	if settings.RootCAs, err = authorities(u, opts); err != nil {
		return nil, err
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.HostPort(), Path: u.Path, RawPath: u.EscapedPath()}
	return &httpServer{
		name:  u.String(),
		idle:  opts.Idle,
		allow: opts.Allow,
		base:  base,
		auth:  newAuthority(u, base, opts.Credentials),
		client: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy:                  proxies(opts.Getenv),
				DialContext:            dialHeld,
				TLSClientConfig:        settings,
				TLSHandshakeTimeout:    connectTimeout,
				MaxResponseHeaderBytes: maxHead,
				DisableCompression:     true, // packs are compressed, and what is counted is what came
				DisableKeepAlives:      true,
				Protocols:              &version1,
			},
		},
	}, nil
}

func (s *httpServer) advertise(ctx context.Context) (*packets, error) {
	base := s.base
	for range maxRedirects + 1 {
		place := below(base, refsTail)
		place.RawQuery = refsQuery
		response, err := s.request(ctx, place, nil, 2)
		if err != nil {
			return nil, err
		}
		if response.StatusCode/100 != 3 {
			s.base = base // from here on: a place that turned out to be none is not kept
			return s.answer(response, refsType)
		}
		response.release()
		if base, err = redirected(s.name, place, response.Header.Get("Location"), s.allow); err != nil {
			return nil, err
		}
	}
	return nil, fault(CodeRedirect, s.name, "the server redirects more than %d times; name the repository by its last URL", maxRedirects)
}

func (s *httpServer) ask(ctx context.Context, version int, request []byte) (*packets, error) {
	response, err := s.request(ctx, below(s.base, "/"+service), request, version)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 == 3 {
		response.release()
		return nil, fault(CodeRedirect, s.name, "the server redirects the request for objects, which git does not follow either; name the repository by the URL that it is served at")
	}
	return s.answer(response, resultType)
}

// below returns the URL of a file of a repository.
func below(base *url.URL, tail string) *url.URL {
	return &url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path + tail, RawPath: base.EscapedPath() + tail}
}

// response is one whose body is read under a watch.
type response struct {
	*http.Response
	watch    *watch
	unfollow func() bool
}

// Read reads the body.
func (r *response) Read(b []byte) (int, error) {
	return r.watch.reading(func() (int, error) { return r.Body.Read(b) })
}

// release lets go of the connection.
func (r *response) release() {
	r.Body.Close()
	r.unfollow()
	r.watch.stop(nil)
}

// request sends a request, with credentials once the server asked for them, and returns a response that is a success or a
// redirect. body is nil for a GET.
func (s *httpServer) request(ctx context.Context, place *url.URL, body []byte, version int) (*response, error) {
	for {
		r, err := s.send(ctx, place, body, version)
		if err != nil {
			return nil, err
		}
		switch code := r.StatusCode; {
		case code == http.StatusOK:
			return r, nil
		case code == http.StatusMovedPermanently, code == http.StatusFound, code == http.StatusSeeOther, code == http.StatusTemporaryRedirect, code == http.StatusPermanentRedirect:
			return r, nil
		case code == http.StatusUnauthorized, code == http.StatusForbidden:
			r.release()
			if err := s.auth.next(ctx, place, code); err != nil {
				return nil, err
			}
		case code == http.StatusNotFound && s.auth.reveal(place):
			r.release()
		default:
			r.release()
			return nil, s.refused(code)
		}
	}
}

// send sends one request.
func (s *httpServer) send(ctx context.Context, place *url.URL, body []byte, version int) (*response, error) {
	w := newWatch(ctx, s.name, s.idle)
	method, kind := http.MethodGet, refsType
	if body != nil {
		method, kind = http.MethodPost, resultType
	}
	request, err := http.NewRequestWithContext(holding(w.ctx), method, place.String(), nil)
	if err != nil {
		w.stop(nil)
		return nil, fault(CodeUnreachable, s.name, "no request can be made of the URL")
	}
	request.Header.Set("User-Agent", agent)
	request.Header.Set("Accept", kind)
	request.Header.Set("Pragma", "no-cache")
	if version == 2 {
		request.Header.Set("Git-Protocol", "version=2")
	}
	if body != nil {
		request.ContentLength = int64(len(body))
		request.Body = &sending{rest: body, watch: w}
		request.Header.Set("Content-Type", requestType)
	}
	s.auth.authorize(request)
	r := &response{watch: w, unfollow: w.follow(ctx)}
	_, err = w.reading(func() (int, error) {
		var err error
		r.Response, err = s.client.Do(request)
		return 0, err
	})
	if err != nil {
		better := w.why(err)
		if r.Response != nil {
			r.Body.Close()
		}
		r.unfollow()
		w.stop(nil)
		if better != nil {
			return nil, better
		}
		return nil, unreachable(s.name, err)
	}
	return r, nil
}

// answer returns the packets of a response that has the right type.
func (s *httpServer) answer(r *response, kind string) (*packets, error) {
	p := newPackets(s.name, r)
	p.why = r.watch.why
	p.end = func(bool) { r.release() }
	got, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if got = strings.ToLower(strings.TrimSpace(got)); got == kind {
		return p, nil
	}
	defer p.close(false)
	start, _ := p.from.Peek(41)
	if _, ok := parseID(string(start[:min(len(start), 40)])); ok && start[len(start)-1] == '\t' {
		return nil, fault(CodeResponseInvalid, s.name, "the server gives out a repository as plain files (the dumb protocol), which is not spoken; name one that serves git's smart protocol, or clone it with git and name the clone")
	}
	return nil, fault(CodeResponseInvalid, s.name, "the server answers with %q, not with git's protocol; check that the URL is that of a repository, not of a page", said(got))
}

// refused says what a status means that is neither success nor redirect nor a question for credentials.
func (s *httpServer) refused(code int) error {
	status := http.StatusText(code)
	switch {
	case code == http.StatusNotFound, code == http.StatusGone:
		advice := "check the URL"
		if !s.auth.sent() {
			advice = "check the URL; servers also answer so where credentials are missing, and none were sent"
		}
		return fault(CodeNotFound, s.name, "the server knows no such repository (%d); %s", code, advice)
	case code == http.StatusTooManyRequests, code >= 500:
		return fault(CodeUnreachable, s.name, "the server can't answer now (%d %s); run the command again later", code, status)
	}
	return fault(CodeResponseInvalid, s.name, "the server answers %d %s; check that the URL is that of a repository", code, status)
}

func (s *httpServer) close() error { return nil }
