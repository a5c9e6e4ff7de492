package gitwire

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// chatty is a server that says more than it is asked for.
type chatty struct {
	before string // says on each connection
	status string // of every answer to a GET, "" for a good one
	after  string // follows each answer
}

const unasked = "unasked, and s3cr3t"

// serve answers until the client closes, and returns what waits for that.
func (c chatty) serve(t *testing.T, listener net.Listener) (stop func()) {
	t.Helper()
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				io.WriteString(conn, c.before)
				for in := bufio.NewReader(conn); ; {
					request, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, request.Body)
					kind, text := resultType, "0000"
					if request.Method == http.MethodGet {
						kind, text = refsType, version2
					}
					answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(text), text)
					if c.status != "" {
						answer = "HTTP/1.1 " + c.status + "\r\n\r\n"
					}
					io.WriteString(conn, answer+c.after)
				}
			})
		}
	})
	return func() { listener.Close(); serving.Wait() }
}

// What a server says unasked reaches no log.
func TestNothingIsLogged(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		server chatty
		code   string
	}{
		"before a request":         {chatty{before: "SSH-2.0-" + unasked + "\r\n"}, CodeResponseInvalid},
		"after a length":           {chatty{after: unasked}, ""},
		"another answer":           {chatty{after: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, ""},
		"after no content":         {chatty{status: "204 No Content", after: unasked}, CodeResponseInvalid},
		"after a length of 0":      {chatty{status: "200 OK\r\nContent-Length: 0", after: unasked}, CodeResponseInvalid},
		"after asking who":         {chatty{status: "401 Unauthorized\r\nContent-Length: 0", after: unasked}, CodeAuthentication},
		"after a redirect":         {chatty{status: "302 Found\r\nLocation: /y/info/refs?service=git-upload-pack\r\nContent-Length: 0", after: unasked}, CodeRedirect},
		"after chunks":             {chatty{status: "404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0", after: unasked}, CodeNotFound},
		"an answer for the client": {chatty{status: "100 Continue\r\n\r\nHTTP/1.1 204 No Content", after: unasked}, CodeResponseInvalid},
		"another protocol":         {chatty{status: "101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade", after: unasked}, CodeResponseInvalid},
	} {
		for _, scheme := range []string{"http", "https"} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				address := listener.Addr().String()
				if scheme == "https" {
					listener = tls.NewListener(listener, &tls.Config{Certificates: lender.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}})
				}
				stop := tt.server.serve(t, listener)
				r, err := Open(t.Context(), parseURL(t, scheme+"://jo:s3cr3t@"+address+"/x"), Options{Getenv: func(name string) string {
					return map[string]string{"GIT_SSL_CAINFO": file}[name]
				}})
				if err != nil {
					t.Fatal(err)
				}
				_, err = r.Refs(t.Context())
				r.Close()
				stop() // the client has closed all connections, after whatever it had to say of them
				if tt.code != "" {
					checkFault(t, err, tt.code, "")
				} else if err != nil {
					t.Error(err)
				}
				if logged.Len() > 0 {
					t.Errorf("logged: %s", &logged)
					logged.Reset()
				}
			})
		}
	}
}

// Before something is written nothing is read, in the clear and after a handshake.
func TestHeldConn(t *testing.T) {
	lender := httptest.NewTLSServer(nil)
	defer lender.Close()
	for _, encrypted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			held := &heldConn{Conn: near, closed: make(chan struct{}), asked: make(chan struct{})}
			var client, server net.Conn = held, far
			if encrypted {
				client = tls.Client(held, &tls.Config{InsecureSkipVerify: true})
				server = tls.Server(far, &tls.Config{Certificates: lender.TLS.Certificates})
			}
			go func() {
				io.WriteString(server, "unasked")
				io.Copy(io.Discard, server)
			}()
			if encrypted {
				held.begin()
				if err := client.(*tls.Conn).HandshakeContext(t.Context()); err != nil {
					t.Fatal(err)
				}
				held.hold()
			}
			read := make(chan string, 1)
			go func() {
				b := make([]byte, 100)
				n, _ := client.Read(b)
				read <- string(b[:n])
			}()
			synctest.Wait()
			if len(read) > 0 {
				t.Errorf("encrypted %v: read %q before anything was asked", encrypted, <-read)
			}
			io.WriteString(client, "a question")
			if got := <-read; got != "unasked" {
				t.Errorf("encrypted %v: read %q", encrypted, got)
			}
			held.hold()
			held.Close()
			if _, err := held.Read(make([]byte, 1)); err == nil {
				t.Error("read from what is closed")
			}
			server.Close()
		})
	}
}

// In a handshake no read goes past a record, however much is there.
func TestHeldRecords(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go io.WriteString(far, "\x16\x03\x01\x00\x03abc\x17\x03\x03\x00\x00\x17\x03\x03\x00\x05defghrest")
	held := &heldConn{Conn: near, closed: make(chan struct{}), asked: make(chan struct{}), isOpen: true}
	close(held.asked)
	held.begin()
	var got []string
	for strings.Join(got, "") == "" || !strings.HasSuffix(strings.Join(got, ""), "defgh") {
		b := make([]byte, 1000)
		n, err := held.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b[:n]))
	}
	held.hold()
	want := []string{"\x16\x03\x01\x00\x03", "abc", "\x17\x03\x03\x00\x00", "\x17\x03\x03\x00\x05", "defgh"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
