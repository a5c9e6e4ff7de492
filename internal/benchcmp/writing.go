package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"example.org/compose/internal/benchcmp/sample"
)

//go:embed naive.py
var naive string

// change is what the rows of a group that writes are made of.
type change struct {
	*bed
	to         sample.Revision
	from       string // what each row gets a copy of; "" is an empty folder
	old, new   string // manifests; old may be "-"
	source     string // the plain files of the revision
	repository string
	blobs      string
	removed    string
	script     string
}

// form is where the path of a form goes, and what makes it.
type form struct {
	to   *string
	make func() (string, error)
}

// change collects it all.
func (t *bed) change(to sample.Revision) (c change, err error) {
	c = change{bed: t, to: to, old: "-", removed: os.DevNull}
	forms := []form{
		{&c.new, func() (string, error) { return t.manifest(to) }},
		{&c.source, func() (string, error) { return t.plain(to) }},
		{&c.repository, func() (string, error) { return t.repository(sample.Flat) }},
		{&c.blobs, func() (string, error) { return t.blobs(to) }},
		{&c.script, func() (string, error) {
			return t.once("naive.py", func(path string) error { return os.WriteFile(path, []byte(naive), 0o644) })
		}},
	}
	if to == sample.B {
		forms = append(forms, []form{
			{&c.old, func() (string, error) { return t.manifest(sample.A) }},
			{&c.from, func() (string, error) { return t.plain(sample.A) }},
			{&c.removed, func() (string, error) { return t.paths(sample.B) }},
		}...)
	}
	for _, f := range forms {
		if *f.to, err = f.make(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// row is one that changes a copy.
func (c change) row(name, tool string, argv func(target string) []string) *row {
	return &row{name: name, tool: tool, check: c.check(c.to), make: func() (command, error) {
		var target string
		var err error
		if c.from == "" {
			target, err = c.empty()
		} else {
			target, err = c.copy(c.from)
		}
		return command{argv: argv(target), dir: target, target: target}, err
	}}
}

func (c change) limit(name string) *row {
	return c.row(name, "", func(target string) []string {
		return []string{c.b.limit, "write", c.old, target, c.repository, c.blobs, c.removed, c.new}
	})
}

func (c change) python(name string) *row {
	return c.row(name, c.b.python, func(target string) []string {
		return []string{c.b.python, c.script, c.old, c.new, c.source, c.blobs, c.removed, target}
	})
}

func (c change) rsync(flags string) *row {
	return c.row("rsync "+flags, "rsync", func(target string) []string {
		return append(append([]string{"rsync"}, strings.Fields(flags)...), c.source+"/", target+"/")
	})
}

// chezmoi names what goes in a file of the source.
func (c change) chezmoi(name string) *row {
	source := c.source
	var failed error
	if c.to == sample.B {
		source, failed = c.once("chezmoi", func(path string) error {
			if err := copyFolder(c.source, path); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(path, ".chezmoiremove"), []byte(strings.Join(c.catalog.Removed, "\n")+"\n"), 0o644)
		})
	}
	r := c.row(name, "chezmoi", func(target string) []string {
		state := c.b.folder("chezmoi")
		return []string{"chezmoi", "--config", state + ".toml", "--cache", state, "--persistent-state", state + ".db", "--no-tty", "--force", "-S", source, "-D", target, "apply"}
	})
	r.err = failed
	return r
}

// updates bring a target from A to B.
func (t *bed) updates() error {
	c, err := t.change(sample.B)
	if err != nil {
		return err
	}
	index, err := t.worktree(false)
	if err != nil {
		return err
	}
	checkout := func(name, script string) *row {
		return &row{name: name, tool: "git", check: t.check(sample.B), make: func() (command, error) {
			target, err := t.copy(index)
			if err == nil { // a copy has other numbers than the index says
				err = t.b.call(target, "git", "update-index", "-q", "--refresh")
			}
			return command{argv: []string{"sh", "-c", script}, dir: target, target: target}, err
		}}
	}
	t.b.measure("update", t.options.Files, 1,
		c.limit("limit: hash old, write, flush, rename, flush, hash new"),
		t.job(upgrade),
		checkout("git checkout B", "exec git checkout -q B"),
		checkout("git checkout B; sync -f", "git checkout -q B && sync -f ."),
		c.rsync("-rc --delete --fsync"),
		c.python("python3, naive"),
		c.chezmoi("chezmoi apply"),
	)
	return nil
}

// compositions bring A into an empty folder.
func (t *bed) compositions() error {
	c, err := t.change(sample.A)
	if err != nil {
		return err
	}
	t.b.measure("fresh", t.options.Files, 1,
		c.limit("limit: write, flush, rename, flush, hash new"),
		t.job(fresh),
		c.row("git clone", "git", func(target string) []string {
			return []string{"git", "-c", "advice.detachedHead=false", "clone", "-q", "--branch", "A", c.repository, target}
		}),
		c.rsync("-r --fsync"),
		c.row("cp -r; sync -f", "sync", func(target string) []string {
			return []string{"sh", "-c", `cp -r "$0/." "$1" && sync -f "$1"`, c.source, target}
		}),
		c.python("python3, naive"),
		c.chezmoi("chezmoi apply"),
	)
	return nil
}
