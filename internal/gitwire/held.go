package gitwire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http/httptrace"
	"sync"
)

// heldConn is a connection on which nothing is read before something is written, and again after the TLS handshake. A server that
// speaks unasked, such as one of ssh, is not heard before it was asked: package net/http would log what it says.
type heldConn struct {
	net.Conn
	closed    chan struct{}
	closeOnce sync.Once

	mu     sync.Mutex
	asked  chan struct{} // closed by a write
	isOpen bool          // asked is closed

	// While the handshake lasts, the connection is read record by record, so that package tls holds nothing that comes behind it.
	handshakes int
	byRecord   bool
	head       []byte // of the record that is being read
	left       int    // of its bytes
}

const recordHead = 5 // its type, version and length

// heldKey is the context's key for what a request's connection is kept at.
type heldKey struct{}

// holding returns a context whose request gets a heldConn of dialHeld.
func holding(ctx context.Context) context.Context {
	conn := new(*heldConn)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeStart: func() {
			if *conn != nil {
				(*conn).begin()
			}
		},
		TLSHandshakeDone: func(tls.ConnectionState, error) {
			if *conn != nil {
				(*conn).hold()
			}
		},
	})
	return context.WithValue(ctx, heldKey{}, conn)
}

// dialHeld connects for a request of holding.
func dialHeld(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	held := &heldConn{Conn: conn, closed: make(chan struct{}), asked: make(chan struct{})}
	if at, ok := ctx.Value(heldKey{}).(**heldConn); ok {
		*at = held
	}
	return held, nil
}

// begin notes that a handshake begins. A second one is inside the first, at a proxy that is reached over TLS, and its records
// can't be seen.
func (c *heldConn) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handshakes++
	c.byRecord = c.handshakes == 1
}

// hold lets nothing be read before the next write.
func (c *heldConn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byRecord = false
	if c.isOpen {
		c.asked, c.isOpen = make(chan struct{}), false
	}
}

func (c *heldConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.isOpen {
		close(c.asked)
		c.isOpen = true
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

func (c *heldConn) Read(b []byte) (int, error) {
	c.mu.Lock()
	asked, byRecord := c.asked, c.byRecord
	c.mu.Unlock()
	select {
	case <-asked:
	case <-c.closed:
		return 0, net.ErrClosed
	}
	if byRecord {
		return c.readRecord(b)
	}
	return c.Conn.Read(b)
}

// readRecord reads no further than to the end of a record's head, or of the record.
func (c *heldConn) readRecord(b []byte) (int, error) {
	if c.left > 0 {
		n, err := c.Conn.Read(b[:min(len(b), c.left)])
		c.left -= n
		return n, err
	}
	n, err := c.Conn.Read(b[:min(len(b), recordHead-len(c.head))])
	if c.head = append(c.head, b[:n]...); len(c.head) == recordHead {
		c.left = int(binary.BigEndian.Uint16(c.head[3:]))
		c.head = c.head[:0]
	}
	return n, err
}

func (c *heldConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
