package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/schemas"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"compose": main,
		"visible": visible,
	})
}

func TestScripts(t *testing.T) { testscript.Run(t, scripts(t, filepath.Join("testdata", "script"))) }

// scripts returns how the scripts of a folder are run.
func scripts(t *testing.T, dir string) testscript.Params {
	t.Helper()
	revisions, err := starter.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			e.Setenv("GIT_AUTHOR_NAME", "a")
			e.Setenv("GIT_AUTHOR_EMAIL", "a@example.org")
			e.Setenv("GIT_COMMITTER_NAME", "a")
			e.Setenv("GIT_COMMITTER_EMAIL", "a@example.org")
			e.Setenv("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
			e.Setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
			if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
				e.Setenv("GOCACHE", filepath.Join(cache, "go-build")) // the home folder of scripts has none
			} else {
				e.Setenv("GOCACHE", os.Getenv("GOCACHE"))
			}
			for i, revision := range revisions { // $R1, $R2, ...
				e.Setenv(fmt.Sprintf("R%d", i+1), string(revision))
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"snapshot":  snapshot,
			"exits":     exits,
			"interrupt": interrupt,
			"field":     field,
			"fifo":      fifo,
			"rawname":   rawName,
			"glob":      glob,
			"typed":     typed,
			"conforms":  conforms,
			"capture":   capture,
		},
	}
}

// capture NAME makes the last line of standard output the value of an environment variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture NAME")
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stdout")), "\n")
	ts.Setenv(args[0], lines[len(lines)-1])
}

// exits STATUS PROGRAM ARGS... runs a program and wants this exit status; its output is there for stdout and stderr.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS...")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, wanted %s", got, args[0])
	}
}

// field PATH WANT looks into the JSON document on standard output: PATH is member.member or member.0.member. The text
// must be one document and nothing else.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field PATH WANT")
	}
	var doc any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	dec.UseNumber()
	ts.Check(dec.Decode(&doc))
	if dec.More() {
		ts.Fatalf("more than one document on standard output")
	}
	for name := range strings.SplitSeq(args[0], ".") {
		switch v := doc.(type) {
		case map[string]any:
			doc = v[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(v) {
				ts.Fatalf("no item %s in a list of %d", name, len(v))
			}
			doc = v[i]
		default:
			ts.Fatalf("nothing below %s", name)
		}
	}
	got, isText := doc.(string)
	if !isText {
		b, err := json.Marshal(doc)
		ts.Check(err)
		got = string(b)
	}
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %s, wanted %s (not: %v)", args[0], got, args[1], neg)
	}
}

// conforms SCHEMA wants the document on standard output to keep the schema of that name, in the form of docs/json.md.
func conforms(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: conforms SCHEMA")
	}
	text := ts.ReadFile("stdout")
	doc, err := strictjson.Parse([]byte(text), 0)
	ts.Check(err)
	if text != string(strictjson.Encode(doc)) {
		ts.Fatalf("not the form of docs/json.md")
	}
	for _, v := range schemas.Validate(args[0], doc) {
		ts.Fatalf("breaks the schema at %s: %s", v.Pointer, v.Message)
	}
}

// rawName makes $RAW the name of a folder with a byte that is no UTF-8, and $NASTY a name that would steer a terminal.
func rawName(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv("RAW", ts.MkAbs("real\xfe"))
	ts.Setenv("NASTY", "a\nb\x1b[1m")
}

// glob COUNT PATTERN wants so many names that match.
func glob(ts *testscript.TestScript, neg bool, args []string) {
	names, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.Itoa(len(names)); got != args[0] {
		ts.Fatalf("%s names match %s: %q", got, args[1], names)
	}
}

// fifo NAME makes a FIFO.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(makeFIFO(ts.MkAbs(args[0])))
}

// snapshot FOLDER FILE writes what is in FOLDER, names, kinds, modes, inodes, times and bytes, and FOLDER itself, into FILE,
// so that cmp of two snapshots shows the smallest change.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: snapshot FOLDER FILE")
	}
	var out bytes.Buffer
	root := ts.MkAbs(args[0])
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		content := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = fmt.Sprintf("%x", sha256.Sum256(b))
		}
		fmt.Fprintf(&out, "%s %s %s %d %s\n", rel, info.Mode(), info.ModTime().UTC(), inode(info), content)
		return nil
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out.Bytes(), 0o644))
}
