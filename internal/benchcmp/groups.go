package main

import (
	"example.org/compose/internal/benchcmp/sample"
)

// groups are what -only names, in the order in which they run.
var groups = []struct {
	name string
	run  func(*bench) error
	long bool // runs only when it is named
}{
	{name: "start", run: (*bench).start},
	{name: "validate", run: each((*bed).validations)},
	{name: "plan", run: each((*bed).plans)},
	{name: "update", run: each((*bed).updates)},
	{name: "fresh", run: each((*bed).compositions)},
	{name: "growth", run: (*bench).growth},
	{name: "counts", run: (*bench).counts},
	{name: "memory", run: (*bench).memory},
	{name: "materials", run: (*bench).materials, long: true},
	{name: "commits", run: (*bench).commits, long: true},
	{name: "ballast", run: (*bench).ballast, long: true},
	{name: "unrelated", run: (*bench).unrelated, long: true},
}

// groupNames lists the groups, the long ones or the others.
func groupNames(long bool) (names []string) {
	for _, g := range groups {
		if g.long == long {
			names = append(names, g.name)
		}
	}
	return names
}

// each runs a group for each number of files.
func each(measure func(*bed) error) func(*bench) error {
	return func(b *bench) error {
		for _, files := range b.options.files {
			t, err := b.bed(sample.Options{Files: files})
			if err == nil {
				err = measure(t)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// start times programs that have nothing to do, and a validation that has little.
func (b *bench) start() error {
	b.measure("start", 0, 20,
		always("limit: an empty program", "", b.limit, "noop"),
		always(version, "", b.compose, "version"),
		always("git --version", "", "git", "--version"),
		always("rsync --version", "", "rsync", "--version"),
		always("openssl version", "", "openssl", "version"),
		always("python3, nothing to do", "", b.python, "-I", "-S", "-c", "pass"),
	)
	t, err := b.bed(sample.Options{Files: 50})
	if err != nil {
		return err
	}
	manifest, plain, index, err := t.still()
	if err == nil {
		b.measure("small", 50, 10,
			always("limit: hash and compare", "", b.limit, "check", manifest, plain),
			t.job(validate),
			status("git status, index fresh", index),
		)
	}
	return err
}

func status(name, worktree string) *row {
	return always(name, worktree, "git", "--no-optional-locks", "status", "--porcelain")
}

// still returns what rows that change nothing look at.
func (t *bed) still() (manifest, plain, index string, err error) {
	if manifest, err = t.manifest(sample.A); err != nil {
		return
	}
	if plain, err = t.plain(sample.A); err != nil {
		return
	}
	index, err = t.worktree(false)
	return
}

// validations hash every file and compare.
func (t *bed) validations() error {
	manifest, plain, index, err := t.still()
	if err != nil {
		return err
	}
	touched, err := t.worktree(true)
	if err != nil {
		return err
	}
	paths, err := t.paths(sample.A)
	if err != nil {
		return err
	}
	other, err := t.once("other", func(path string) error { return copyFolder(plain, path) })
	if err != nil {
		return err
	}
	parallel := func(tool, name, command string) *row {
		r := always(name, plain, "sh", "-c", `exec xargs -P2 -n 250 `+command+` <"$0"`, paths)
		r.tool = tool
		return r
	}
	t.b.measure("validate", t.options.Files, 1,
		always("limit: hash and compare", "", t.b.limit, "check", manifest, plain),
		t.job(validate),
		t.job(noop),
		always("sha256sum -c", plain, "sha256sum", "-c", "--quiet", "--strict", manifest),
		parallel("sha256sum", "sha256sum, two at once", "sha256sum"),
		parallel("openssl", "openssl dgst -sha256, two at once", "openssl dgst -sha256"),
		status("git status, index fresh", index),
		status("git status, every file touched", touched),
		always("rsync -rcn --delete", "", "rsync", "-rcn", "--delete", other+"/", plain+"/"),
	)
	return nil
}

// plans find out what B changes.
func (t *bed) plans() error {
	manifest, plain, index, err := t.still()
	if err != nil {
		return err
	}
	touched, err := t.worktree(true)
	if err != nil {
		return err
	}
	next, err := t.plain(sample.B)
	if err != nil {
		return err
	}
	blobs, err := t.blobs(sample.B)
	if err != nil {
		return err
	}
	repository, err := t.repository(sample.Whole)
	if err != nil {
		return err
	}
	compare := func(name, worktree string) *row {
		r := always(name, worktree, "sh", "-c", "git --no-optional-locks status --porcelain && git diff --name-status --no-renames A B")
		r.tool = "git"
		return r
	}
	t.b.measure("plan", t.options.Files, 1,
		always("limit: hash all, trees of A and B, changed blobs", "", t.b.limit, "plan", manifest, plain, repository, blobs),
		t.job(plan),
		compare("git status, index fresh, and git diff A B", index),
		compare("git status, every file touched, and git diff A B", touched),
		always("git diff --name-status A B", index, "git", "diff", "--name-status", "--no-renames", "A", "B"),
		always("rsync -rcn --delete", "", "rsync", "-rcn", "--delete", next+"/", plain+"/"),
	)
	return nil
}
