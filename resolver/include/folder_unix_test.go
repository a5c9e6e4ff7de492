//go:build unix

package include_test

import (
	"strings"
	"syscall"
	"testing"

	"example.org/compose/resolver/include"
)

// A FIFO is no text, and nothing waits for its other end.
func TestFIFO(t *testing.T) {
	top := laid(t, "root/a.md: @<p>\n")
	must(t, syscall.Mkfifo(top+"/root/p", 0o644))
	for start, want := range map[string]string{"a.md": "a.md p", "p": "p"} {
		_, err := resolve(t, include.FolderOptions{Root: top + "/root"}, start, include.Options{})
		if code, chain := fault(err); code != include.CodeConfigRead || strings.Join(chain, " ") != want {
			t.Errorf("%s: %v with %q", start, err, chain)
		}
	}
}
