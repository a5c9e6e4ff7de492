package gitserver

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// HTTPOptions say what an HTTP server is like. The zero value serves everybody, unencrypted.
type HTTPOptions struct {
	TLS            bool
	User, Password string   // asked for where Password is not ""
	Protocol       string   // "0" or "1" to speak no newer version than that; "" for what a client asks
	Config         []string // key=value, such as uploadpack.allowFilter=true
	// Before sees a request first. It returns true where it has answered.
	Before func(w http.ResponseWriter, r *http.Request) bool
}

// HTTP is a running server.
type HTTP struct {
	URL    string // without a last slash; a repository is below it at its path below root
	Host   string // with port
	CAFile string // the certificate to trust; "" without TLS

	options  HTTPOptions
	fault    setting[Fault]
	redirect setting[redirect]
	mu       sync.Mutex
	requests []Request
	closing  chan struct{}
}

// Request is what came in.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                string
}

// Wants returns the ids that the request wants, in its order.
func (r Request) Wants() []string { return lines(r.Body, "want") }

// Haves returns the ids that the client said to have.
func (r Request) Haves() []string { return lines(r.Body, "have") }

var idLine = regexp.MustCompile(`[0-9a-f]{4}(want|have) ([0-9a-f]{40})`)

func lines(body, word string) []string {
	var list []string
	for _, m := range idLine.FindAllStringSubmatch(body, -1) {
		if m[1] == word {
			list = append(list, m[2])
		}
	}
	return list
}

type redirect struct {
	to, method string
	status     int
}

// ServeHTTP serves the repositories below root by git's smart protocol.
func ServeHTTP(t testing.TB, root string, options HTTPOptions) *HTTP {
	t.Helper()
	needGit(t)
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git-http-backend is not there")
	}
	h := &HTTP{options: options, closing: make(chan struct{})}
	git := &cgi.Handler{
		Path:   backend,
		Env:    append(environment(t.TempDir(), options.Config), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"),
		Logger: log.New(io.Discard, "", 0), // a client that goes away is often the point
		Stderr: io.Discard,
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, git) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if options.TLS {
		server.EnableHTTP2 = true
		server.StartTLS()
		h.CAFile = filepath.Join(t.TempDir(), "ca.pem")
		block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(h.CAFile, block, 0o644); err != nil {
			t.Fatal(err)
		}
	} else {
		server.Start()
	}
	h.URL, h.Host = server.URL, server.Listener.Addr().String()
	t.Cleanup(func() {
		close(h.closing)
		server.CloseClientConnections()
		server.Close()
	})
	return h
}

// Misbehave makes answers from now on faulty.
func (h *HTTP) Misbehave(fault Fault) { h.fault.set(fault) }

// Redirect makes requests of a method (GET or POST) go to the same path below to, which replaces the beginning of this server's
// URL; "" serves them again.
func (h *HTTP) Redirect(method string, status int, to string) {
	h.redirect.set(redirect{to, method, status})
}

// Requests returns what came in so far, and forgets it.
func (h *HTTP) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.requests
	h.requests = nil
	return list
}

func (h *HTTP) serve(w http.ResponseWriter, r *http.Request, git http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.mu.Lock()
	h.requests = append(h.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
	h.mu.Unlock()
	if h.options.Before != nil && h.options.Before(w, r) {
		return
	}
	if to := h.redirect.get(); to.to != "" && to.method == r.Method {
		http.Redirect(w, r, to.to+r.URL.RequestURI(), to.status)
		return
	}
	if user, password, _ := r.BasicAuth(); h.options.Password != "" && (user != h.options.User || password != h.options.Password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	r.Header.Del("Authorization") // the backend needs none
	switch h.options.Protocol {
	case "0":
		r.Header.Del("Git-Protocol")
	case "1":
		r.Header.Set("Git-Protocol", "version=1")
	}
	if fault := h.fault.get(); fault.Kind != None && strings.HasSuffix(r.URL.Path, fault.Of) {
		w = &faultyResponse{w, faulty{to: w, fault: fault,
			flush: func() { http.NewResponseController(w).Flush() },
			stall: func() {
				select {
				case <-r.Context().Done():
				case <-h.closing:
				}
			},
			cut: func() { panic(http.ErrAbortHandler) },
		}}
	}
	git.ServeHTTP(w, r)
}

type faultyResponse struct {
	http.ResponseWriter
	body faulty
}

func (w *faultyResponse) Write(b []byte) (int, error) { return w.body.Write(b) }
