//go:build unix

package gitwire_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"example.org/compose/internal/gitwire"
)

// A FIFO in the place of certificates is not waited for.
func TestCertificatesOfAFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := gitwire.Open(context.Background(), parse(t, "https://h/x"), gitwire.Options{Getenv: environment("GIT_SSL_CAINFO", fifo)})
	wantCode(t, err, gitwire.CodeUnreachable, "GIT_SSL_CAINFO")
}
