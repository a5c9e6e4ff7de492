package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/compose/internal/benchcmp/sample"
)

// Every row does its job: with the programs that are here, on a few files. How long each takes is nobody's business here.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds compose and starts many programs")
	}
	for _, tool := range []string{"git", "sh", "xargs"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir, err := os.MkdirTemp("/dev/shm", "benchcmp") // flushing is not what is tested
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	figures := filepath.Join(dir, "figures.json")
	var out bytes.Buffer
	args := []string{"-n", "20,40", "-rounds", "1", "-share", "0.001", "-dir", dir, "-json", figures, "-only", strings.Join(groupNames(false), ",") + ",scale"}
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	text, err := os.ReadFile(figures)
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, g := range r.Groups {
		names[g.Name] = true
		for _, f := range g.Rows {
			foreign := !strings.HasPrefix(f.Name, "compose") && !strings.HasPrefix(f.Name, "limit") && !strings.HasPrefix(f.Name, "git")
			if f.Error != "" && !foreign {
				t.Errorf("%s, %s: %s", g.Name, f.Name, f.Error)
			}
			if f.Error == "" && (len(f.WallMS) != 1 || f.WallMS[0] <= 0) {
				t.Errorf("%s, %s: %v", g.Name, f.Name, f)
			}
		}
	}
	traced := strings.Contains(out.String(), "counts, 20 files")
	for _, g := range goals {
		if counted := g.group == "counts" || g.group == "unrelated"; !names[g.group] && (!counted || traced) {
			t.Errorf("nothing measures %s over %s", g.job, g.over)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestParse(t *testing.T) {
	o, err := parse([]string{"-n", "100,2000", "-only", "plan,scale", "-share", "0.01"})
	if err != nil || !slices.Equal(o.files, []int{100, 2000}) || !slices.Equal(o.only, append([]string{"plan"}, groupNames(true)...)) || o.large.commits != 1000 {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := parse(nil); err != nil || o.rounds != 5 || slices.Contains(o.only, "materials") || !slices.Contains(o.only, "start") {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range []string{"-n 9", "-n x", "-n 10,", "-rounds 0", "-only speed", "more", "-share few"} {
		if _, err := parse(strings.Fields(args)); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: %v, want an error", args, err)
		}
	}
}

func TestVerdict(t *testing.T) {
	runs := func(ms ...int) *row {
		r := &row{peak: 50 << 20}
		for _, n := range ms {
			r.runs = append(r.runs, spent{Wall: time.Duration(n) * time.Millisecond})
		}
		return r
	}
	g := &group{Files: 1000, Values: map[string]float64{"flushes": 12}, rows: []*row{runs(10, 300, 30), runs(10, 200, 10), runs(1, 1, 1)}}
	for i, name := range []string{"mine", "theirs", "broken"} {
		g.rows[i].name = name
	}
	g.rows[2].err = errors.New("exit status 1")
	for _, c := range []struct {
		name     string
		goal     goal
		measured float64
		met      bool
	}{
		{"the ratio in the middle, round by round", goal{row: "mine", base: "theirs", most: 1.5}, 1.5, true},
		{"a ratio above", goal{row: "mine", base: "theirs", most: 1.49}, 1.5, false},
		{"a row that failed", goal{row: "mine", base: "broken", most: 100}, 0, false},
		{"a row that is not there", goal{row: "mine", base: "chezmoi", most: 100}, 0, false},
		{"a peak", goal{row: "mine", peak: true, most: 40}, 50, false},
		{"a count", goal{row: "flushes", most: 12}, 12, true},
	} {
		if v := c.goal.verdict(g); v.Measured != c.measured || v.Met != c.met || v.Missing != (c.measured == 0) {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// The limit does its job too: it sees a file that differs, and a manifest that asks for other bytes than git gives.
func TestLimitChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	o, err := parse([]string{"-compose", "none"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBench(t.Context(), o, t.TempDir(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	bed, err := b.bed(sample.Options{Files: 20})
	if err != nil {
		t.Fatal(err)
	}
	c, err := bed.change(sample.B)
	if err != nil {
		t.Fatal(err)
	}
	target, err := bed.copy(c.from)
	if err != nil {
		t.Fatal(err)
	}
	write := func(old, new string) error {
		return b.call("", b.limit, "write", old, target, c.repository, c.blobs, c.removed, new)
	}
	edited := filepath.Join(target, bed.catalog.Files(sample.A)[0].Destination)
	content, err := os.ReadFile(edited)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(edited, append(content, "edit\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(c.old, c.new); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("an edit: %v", err)
	}
	if err := os.WriteFile(edited, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(c.old, c.old); err == nil || !strings.Contains(err.Error(), "differs") && !strings.Contains(err.Error(), "no such file") {
		t.Errorf("another manifest: %v", err)
	}
	if err := bed.check(sample.B)(target); err != nil {
		t.Errorf("what was written: %v", err)
	}
}
