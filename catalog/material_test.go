package catalog_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
)

func TestIsLFSPointer(t *testing.T) {
	const today, before = "version https://git-lfs.github.com/spec/v1\n", "version https://hawser.github.com/spec/v1\n"
	oid := "oid sha256:" + strings.Repeat("0f", 32) + "\n"
	for text, want := range map[string]bool{
		lfsPointer:                   true,
		today + oid + "size 12345\n": true,
		today + oid + "size 0":       true,
		today + "ext-0-foo sha256:" + strings.Repeat("a", 64) + "\n" + oid + "size 12345\n": true,
		before + oid + "size 12345\n":                              true,
		strings.ReplaceAll(today+oid+"size 12345\n", "\n", "\r\n"): true,

		"":    false,
		today: false,
		today + "is the first line of each pointer.\n": false,
		today + oid:                                                false,
		today + "size 12345\n":                                     false,
		today + oid + "size many\n":                                false,
		today + oid + "size \n":                                    false,
		today + "oid sha256:" + "0f0f...\nsize 12345\n":            false,
		today + "oid md5:0f\nsize 12345\n":                         false,
		oid + today + "size 12345\n":                               false,
		"version https://git-lfs.github.com":                       false,
		strings.Replace(today, "v1", "v12", 1) + oid + "size 1\n":  false,
		"version https://example.org/spec/v1\n" + oid + "size 1\n": false,
		"x" + lfsPointer:                                           false,
		lfsPointer + strings.Repeat("x", 1023-len(lfsPointer)):     true,
		lfsPointer + strings.Repeat("x", 1024-len(lfsPointer)):     false,
	} {
		if got := catalog.IsLFSPointer([]byte(text)); got != want {
			t.Errorf("%q (%d bytes): %v", text[:min(len(text), 150)], len(text), got)
		}
	}
}

// replaceBlob puts other bytes, said to be so many, into the object of a file, and returns its id.
func replaceBlob(t *testing.T, folder string, git func(...string) string, path string, size int, content string) (id string) {
	t.Helper()
	id = git("rev-parse", "HEAD:"+path)
	object := filepath.Join(folder, ".git/objects", id[:2], id[2:])
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(z, "blob %d\x00%s", size, content)
	z.Close()
	if err := os.WriteFile(object, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return id
}

// A material is read to its end: what is damaged is found, and the file named, by a check and whenever it is used.
func TestDamagedMaterials(t *testing.T) {
	ctx := context.Background()
	large := strings.Repeat("a line of a large material\n", 20_000)
	cat := sound()
	for i := range cat.Components {
		if cat.Components[i].ID == "capability.mcp" {
			cat.Components[i].Materials = []catalogtest.Material{{Destination: "large", Content: large}, {Destination: "small", Content: "small\n"}}
		}
	}
	folder, git := checkout(t, cat.Files())
	const largePath, smallPath = "components/capability.mcp/files/large", "components/capability.mcp/files/small"
	first := replaceBlob(t, folder, git, largePath, len(large), large[:len(large)-1]+"!")
	second := replaceBlob(t, folder, git, smallPath, 6, "other\n")
	want := []string{
		largePath + ": can't be read: " + first + ": the stored object is damaged",
		smallPath + ": can't be read: " + second + ": the stored object is damaged",
	}

	source, err := catalog.Open(ctx, folder, "")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	found, err := catalog.Check(ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Error())
		if f.Code() != "READ_FAILED" || !strings.HasPrefix(f.Error(), f.Path()+": ") {
			t.Errorf("%s at %s", f.Code(), f.Path())
		}
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("Check found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	c, err := catalog.Load(ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		r, err := c.OpenMaterial(ctx, &c.Component("capability.mcp").Materials[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err == nil || !strings.HasPrefix(err.Error(), want[i]) || code(err) != "READ_FAILED" {
			t.Errorf("got %v\nwant %s", err, want[i])
		}
		r.Close()
	}
	materials := c.Component("capability.mcp").Materials
	refused := errors.New("the disk is full")
	faults := make([]error, 2)
	_ = c.ReadMaterials(ctx, []*catalog.Material{&materials[0], &materials[1]}, func(i int, content *catalog.Content, err error) error {
		if err == nil {
			_, err = content.WriteTo(failing{refused})
			if err != refused {
				t.Errorf("a writer's error came back as %v", err)
			}
		}
		return nil
	})
	_ = c.ReadMaterials(ctx, []*catalog.Material{&materials[0], &materials[1]}, func(i int, content *catalog.Content, err error) error {
		if err == nil {
			_, err = content.WriteTo(io.Discard)
		}
		faults[i] = err
		return nil
	})
	for i, err := range faults {
		if err == nil || !strings.HasPrefix(err.Error(), want[i]) || code(err) != "READ_FAILED" {
			t.Errorf("got %v\nwant %s", err, want[i])
		}
	}
}

// failing is a writer that takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A material past the bound is refused before it is read, and the message says what to do.
func TestLargeMaterial(t *testing.T) {
	ctx := context.Background()
	folder, git := checkout(t, sound().Files())
	replaceBlob(t, folder, git, "components/artifact.app/files/README.md", catalog.MaxMaterial+1, strings.Repeat("x", 1<<20))
	source, err := catalog.Open(ctx, folder, "")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	const want = "components/artifact.app/files/README.md: has 268435457 bytes; a material has at most 268435456 (256 MiB): make it smaller"
	found, err := catalog.Check(ctx, source)
	if err != nil || len(found) != 1 || found[0].Error() != want || found[0].Code() != "SOURCE_TOO_LARGE" {
		t.Errorf("Check: %v, %v", found, err)
	}
	c, err := catalog.Load(ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenMaterial(ctx, &c.Component("artifact.app").Materials[0]); err == nil || err.Error() != want || code(err) != "SOURCE_TOO_LARGE" {
		t.Errorf("OpenMaterial: %v", err)
	}
}
