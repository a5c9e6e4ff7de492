package gitwire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/gitwire"
)

// fixed answers every request in one way, and counts them.
type fixed struct {
	status        int
	kind, body    string
	location      string
	authorization []string
}

func (f *fixed) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.authorization = append(f.authorization, r.Header.Get("Authorization"))
		if f.kind != "" {
			w.Header().Set("Content-Type", f.kind)
		}
		if f.location != "" {
			w.Header().Set("Location", f.location)
		}
		w.WriteHeader(f.status)
		io.WriteString(w, f.body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const refsType = "application/x-git-upload-pack-advertisement"

func TestAnswersOfHTTP(t *testing.T) {
	id := strings.Repeat("a", 40)
	for name, tt := range map[string]struct {
		answer     fixed
		code, says string
	}{
		"no repository":         {fixed{status: 404}, gitwire.CodeNotFound, "credentials are missing"},
		"gone":                  {fixed{status: 410}, gitwire.CodeNotFound, "(410)"},
		"forbidden":             {fixed{status: 403}, gitwire.CodeAuthentication, "(403), and none were found"},
		"credentials are asked": {fixed{status: 401}, gitwire.CodeAuthentication, "(401), and none were found"},
		"too many requests":     {fixed{status: 429}, gitwire.CodeUnreachable, "later"},
		"out of order":          {fixed{status: 503}, gitwire.CodeUnreachable, "503 Service Unavailable"},
		"a bad request":         {fixed{status: 400}, gitwire.CodeResponseInvalid, "400"},
		"nothing":               {fixed{status: 204}, gitwire.CodeResponseInvalid, "204"},
		"not modified":          {fixed{status: 304}, gitwire.CodeResponseInvalid, "304"},
		"a status of its own":   {fixed{status: 799}, gitwire.CodeUnreachable, "799"},
		"a page":                {fixed{status: 200, kind: "text/html; charset=utf-8", body: "<html>"}, gitwire.CodeResponseInvalid, `"text/html"`},
		"a type that is none":   {fixed{status: 200, kind: "text/\u202eplain"}, gitwire.CodeResponseInvalid, `"text/?plain"`},
		"the dumb protocol":     {fixed{status: 200, kind: "text/plain", body: id + "\trefs/heads/main\n"}, gitwire.CodeResponseInvalid, "dumb"},
		"an empty text":         {fixed{status: 200, kind: "text/plain"}, gitwire.CodeResponseInvalid, "text/plain"},
		"a short text":          {fixed{status: 200, kind: "text/plain", body: id}, gitwire.CodeResponseInvalid, "text/plain"},
		"nothing of git's":      {fixed{status: 200, kind: refsType}, gitwire.CodeUnreachable, "without an answer"},
		"half a packet":         {fixed{status: 200, kind: refsType, body: "001e# serv"}, gitwire.CodeUnreachable, "lost after 10 bytes"},
		"no packet":             {fixed{status: 200, kind: refsType, body: "\x1b[31mWelcome"}, gitwire.CodeResponseInvalid, "?[31mWelcome"},
		"an error of its own":   {fixed{status: 200, kind: refsType, body: "0014ERR do \x1b[31m not"}, gitwire.CodeResponseInvalid, `"do ?[31m not"`},
		"another service":       {fixed{status: 200, kind: refsType, body: "001f# service=git-receive-pack\n0000"}, gitwire.CodeResponseInvalid, "another service"},
		"no place":              {fixed{status: 302}, gitwire.CodeRedirect, "no URL"},
		"another page":          {fixed{status: 302, location: "/login?next=/x"}, gitwire.CodeRedirect, "log in"},
		"refs of nothing":       {fixed{status: 302, location: "/x/info/refs"}, gitwire.CodeRedirect, "another page"},
		"another query":         {fixed{status: 302, location: "/x/info/refs?service=git-upload-pack&a=b"}, gitwire.CodeRedirect, "another page"},
		"another scheme":        {fixed{status: 302, location: "file:///x/info/refs?service=git-upload-pack"}, gitwire.CodeRedirect, "neither https nor http"},
		"with credentials":      {fixed{status: 302, location: "https://jo:p@h/x/info/refs?service=git-upload-pack"}, gitwire.CodeRedirect, "with credentials"},
		"in a circle":           {fixed{status: 307, location: "/y/info/refs?service=git-upload-pack"}, gitwire.CodeRedirect, "more than 5 times"},
		"a long way":            {fixed{status: 302, location: strings.Repeat("x", 100<<10)}, gitwire.CodeResponseInvalid, "64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, tt.answer.serve(t)+"/x", gitwire.Options{}).Refs(context.Background())
			wantCode(t, err, tt.code, tt.says)
			if strings.Contains(err.Error(), "jo:p") {
				t.Errorf("%v shows a password", err)
			}
		})
	}
}

func netrc(t *testing.T, text string) *credential.Finder {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".netrc"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &credential.Finder{Home: home, Getenv: environment("GIT_CONFIG_NOSYSTEM", "1")}
}

func TestCredentials(t *testing.T) {
	f := newFixture(t)
	for name, tt := range map[string]struct {
		user, netrc string
		says        string // of the failure; "" for none
		tries       int    // requests until the answer, of which all but the first have credentials
	}{
		"of netrc":                {"", "machine 127.0.0.1 login jo password s3cr3t", "", 2},
		"of the URL":              {"jo:s3cr3t@", "", "", 2},
		"of the URL, else netrc":  {"jo:wr0ng@", "machine 127.0.0.1 login jo password s3cr3t", "", 3},
		"a user that is a token":  {"s3cr3t@", "", "from the URL's user", 2},
		"wrong ones of netrc":     {"", "machine 127.0.0.1 login jo password wr0ng", "refused is from netrc", 2},
		"wrong ones of both":      {"jo:wr0ng@", "machine 127.0.0.1 login jo password wr0ng2", "from the URL, netrc", 3},
		"none":                    {"", "", "none were found", 1},
		"those of another server": {"", "machine 127.0.0.2 login jo password s3cr3t", "none were found", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{User: "jo", Password: "s3cr3t"})
			r := open(t, "http://"+tt.user+s.Host+"/team/x.git", gitwire.Options{Credentials: netrc(t, tt.netrc)})
			refs, err := r.Refs(context.Background())
			requests := s.Requests()
			if tt.says != "" {
				wantCode(t, err, gitwire.CodeAuthentication, tt.says)
				if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "wr0ng") {
					t.Errorf("%v shows a password", err)
				}
			} else if err != nil || len(refs) != 4 {
				t.Fatalf("got %v, %v", refs, err)
			} else {
				requests = requests[:len(requests)-1] // ls-refs
				if _, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip)}); err != nil {
					t.Fatal(err)
				}
				if last := s.Requests(); len(last) != 1 {
					t.Errorf("a fetch took %d requests", len(last))
				}
			}
			if len(requests) != tt.tries {
				t.Errorf("there were %d requests, not %d", len(requests), tt.tries)
			}
			for i, request := range requests {
				if got := request.Header.Get("Authorization"); (got == "") != (i == 0) {
					t.Errorf("request %d has the credentials %q", i+1, got)
				}
			}
		})
	}
}

// A server that lets everybody see the refs and asks who wants objects.
func TestCredentialsForObjects(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if _, password, _ := r.BasicAuth(); r.Method == http.MethodPost && password != "s3cr3t" {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	}})
	r := open(t, s.URL+"/team/x.git", gitwire.Options{Credentials: netrc(t, "machine 127.0.0.1 login jo password s3cr3t")})
	if refs, err := r.Refs(context.Background()); err != nil || len(refs) != 4 {
		t.Fatalf("got %v, %v", refs, err)
	}
}

// Where a server hides from strangers what it has, the credentials that somebody wrote into the URL are tried once; others are not
// looked for.
func TestCredentialsForNotFound(t *testing.T) {
	f := newFixture(t)
	for name, tt := range map[string]struct {
		user  string
		found bool
		tries int
	}{
		"of the URL":       {"jo:s3cr3t@", true, 2},
		"wrong ones":       {"jo:wr0ng@", false, 2},
		"none in the URL":  {"", false, 1},
		"a user, no token": {"jo@", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Before: func(w http.ResponseWriter, r *http.Request) bool {
				_, password, _ := r.BasicAuth()
				if password != "s3cr3t" {
					http.NotFound(w, r)
				}
				return password != "s3cr3t"
			}})
			r := open(t, "http://"+tt.user+s.Host+"/team/x.git", gitwire.Options{Credentials: netrc(t, "machine 127.0.0.1 login jo password s3cr3t")})
			_, err := r.Can(context.Background())
			if tt.found && err != nil {
				t.Error(err)
			} else if !tt.found {
				wantCode(t, err, gitwire.CodeNotFound, "404")
			}
			requests := s.Requests()
			if len(requests) != tt.tries || requests[0].Header.Get("Authorization") != "" {
				t.Errorf("there were %d requests, not %d, or the first has credentials", len(requests), tt.tries)
			}
		})
	}
}

// Nothing secret goes over http to another machine: the test's proxy stands for it.
func TestCredentialsInTheClear(t *testing.T) {
	answer := &fixed{status: 401}
	proxy := answer.serve(t)
	opts := gitwire.Options{Getenv: environment("http_proxy", proxy), Credentials: netrc(t, "machine git.example.org login jo password s3cr3t")}
	for _, user := range []string{"", "jo:s3cr3t@", "s3cr3t@"} {
		_, err := open(t, "http://"+user+"git.example.org/x", opts).Refs(context.Background())
		wantCode(t, err, gitwire.CodeAuthentication, "https")
		if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%v shows a password", err)
		}
	}
	answer.status = http.StatusNotFound
	_, err := open(t, "http://jo:s3cr3t@git.example.org/x", opts).Refs(context.Background())
	wantCode(t, err, gitwire.CodeNotFound, "none were sent")
	if got := strings.Join(answer.authorization, ""); len(answer.authorization) != 4 || got != "" {
		t.Errorf("credentials went out: %q", answer.authorization)
	}
}

func TestRedirect(t *testing.T) {
	f := newFixture(t)
	second := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	first := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{User: "jo", Password: "s3cr3t", Before: func(w http.ResponseWriter, r *http.Request) bool {
		if _, _, ok := r.BasicAuth(); !ok {
			return false
		}
		http.Redirect(w, r, second.URL+r.URL.RequestURI(), http.StatusFound)
		return true
	}})
	r := open(t, "http://jo:s3cr3t@"+first.Host+"/team/x.git", gitwire.Options{})
	if refs, err := r.Refs(context.Background()); err != nil || len(refs) != 4 {
		t.Fatalf("got %v, %v", refs, err)
	}
	if got := count(fetch(t, r, gitwire.Request{Wants: ids(f.side)})); got != "2 commits, 2 trees, 2 blobs, 0 tags" {
		t.Errorf("got %s", got)
	}
	if n := len(first.Requests()); n != 2 { // one is without credentials
		t.Errorf("%d requests went to the first server, not 2", n)
	}
	requests := second.Requests()
	if len(requests) != 3 {
		t.Errorf("%d requests went to the second server, not 3", len(requests))
	}
	for _, request := range requests {
		if got := request.Header.Get("Authorization"); got != "" {
			t.Errorf("%s %s took %q along", request.Method, request.Path, got)
		}
	}
}

// A redirect leads to nothing that is not allowed, and what is not is not asked.
func TestRedirectThatIsNotAllowed(t *testing.T) {
	f := newFixture(t)
	last := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	middle := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	first := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	first.Redirect(http.MethodGet, http.StatusMovedPermanently, middle.URL)
	middle.Redirect(http.MethodGet, http.StatusFound, last.URL)
	for _, denied := range []string{"", middle.Host, last.Host} {
		var asked []string
		r := open(t, first.URL+"/team/x.git", gitwire.Options{Allow: func(u giturl.URL) bool {
			asked = append(asked, u.String())
			return u.HostPort() != denied
		}})
		refs, err := r.Refs(context.Background())
		if denied == "" {
			if err != nil || len(refs) != 4 {
				t.Errorf("got %v, %v", refs, err)
			}
			if got, want := strings.Join(asked, " "), middle.URL+"/team/x.git "+last.URL+"/team/x.git"; got != want {
				t.Errorf("asked for %s, want %s", got, want)
			}
			middle.Requests()
			last.Requests()
			continue
		}
		wantCode(t, err, gitwire.CodeRedirect, "http://"+denied+"/team/x.git, which the policy does not allow")
		if n := len(last.Requests()); n != 0 {
			t.Errorf("%d requests went to the last server", n)
		}
		if n := len(middle.Requests()); denied == middle.Host && n != 0 {
			t.Errorf("%d requests went to a server that is not allowed", n)
		}
	}
}

// A host that is redirected to gets no credentials even where it asks for some and where there are some for it.
func TestRedirectThatAsks(t *testing.T) {
	f := newFixture(t)
	second := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{User: "jo", Password: "s3cr3t"})
	first := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	first.Redirect(http.MethodGet, http.StatusMovedPermanently, second.URL)
	_, err := open(t, first.URL+"/team/x.git", gitwire.Options{Credentials: netrc(t, "default login jo password s3cr3t")}).Refs(context.Background())
	wantCode(t, err, gitwire.CodeAuthentication, second.URL)
	if requests := second.Requests(); len(requests) != 1 || requests[0].Header.Get("Authorization") != "" {
		t.Errorf("the second server got %v", requests)
	}
}

// On the same server credentials go along.
func TestRedirectOnTheServer(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{User: "jo", Password: "s3cr3t", Before: func(w http.ResponseWriter, r *http.Request) bool {
		if rest, moved := strings.CutPrefix(r.URL.RequestURI(), "/old/"); moved {
			http.Redirect(w, r, "/team/"+rest, http.StatusPermanentRedirect)
			return true
		}
		return false
	}})
	r := open(t, "http://jo:s3cr3t@"+s.Host+"/old/x.git", gitwire.Options{})
	if refs, err := r.Refs(context.Background()); err != nil || len(refs) != 4 {
		t.Fatalf("got %v, %v", refs, err)
	}
}

// A server that is refused where it redirects to is asked anew at the place that was named, as often as before.
func TestRedirectRefusedTwice(t *testing.T) {
	for _, location := range []string{"http://127.0.0.1:1/x", "ftp://h/x", "/again/x.git/info/refs?service=git-upload-pack"} {
		var paths []string
		s := gitserver.ServeHTTP(t, t.TempDir(), gitserver.HTTPOptions{Before: func(w http.ResponseWriter, r *http.Request) bool {
			paths = append(paths, r.URL.Path)
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
			return true
		}})
		r := open(t, s.URL+"/x.git", gitwire.Options{})
		asked := 0
		for i := range 3 {
			_, err := r.Refs(context.Background())
			wantCode(t, err, gitwire.CodeRedirect, "redirects")
			if i == 0 {
				asked = len(paths)
			} else if len(paths) != asked*(i+1) || paths[asked*i] != "/x.git/info/refs" {
				t.Errorf("%s: asked for %q", location, paths)
			}
		}
	}
}

func TestRedirectOfObjects(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	s.Redirect(http.MethodPost, http.StatusTemporaryRedirect, "http://127.0.0.1:1")
	_, err := open(t, s.URL+"/team/x.git", gitwire.Options{}).Refs(context.Background())
	wantCode(t, err, gitwire.CodeRedirect, "objects")
}

func TestTLS(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{TLS: true})
	plain := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	trusting := gitwire.Options{Getenv: environment("GIT_SSL_CAINFO", s.CAFile)}
	ctx := context.Background()

	_, err := open(t, s.URL+"/team/x.git", gitwire.Options{Getenv: environment("GIT_SSL_NO_VERIFY", "1")}).Refs(ctx)
	wantCode(t, err, gitwire.CodeUnreachable, "certificate is not trusted")
	_, err = open(t, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/team/x.git", trusting).Refs(ctx)
	wantCode(t, err, gitwire.CodeUnreachable, "not trusted") // it is another host's
	_, err = open(t, strings.Replace(plain.URL, "http:", "https:", 1)+"/team/x.git", trusting).Refs(ctx)
	wantCode(t, err, gitwire.CodeUnreachable, "does not speak TLS")

	// http may lead to https, and not back.
	plain.Redirect(http.MethodGet, http.StatusMovedPermanently, s.URL)
	if refs, err := open(t, plain.URL+"/team/x.git", trusting).Refs(ctx); err != nil || len(refs) != 4 {
		t.Errorf("got %v, %v", refs, err)
	}
	plain.Redirect(http.MethodGet, 0, "")
	s.Redirect(http.MethodGet, http.StatusMovedPermanently, plain.URL)
	_, err = open(t, s.URL+"/team/x.git", trusting).Refs(ctx)
	wantCode(t, err, gitwire.CodeRedirect, "nothing is encrypted")
}

func TestCertificatesThatCannotBeRead(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".none", large, filepath.Dir(empty)} {
		u := parse(t, "https://h/x")
		_, err := gitwire.Open(context.Background(), u, gitwire.Options{Getenv: environment("GIT_SSL_CAINFO", file)})
		wantCode(t, err, gitwire.CodeUnreachable, "GIT_SSL_CAINFO")
	}
}

func TestRequests(t *testing.T) {
	f := newFixture(t)
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{})
	r := open(t, s.URL+"/team/x.git", gitwire.Options{})
	if _, err := tryFetch(r, gitwire.Request{Wants: ids(f.tip, f.side, f.tip), Haves: ids(f.old)}); err != nil {
		t.Fatal(err)
	}
	requests := s.Requests()
	if len(requests) != 2 {
		t.Fatalf("there were %d requests", len(requests))
	}
	for _, request := range requests {
		if agent := request.Header.Get("User-Agent"); agent != "git/compose" {
			t.Errorf("the agent is %q", agent)
		}
		if version := request.Header.Get("Git-Protocol"); version != "version=2" {
			t.Errorf("the version is %q", version)
		}
	}
	if got := requests[1].Wants(); len(got) != 2 || got[0] != f.tip.String() || got[1] != f.side.String() {
		t.Errorf("wanted %v", got)
	}
	if got := requests[1].Haves(); len(got) != 1 || got[0] != f.old.String() {
		t.Errorf("had %v", got)
	}
}

func TestCanceled(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	s := gitserver.ServeHTTP(t, f.root, gitserver.HTTPOptions{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			cancel()
			<-r.Context().Done()
		}
		return false
	}})
	r := open(t, s.URL+"/team/x.git", gitwire.Options{})
	if _, err := r.Refs(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if _, err := r.Can(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
