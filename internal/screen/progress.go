package screen

import (
	"io"
	"sync"
	"time"
)

// How soon a run counts as long, and how often its line may change.
const (
	patience = 500 * time.Millisecond
	interval = 100 * time.Millisecond
)

// Progress is one line that says what a long run does, and goes away. It appears when a run has taken half a
// second, on a screen that can take a line back, and nowhere else. All methods may be called at once, and on nil.
type Progress struct {
	screen Screen
	out    io.Writer

	mu      sync.Mutex
	text    string
	drawn   string // what is on the screen; "" for nothing
	due     time.Time
	timer   *time.Timer
	stopped bool
}

// NewProgress returns a line on out, which s describes; nil where there is to be none.
func NewProgress(out io.Writer, s Screen) *Progress {
	if !s.Erases {
		return nil
	}
	return &Progress{screen: s, out: out, due: time.Now().Add(patience)}
}

// Say changes the line. text holds no control character.
func (p *Progress) Say(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	if p.stopped || p.timer != nil || text == p.drawn {
		return
	}
	p.timer = time.AfterFunc(max(time.Until(p.due), 0), p.draw)
}

// draw shows the newest text.
func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	if p.stopped || p.text == "" || p.text == p.drawn {
		return
	}
	// One column stays free: a full line would make some terminals begin another one.
	line := Text{{Text: p.text}}.Cut(p.screen.Width() - 1)
	if _, err := io.WriteString(p.out, "\r\x1b[K"+line.String()); err != nil {
		p.stopped = true
		return
	}
	p.drawn, p.due = p.text, time.Now().Add(interval)
}

// Around takes the line away while write writes something else to the same terminal; what is said later shows it again.
func (p *Progress) Around(write func()) {
	if p == nil {
		write()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	write()
}

func (p *Progress) clear() {
	if p.drawn == "" {
		return
	}
	p.drawn = ""
	if _, err := io.WriteString(p.out, "\r\x1b[K"); err != nil {
		p.stopped = true
	}
}

// Stop takes the line away for good.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	p.clear()
}
