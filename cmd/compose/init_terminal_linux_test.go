package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a program that runs on a terminal of its own: its standard input, standard error and controlling terminal.
type terminal struct {
	t       *testing.T
	master  *os.File
	command *exec.Cmd
	stdout  bytes.Buffer
	shown   chan []byte
	seen    string // what was shown so far
	at      int    // of it, what expect has passed
}

// onTerminal starts compose in dir.
func onTerminal(t *testing.T, dir string, args ...string) *terminal {
	t.Helper()
	program, err := exec.LookPath("compose") // the test binary, by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	p := &terminal{t: t, command: exec.Command(program, args...)}
	p.command.Dir, p.command.Stdout = dir, &p.stdout
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "COMPOSE_") })
	p.command.Env = append(env, "TERM=dumb", "COLUMNS=80")
	p.start()
	return p
}

// start gives the command a terminal; its standard output too, unless it has another one.
func (p *terminal) start() {
	t := p.t
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	defer slave.Close()
	p.master, p.shown = master, make(chan []byte)
	p.command.Stdin, p.command.Stderr = slave, slave
	if p.command.Stdout == nil {
		p.command.Stdout = slave
	}
	p.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.command.Process.Kill() }) // most often it has ended
	go func() {
		defer close(p.shown)
		for {
			b := make([]byte, 4096)
			n, err := master.Read(b)
			if n > 0 {
				p.shown <- b[:n]
			}
			if err != nil { // EIO: nobody has the other end any more
				return
			}
		}
	}()
}

// terminalPatience bounds what a slow machine may take; only a fault waits so long.
const terminalPatience = 2 * time.Minute

// expect waits until the text is shown.
func (p *terminal) expect(text string) {
	p.t.Helper()
	late := time.After(terminalPatience)
	for {
		if i := strings.Index(p.seen[p.at:], text); i >= 0 {
			p.at += i + len(text)
			return
		}
		select {
		case b, more := <-p.shown:
			if !more {
				p.t.Fatalf("%q was not shown before the end; shown:\n%s", text, p.seen)
			}
			p.seen += string(b)
		case <-late:
			p.t.Fatalf("%q is not shown; shown:\n%s", text, p.seen)
		}
	}
}

func (p *terminal) typed(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, text); err != nil {
		p.t.Fatal(err)
	}
}

// answer waits for a question and types a line.
func (p *terminal) answer(question, text string) {
	p.t.Helper()
	p.expect(question + " ")
	p.typed(text + "\n")
}

// end waits for the end and returns the exit status.
func (p *terminal) end() int {
	p.t.Helper()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for b := range p.shown {
			p.seen += string(b)
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			p.t.Fatal(err)
		}
	case <-time.After(terminalPatience):
		p.t.Fatalf("it does not end")
	}
	<-drained
	return p.command.ProcessState.ExitCode()
}

func TestInitOnATerminal(t *testing.T) {
	dir := t.TempDir()
	p := onTerminal(t, dir, "init", "--format", "json")
	p.expect("composition.json for the catalog compose/starter at ")
	p.answer("Number or id:", "nothing")
	p.expect("there is no recipe")
	p.answer("Number or id:", "service")
	p.answer("Keep it? [Y/n]", "n") // capability.container
	p.answer("Keep it? [Y/n]", "")
	p.answer("Add it? [y/N]", "y") // capability.cli
	for range 3 {
		p.answer("Add it? [y/N]", "")
	}
	if exit := p.end(); exit != 0 {
		t.Fatalf("exit %d; shown:\n%s", exit, p.seen)
	}
	var result struct{ Status, Recipe string }
	if err := json.Unmarshal(p.stdout.Bytes(), &result); err != nil || result.Status != "written" || result.Recipe != "service" {
		t.Errorf("%+v, %v", result, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "composition.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Components struct{ Include, Exclude []string }
	}
	if err := json.Unmarshal(b, &config); err != nil || fmt.Sprint(config.Components) != "{[capability.cli] [capability.container]}" {
		t.Errorf("%s, %v", b, err)
	}
}

// Ctrl-D and Ctrl-C, at the first question and at a later one, leave nothing.
func TestInitLeft(t *testing.T) {
	for _, key := range []struct {
		name, typed string
		exit        int
		says        string
	}{
		{"Ctrl-D", "\x04", 2, "the input ended"},
		{"Ctrl-C", "\x03", 130, "stopped by SIGINT"},
		{"Ctrl-D within a line", "ser\x04\x04", 2, "the input ended"},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, later %t", key.name, later), func(t *testing.T) {
				dir := t.TempDir()
				p := onTerminal(t, dir, "init", "--format", "human")
				if later {
					p.answer("Number or id:", "2")
					p.expect("Keep it? [Y/n] ")
				} else {
					p.expect("Number or id: ")
				}
				p.typed(key.typed)
				exit := p.end()
				said := strings.Join(strings.Fields(p.seen), " ") // it is wrapped
				if exit != key.exit || !strings.Contains(said, key.says) || !strings.Contains(said, "nothing was written") {
					t.Errorf("exit %d, want %d; shown:\n%s", exit, key.exit, p.seen)
				}
				if names, err := os.ReadDir(dir); err != nil || len(names) > 0 || p.stdout.Len() > 0 {
					t.Errorf("left %v, %v; printed %s", names, err, &p.stdout)
				}
			})
		}
	}
}

func TestCatalogInitOnATerminal(t *testing.T) {
	dir := t.TempDir()
	p := onTerminal(t, dir, "catalog", "init", "templates", "--format", "json")
	p.answer("Identity [templates]:", "not an identity")
	p.expect("want names of")
	p.answer("Identity [templates]:", "example-org/templates")
	if exit := p.end(); exit != 0 {
		t.Fatalf("exit %d; shown:\n%s", exit, p.seen)
	}
	var result struct{ Repository string }
	if err := json.Unmarshal(p.stdout.Bytes(), &result); err != nil || result.Repository != "example-org/templates" {
		t.Errorf("%s, %v", &p.stdout, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "templates", "catalog", "catalog.json")); err != nil {
		t.Error(err)
	}
}
