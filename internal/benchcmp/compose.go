package main

import (
	"os"
	"strings"

	"example.org/compose/internal/benchcmp/sample"
)

// The rows of compose, in every group.
const (
	version  = "compose version"
	validate = "compose validate"
	noop     = "compose apply --mode update, nothing to do"
	plan     = "compose plan --mode upgrade"
	upgrade  = "compose apply --mode upgrade"
	fresh    = "compose apply"
)

// jobs are those with a target.
var jobs = []string{validate, noop, plan, upgrade, fresh}

// target is a composed one at A.
func (t *bed) target() (string, error) {
	return t.once("target", func(path string) error {
		c, err := t.composing(fresh, path)
		if err == nil {
			err = t.b.call("", c.argv...)
		}
		if err == nil {
			err = t.check(sample.A)(path)
		}
		return err
	})
}

// composing is the command line of a job on a target.
func (t *bed) composing(job, target string) (command, error) {
	flags := map[string][]string{
		validate: {"validate"},
		noop:     {"apply", "--mode", "update"},
		plan:     {"plan", "--mode", "upgrade", "--recipe", sample.Recipe},
		upgrade:  {"apply", "--mode", "upgrade", "--recipe", sample.Recipe},
		fresh:    {"apply", "--recipe", sample.Recipe},
	}[job]
	argv := append([]string{t.b.compose}, flags...)
	if job != validate {
		revision := sample.A
		if job == plan || job == upgrade {
			revision = sample.B
		}
		source, err := t.source(revision)
		if err != nil {
			return command{}, err
		}
		argv = append(argv, "--source", source)
		if t.options.Ballast > 0 {
			id, err := t.b.program(source, "git", "rev-parse", string(revision)).Output()
			if err != nil {
				return command{}, err
			}
			argv = append(argv, "--revision", strings.TrimSpace(string(id)))
		}
	}
	return command{argv: append(argv, "--target", target, "--format", "json"), target: target}, nil
}

// job is the row of a job of compose: on a copy of the target where it changes one.
func (t *bed) job(name string) *row {
	r := &row{name: name}
	r.make = func() (command, error) {
		target, err := t.target()
		if err != nil {
			return command{}, err
		}
		switch name {
		case upgrade:
			target, err = t.copy(target)
		case fresh:
			target, err = t.empty()
		}
		if err != nil {
			return command{}, err
		}
		return t.composing(name, target)
	}
	switch name {
	case upgrade:
		r.check = t.check(sample.B)
	case fresh:
		r.check = t.check(sample.A)
	}
	return r
}

// copy returns a new copy of a folder.
func (t *bed) copy(from string) (string, error) {
	to := t.b.folder("copy")
	return to, copyFolder(from, to)
}

// empty returns a new folder.
func (t *bed) empty() (string, error) {
	dir := t.b.folder("empty")
	return dir, os.Mkdir(dir, 0o755)
}
