package screen_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.org/compose/internal/screen"
)

var terminal = screen.Screen{Columns: 40, Terminal: true, Erases: true}

// bounded is a buffer that fails when it is full.
type bounded struct {
	bytes.Buffer
	left int
}

func (b *bounded) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("full")
	}
	return b.Buffer.Write(p)
}

const clear = "\r\x1b[K"

func TestProgress(t *testing.T) {
	cases := []struct {
		name string
		run  func(p *screen.Progress, out *bytes.Buffer)
		want string
	}{
		{"a short run says nothing", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("reading")
			time.Sleep(499 * time.Millisecond)
		}, ""},
		{"a long one does", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("reading")
			time.Sleep(501 * time.Millisecond)
		}, clear + "reading" + clear},
		{"the newest text alone", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("reading")
			p.Say("comparing")
			time.Sleep(time.Second)
		}, clear + "comparing" + clear},
		{"no more often than it can be read", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("1")
			time.Sleep(501 * time.Millisecond)
			for range 100 {
				p.Say("2")
				p.Say("3")
				time.Sleep(time.Millisecond)
			}
		}, clear + "1" + clear + "3" + clear},
		{"the same text once", func(p *screen.Progress, out *bytes.Buffer) {
			for range 10 {
				p.Say("1")
				time.Sleep(time.Second)
			}
		}, clear + "1" + clear},
		{"no line for nothing", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("")
			time.Sleep(time.Second)
		}, ""},
		{"as wide as the screen", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say(strings.Repeat("x", 100))
			time.Sleep(time.Second)
		}, clear + strings.Repeat("x", 36) + "..." + clear},
		{"around something else", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("1")
			time.Sleep(time.Second)
			p.Around(func() { out.WriteString("else\n") })
			p.Say("2")
			time.Sleep(time.Second)
		}, clear + "1" + clear + "else\n" + clear + "2" + clear},
		{"no more after the end", func(p *screen.Progress, out *bytes.Buffer) {
			p.Say("1")
			p.Stop()
			p.Say("2")
			time.Sleep(time.Second)
		}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				p := screen.NewProgress(&out, terminal)
				c.run(p, &out)
				p.Stop()
				if got := out.String(); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestNoProgress(t *testing.T) {
	for _, s := range []screen.Screen{{}, {Color: true}, {Terminal: true}} {
		var out bytes.Buffer
		p := screen.NewProgress(&out, s)
		if p != nil {
			t.Errorf("%+v has a line", s)
		}
		p.Say("nobody looks")
		p.Around(func() { out.WriteString("x") })
		p.Stop()
		if out.String() != "x" {
			t.Errorf("%q", out.String())
		}
	}
}

func TestProgressOnABrokenTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &bounded{left: len(clear + "1")}
		p := screen.NewProgress(out, terminal)
		p.Say("1")
		time.Sleep(time.Second)
		p.Say("22")
		time.Sleep(time.Second)
		synctest.Wait()
		out.left = 1000
		p.Say("333")
		time.Sleep(time.Second)
		p.Stop()
		if got := out.String(); got != clear+"1"+clear {
			t.Errorf("%q", got)
		}
	})
}
