package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/compose/internal/benchcmp/sample"
)

// bed is a catalog in every form that a row needs. Each form is made when it is first asked for.
type bed struct {
	b       *bench
	dir     string
	options sample.Options
	catalog *sample.Catalog
	made    map[string]error
}

func newBed(b *bench, o sample.Options) (*bed, error) {
	t := &bed{b: b, dir: b.folder("bed"), options: o, catalog: sample.New(o), made: map[string]error{}}
	return t, os.Mkdir(t.dir, 0o755)
}

// once returns the path of a form, and makes it where it is not there.
func (t *bed) once(name string, make func(path string) error) (string, error) {
	path := filepath.Join(t.dir, name)
	if _, made := t.made[name]; !made {
		t.made[name] = make(path)
	}
	return path, t.made[name]
}

// repository is a bare repository.
func (t *bed) repository(l sample.Layout) (string, error) {
	return t.once(fmt.Sprintf("repository%d.git", l), func(path string) error {
		if err := t.b.call("", "git", "init", "-q", "--bare", "-b", "main", path); err != nil {
			return err
		}
		compression := "core.compression=-1"
		if t.options.Ballast > 0 {
			compression = "core.compression=0" // it would not get smaller
		}
		cmd := t.b.program(path, "git", "-c", compression, "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--depth=0", "--done")
		pipe, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		err = t.catalog.Import(pipe, l)
		pipe.Close()
		if waiting := cmd.Wait(); err == nil {
			err = waiting
		}
		return err
	})
}

// source is a clean checkout of a revision of the catalog; where ballast would be checked out too, the repository.
func (t *bed) source(r sample.Revision) (string, error) {
	if t.options.Ballast > 0 {
		return t.repository(sample.Whole)
	}
	return t.clone(sample.Whole, r, "source")
}

func (t *bed) clone(l sample.Layout, r sample.Revision, label string) (string, error) {
	repository, err := t.repository(l)
	if err != nil {
		return "", err
	}
	return t.once(label+string(r), func(path string) error {
		return t.b.call("", "git", "-c", "advice.detachedHead=false", "clone", "-q", "--branch", string(r), repository, path)
	})
}

// worktree is a checkout of the materials at A whose index is fresh, or, touched, one of which git must hash every file again.
func (t *bed) worktree(touched bool) (string, error) {
	path, err := t.clone(sample.Flat, sample.A, fmt.Sprintf("worktree-%t", touched))
	if err != nil {
		return "", err
	}
	_, err = t.once(filepath.Base(path)+"-times", func(string) error {
		long := time.Unix(1_600_000_000, 0) // long ago, so that git believes the times in its index
		if err := t.date(path, long); err != nil {
			return err
		}
		if err := t.b.call(path, "git", "update-index", "-q", "--refresh"); err != nil || !touched {
			return err
		}
		return t.date(path, long.Add(time.Second))
	})
	return path, err
}

// date gives every file a time.
func (t *bed) date(dir string, when time.Time) error {
	for _, f := range t.catalog.Files(sample.A) {
		if err := os.Chtimes(filepath.Join(dir, f.Destination), when, when); err != nil {
			return err
		}
	}
	return nil
}

// plain is a folder with the materials of a revision and nothing else.
func (t *bed) plain(r sample.Revision) (string, error) {
	return t.once("plain"+string(r), func(path string) error {
		for _, f := range t.catalog.Files(r) {
			name := filepath.Join(path, f.Destination)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(name, t.catalog.Content(f), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// manifest lists the digests of a revision, as sha256sum does.
func (t *bed) manifest(r sample.Revision) (string, error) {
	return t.list("manifest"+string(r), t.catalog.Files(r), func(f sample.File) string {
		return fmt.Sprintf("%x  %s", sha256.Sum256(t.catalog.Content(f)), f.Destination)
	})
}

// blobs lists ids and destinations: of all of A, or of what B creates and replaces.
func (t *bed) blobs(r sample.Revision) (string, error) {
	files := slices.Clone(t.catalog.Files(r))
	if r == sample.B {
		files = slices.DeleteFunc(files, func(f sample.File) bool {
			_, created := slices.BinarySearch(t.catalog.Created, f.Destination)
			return !created && !f.Edited
		})
	}
	return t.list("blobs"+string(r), files, func(f sample.File) string {
		content := t.catalog.Content(f)
		return fmt.Sprintf("%x %s", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(content)), content...)), f.Destination)
	})
}

// paths lists destinations: all of A, or what B removes.
func (t *bed) paths(r sample.Revision) (string, error) {
	files := t.catalog.Files(r)
	if r == sample.B {
		files = nil
		for _, d := range t.catalog.Removed {
			files = append(files, sample.File{Destination: d})
		}
	}
	return t.list("paths"+string(r), files, func(f sample.File) string { return f.Destination })
}

// list writes a line for each file.
func (t *bed) list(name string, files []sample.File, line func(sample.File) string) (string, error) {
	return t.once(name, func(path string) error {
		var text strings.Builder
		for _, f := range files {
			text.WriteString(line(f) + "\n")
		}
		return os.WriteFile(path, []byte(text.String()), 0o644)
	})
}

// check wants a target to hold a revision, and nothing of what was removed.
func (t *bed) check(r sample.Revision) func(target string) error {
	return func(target string) error {
		manifest, err := t.manifest(r)
		if err != nil {
			return err
		}
		if r == sample.B {
			for _, d := range t.catalog.Removed {
				if _, err := os.Lstat(filepath.Join(target, d)); err == nil {
					return fmt.Errorf("wrong result: %s is still there", d)
				}
			}
		}
		return t.b.call("", t.b.limit, "check", manifest, target)
	}
}
