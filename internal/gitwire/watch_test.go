package gitwire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/compose/internal/giturl"
	"github.com/go-git/go-git/v5/plumbing"
)

// piped is one end of a pipe, as a connection.
type piped struct {
	net.Conn
	stop func() bool
}

func (p piped) silent() error { return nil }
func (p piped) Close() error  { p.stop(); return p.Conn.Close() }

// paced answers every connection with answer, over a stream or over http, in time that does not pass.
func paced(t *testing.T, web, roomy bool, answer func(to net.Conn, asked *bufio.Reader)) *remote {
	t.Helper()
	var r *remote
	var serving sync.WaitGroup
	t.Cleanup(func() {
		r.Close()
		serving.Wait()
	})
	dial := func(ctx context.Context) piped {
		near, far := net.Pipe()
		if roomy { // there are buffers on the way to the server
			between, server := net.Pipe()
			taken := make(chan []byte, 10_000)
			from := far
			far = server
			serving.Go(func() {
				defer close(taken)
				for {
					b := make([]byte, readSize)
					n, err := from.Read(b)
					if taken <- b[:n]; err != nil {
						return
					}
				}
			})
			serving.Go(func() {
				defer between.Close()
				for b := range taken {
					between.Write(b)
				}
			})
			serving.Go(func() {
				defer from.Close()
				io.Copy(from, between)
			})
		}
		serving.Go(func() {
			defer far.Close()
			answer(far, bufio.NewReader(far))
		})
		return piped{near, context.AfterFunc(ctx, func() { near.Close() })}
	}
	name := "git://h/x"
	opts := Options{Idle: time.Minute, MaxRefs: 1000, MaxBytes: 1 << 40}
	if !web {
		r = &remote{name: name, opts: opts, server: &stream{name: name, idle: opts.Idle, dial: func(ctx context.Context) (conn, error) { return dial(ctx), nil }}}
		return r
	}
	opts.Getenv = func(string) string { return "" }
	server, err := newHTTP(parseURL(t, "http://h/x"), opts)
	if err != nil {
		t.Fatal(err)
	}
	server.client.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(context.Background()), nil }
	r = &remote{name: "http://h/x", opts: opts, server: server}
	return r
}

// over says version 2, waits for a request, and lets rest answer it.
func over(web bool, rest func(to io.Writer)) func(to net.Conn, asked *bufio.Reader) {
	return func(to net.Conn, asked *bufio.Reader) {
		if !web {
			io.WriteString(to, version2)
			io.ReadFull(asked, make([]byte, 4))
			go io.Copy(io.Discard, asked)
			rest(to)
			return
		}
		for range 2 {
			request, err := http.ReadRequest(asked)
			if err != nil {
				return
			}
			io.Copy(io.Discard, request.Body)
			if request.Method == http.MethodPost {
				io.WriteString(to, "HTTP/1.1 200 OK\r\nContent-Type: "+resultType+"\r\nConnection: close\r\n\r\n")
				rest(to)
				return
			}
			fmt.Fprintf(to, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", refsType, len(version2), version2)
		}
	}
}

// drip writes pieces until the time is over or nobody reads.
func drip(to io.Writer, piece string, every, length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(every) {
		if _, err := io.WriteString(to, piece); err != nil {
			return
		}
	}
}

// A server that trickles is given up, within a time that is bounded; a slow one that is honest is not.
func TestTrickle(t *testing.T) {
	const life, day = "0005\x01", 24 * time.Hour
	pack := packet("\x01PACK") + "0000"
	kilobytes := packet("\x01" + strings.Repeat("x", 2043))
	for name, tt := range map[string]struct {
		rest func(to io.Writer)
		last time.Duration // until it is given up, at most; 0 for never
	}{
		"a byte each half minute": {func(to io.Writer) { io.WriteString(to, "0fff"); drip(to, "x", 30*time.Second, day) }, 12 * time.Minute},
		"many bytes a second": {func(to io.Writer) {
			io.WriteString(to, lines("packfile"))
			drip(to, packet("\x01"+strings.Repeat("x", 507)), time.Second, day)
		}, 21 * time.Minute},
		"signs of life for ever": {func(to io.Writer) { io.WriteString(to, lines("packfile")); drip(to, life, 5*time.Second, day) }, 12 * time.Minute},
		"a trickle after much": {func(to io.Writer) {
			io.WriteString(to, lines("packfile"))
			drip(to, kilobytes, time.Millisecond, time.Minute)
			drip(to, life, 5*time.Second, day)
		}, 13 * time.Minute},
		"thought of for nine minutes": {func(to io.Writer) {
			io.WriteString(to, lines("packfile"))
			drip(to, life, 5*time.Second, 9*time.Minute)
			io.WriteString(to, pack)
		}, 0},
		"slow for an hour": {func(to io.Writer) {
			io.WriteString(to, lines("packfile"))
			drip(to, kilobytes, time.Second, time.Hour)
			io.WriteString(to, pack)
		}, 0},
		"in gusts": {func(to io.Writer) {
			io.WriteString(to, lines("packfile"))
			drip(to, strings.Repeat(kilobytes, 30), 50*time.Second, time.Hour)
			io.WriteString(to, pack)
		}, 0},
	} {
		for _, web := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", http ", web), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := paced(t, web, false, over(web, tt.rest))
					begun := time.Now()
					err := r.Fetch(t.Context(), Request{Wants: []plumbing.Hash{plumbing.NewHash(idA)}}, func(pack io.Reader) error {
						_, err := io.Copy(io.Discard, pack)
						return err
					})
					if tt.last == 0 {
						if err != nil {
							t.Errorf("after %v: %v", time.Since(begun), err)
						}
						return
					}
					checkFault(t, err, CodeUnreachable, "too slow")
					if took := time.Since(begun); took > tt.last {
						t.Errorf("it took %v", took)
					}
				})
			})
		}
	}
}

// What follows a whole answer, or one that is not read, is not waited for.
func TestRestOfAnAnswer(t *testing.T) {
	const head = "HTTP/1.1 %s\r\nLocation: /y/info/refs?service=git-upload-pack\r\nContent-Type: " + resultType + "\r\nTransfer-Encoding: chunked\r\n\r\n%s"
	whole := lines("packfile") + packet("\x01PACK") + "0000"
	for status, code := range map[string]string{"200 OK": "", "302 Found": CodeRedirect, "401 Unauthorized": CodeAuthentication, "404 Not Found": CodeNotFound} {
		t.Run(status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := paced(t, true, false, func(to net.Conn, asked *bufio.Reader) {
					request, err := http.ReadRequest(asked)
					if err != nil {
						return
					}
					if request.Method == http.MethodGet && code == "" {
						fmt.Fprintf(to, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", refsType, len(version2), version2)
						return
					}
					io.Copy(io.Discard, request.Body)
					fmt.Fprintf(to, head, status, fmt.Sprintf("%x\r\n%s\r\n", len(whole), whole))
					drip(to, "400\r\n"+strings.Repeat("x", 1<<10)+"\r\n", time.Second, 24*time.Hour)
				})
				begun := time.Now()
				err := r.Fetch(t.Context(), Request{Wants: []plumbing.Hash{plumbing.NewHash(idA)}}, func(pack io.Reader) error {
					_, err := io.Copy(io.Discard, pack)
					return err
				})
				if code != "" {
					checkFault(t, err, code, "")
				} else if err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took > 0 { // of a time that passes for those who sleep alone
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// What a caller does with a pack costs the server no time.
func TestSlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := paced(t, false, false, over(false, func(to io.Writer) { io.WriteString(to, lines("packfile")+strings.Repeat(packet("\x01x"), 100)+"0000") }))
		err := r.Fetch(t.Context(), Request{Wants: []plumbing.Hash{plumbing.NewHash(idA)}}, func(pack io.Reader) error {
			for {
				time.Sleep(time.Hour)
				if _, err := pack.Read(make([]byte, 1)); err == io.EOF {
					return nil
				} else if err != nil {
					return err
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A large request on a slow line moves all the time, and is none that stalls; one that nobody takes is.
func TestSlowRequest(t *testing.T) {
	for i := range 8 {
		web, moves, roomy := i&1 != 0, i&2 != 0, i&4 != 0
		t.Run(fmt.Sprint("http ", web, ", moves ", moves, ", roomy ", roomy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := paced(t, web, roomy, slowly(web, moves))
				wants := make([]plumbing.Hash, 40_000)
				for i := range wants {
					wants[i] = plumbing.NewHash(fmt.Sprintf("%040x", i+1))
				}
				begun := time.Now()
				err := r.Fetch(t.Context(), Request{Wants: wants}, func(pack io.Reader) error { return nil })
				if moves {
					if err != nil {
						t.Errorf("a request that moves: %v", err)
					}
					return
				}
				checkFault(t, err, CodeUnreachable, "sent nothing for 1m0s")
				if took := time.Since(begun); took > 40*time.Minute {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// slowly takes a request 64 KiB at a time, with half a minute between two, then answers; or it takes nothing after the first.
func slowly(web, moves bool) func(to net.Conn, asked *bufio.Reader) {
	answer := lines("packfile") + packet("\x01PACK") + "0000"
	pause := func() bool {
		if !moves {
			time.Sleep(24 * time.Hour)
		}
		time.Sleep(30 * time.Second)
		return moves
	}
	if web {
		return func(to net.Conn, asked *bufio.Reader) {
			for {
				request, err := http.ReadRequest(asked)
				if err != nil {
					return
				}
				if request.Method == http.MethodPost {
					for err == nil {
						if _, err = io.CopyN(io.Discard, request.Body, 64<<10); err == nil && !pause() {
							return
						}
					}
					io.WriteString(to, "HTTP/1.1 200 OK\r\nContent-Type: "+resultType+"\r\nConnection: close\r\n\r\n"+answer)
					return
				}
				fmt.Fprintf(to, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", refsType, len(version2), version2)
			}
		}
	}
	return func(to net.Conn, asked *bufio.Reader) {
		io.WriteString(to, version2)
		p, taken := newPackets("", asked), 0
		for {
			kind, body, err := p.next()
			if err != nil || kind == flush {
				break
			}
			if taken += len(body); taken >= 64<<10 {
				if taken = 0; !pause() {
					return
				}
			}
		}
		io.WriteString(to, answer)
		p.next() // the good-bye
	}
}

func parseURL(t *testing.T, text string) giturl.URL {
	t.Helper()
	u, _, err := giturl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
