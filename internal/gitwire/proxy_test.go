package gitwire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
)

func TestProxies(t *testing.T) {
	for name, tt := range map[string]struct {
		env       map[string]string
		url, want string // "" for none, "error"
	}{
		"none":                    {nil, "https://h/x", ""},
		"of https":                {map[string]string{"HTTPS_PROXY": "http://p:1"}, "https://h/x", "http://p:1"},
		"in small letters":        {map[string]string{"https_proxy": "http://p:1"}, "https://h/x", "http://p:1"},
		"not of http":             {map[string]string{"https_proxy": "http://p:1"}, "http://h/x", ""},
		"of http":                 {map[string]string{"http_proxy": "http://p:1"}, "http://h/x", "http://p:1"},
		"of http, capitals":       {map[string]string{"HTTP_PROXY": "http://p:1"}, "http://h/x", "http://p:1"},
		"not of https":            {map[string]string{"http_proxy": "http://p:1"}, "https://h/x", ""},
		"under CGI":               {map[string]string{"HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"}, "http://h/x", ""},
		"under CGI, in small":     {map[string]string{"http_proxy": "http://p:1", "REQUEST_METHOD": "GET"}, "http://h/x", "http://p:1"},
		"of all":                  {map[string]string{"ALL_PROXY": "socks5://p:1"}, "https://h/x", "socks5://p:1"},
		"one before all":          {map[string]string{"ALL_PROXY": "socks5://p:1", "HTTPS_PROXY": "http://q"}, "https://h/x", "http://q"},
		"without a scheme":        {map[string]string{"HTTPS_PROXY": "p:1"}, "https://h/x", "http://p:1"},
		"with a password":         {map[string]string{"HTTPS_PROXY": "http://jo:s@p:1"}, "https://h/x", "http://jo:s@p:1"},
		"of another scheme":       {map[string]string{"HTTPS_PROXY": "ftp://p:1"}, "https://h/x", "error"},
		"none at all":             {map[string]string{"HTTPS_PROXY": "://%"}, "https://h/x", "error"},
		"this machine":            {map[string]string{"HTTPS_PROXY": "http://p:1"}, "https://localhost/x", ""},
		"this machine's address":  {map[string]string{"HTTPS_PROXY": "http://p:1"}, "https://[::1]:8/x", ""},
		"spared":                  {map[string]string{"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a, H"}, "https://h/x", ""},
		"all spared":              {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "*"}, "https://h/x", ""},
		"spared with all below":   {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "example.org"}, "https://git.example.org/x", ""},
		"what ends the same":      {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "example.org"}, "https://badexample.org/x", "http://p:1"},
		"what is below alone":     {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": ".example.org"}, "https://example.org/x", "http://p:1"},
		"what is below":           {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "*.example.org"}, "https://a.example.org/x", ""},
		"another port":            {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "h:8443"}, "https://h/x", "http://p:1"},
		"its port":                {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "h:443"}, "https://h/x", ""},
		"an address":              {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.1"}, "https://10.0.0.1/x", ""},
		"addresses":               {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.0/8"}, "https://10.9.0.1/x", ""},
		"other addresses":         {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.0/8,::/0"}, "https://11.9.0.1/x", "http://p:1"},
		"a new address":           {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "[2001:db8::1]"}, "https://[2001:db8::1]/x", ""},
		"nothing between commas":  {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": ",,.,"}, "https://h/x", "http://p:1"},
		"an address with a port":  {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "10.0.0.1:443"}, "https://10.0.0.1/x", ""},
		"a new one with its port": {map[string]string{"HTTPS_PROXY": "http://p:1", "no_proxy": "[2001:db8::1]:443"}, "https://[2001:db8::1]/x", ""},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		got, err := proxies(func(name string) string { return tt.env[name] })(&http.Request{URL: u})
		switch {
		case tt.want == "error" && err == errProxy:
		case err != nil, got == nil && tt.want != "", got != nil && got.String() != tt.want:
			t.Errorf("%s: got %v, %v, want %q", name, got, err, tt.want)
		}
	}
}

// What goes wrong on the way to a server shows no address and port of this side.
func TestUnreachable(t *testing.T) {
	op := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://h/secret", Err: &net.OpError{Op: "dial", Net: "tcp", Source: &net.TCPAddr{Port: 54321}, Err: err}}
	}
	for name, tt := range map[string]struct {
		err        error
		code, says string
	}{
		"no name":       {op(&net.DNSError{Err: "no such host", IsNotFound: true}), CodeUnreachable, "no host has this name"},
		"no look-up":    {op(&net.DNSError{Err: "server misbehaving"}), CodeUnreachable, "could not be looked up"},
		"refused":       {op(os.NewSyscallError("connect", syscall.ECONNREFUSED)), CodeUnreachable, "refused"},
		"no route":      {op(errors.New("no route to host")), CodeUnreachable, "(no route to host)"},
		"timeout":       {op(os.ErrDeadlineExceeded), CodeUnreachable, "within 30s"},
		"expired":       {op(&tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired, Detail: "current time 2024"}}), CodeUnreachable, "(it has expired or is not yet valid)"},
		"closed":        {op(io.EOF), CodeUnreachable, "without an answer"},
		"reset":         {op(os.NewSyscallError("read", syscall.ECONNRESET)), CodeUnreachable, "without an answer"},
		"alert":         {op(tls.AlertError(40)), CodeUnreachable, "handshake"},
		"http 2":        {op(errors.New("http2: server sent GOAWAY and closed the connection")), CodeUnreachable, "without an answer"},
		"no http":       {op(fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", errors.New(`malformed HTTP response "\x00"`))), CodeResponseInvalid, "not HTTP"},
		"a long head":   {op(errors.New("net/http: server response headers exceeded 65536 bytes; aborted")), CodeResponseInvalid, "64 KiB"},
		"proxy":         {&url.Error{Err: &net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}}, CodeUnreachable, "the proxy"},
		"no such proxy": {&url.Error{Err: errProxy}, CodeUnreachable, "socks5"},
	} {
		t.Run(name, func(t *testing.T) {
			err := unreachable("https://h/x", tt.err)
			checkFault(t, err, tt.code, tt.says)
			for _, part := range []string{"secret", "54321", "2024"} {
				if containsAny(err.Error(), part) {
					t.Errorf("%v shows %s", err, part)
				}
			}
		})
	}
}
