package main

import (
	"bytes"
	"net"
	"testing"
	"time"
)

// Whatever URL is typed, a key press leads to no connection.
func TestCompletionAsksNoServer(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Skip("no network here:", err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	t.Setenv("COMPOSE_CACHE", t.TempDir())
	const revision = "0123456789012345678901234567890123456789"
	for _, url := range []string{"http://" + address + "/a.git", "https://" + address + "/a.git", "ssh://a@" + address + "/a.git"} {
		for _, words := range [][]string{
			{"plan", "--source", url, "--recipe", ""},
			{"plan", "--source", url, "--revision", ""},
			{"plan", "--source", url, "--revision", revision, "--include", ""},
			{"explain", "--source", url, "--recipe", "a", ""},
			{"source", "list", url, ""},
			{"source", "resolve", url, "--ref", ""},
		} {
			var out bytes.Buffer
			complete(append([]string{"--"}, words...), &out)
		}
	}
	// Who connected stands in the queue by now.
	if err := listener.SetDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if conn, err := listener.Accept(); err == nil {
		conn.Close()
		t.Error("a server was asked")
	}
}
