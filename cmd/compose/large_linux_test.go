package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/catalogtest"
)

// By default the repository has 40 MB.
var fullSize = flag.Bool("git.full", false, "plan from a repository of 2 GB")

// A plan from a repository of which the catalog is a small part, in a history that is mostly of other things, reads and allocates as
// much as one from the catalog alone.
func TestPlanFromALargeRepository(t *testing.T) {
	blobs, files := 40, 1000
	if *fullSize {
		blobs, files = 2000, 100_000
	}
	small, large := filepath.Join(t.TempDir(), "small.git"), filepath.Join(t.TempDir(), "large.git")
	importCatalog(t, small, 0, 0)
	importCatalog(t, large, blobs, files)
	var size int64
	packs, err := filepath.Glob(filepath.Join(large, "objects/pack/*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range packs {
		info, err := os.Stat(pack)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size < int64(blobs)<<20 {
		t.Fatalf("the packs have %d bytes", size)
	}
	planCost(t, small) // what is made once is made now
	want, got := planCost(t, small), planCost(t, large)
	t.Logf("alone: %v; in %d MiB: %v", want, size>>20, got)
	// An index of packs has 32 bytes for each object.
	index := int64(blobs+2*files) * 32
	if got.files != want.files || got.read > want.read+index+256<<10 || got.allocated > want.allocated+2*index+1<<20 {
		t.Errorf("alone a plan takes %v, in a large repository %v", want, got)
	}
}

// cost is what a plan takes.
type cost struct {
	read, allocated int64 // bytes
	files           int   // in the plan
}

func (c cost) String() string {
	return fmt.Sprintf("%d KiB read, %d KiB allocated, %d files", c.read>>10, c.allocated>>10, c.files)
}

func planCost(t *testing.T, source string) (c cost) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read := bytesRead(t)
	var stdout, stderr bytes.Buffer
	exit := run([]string{"plan", "--source", source, "--recipe", "app", "--target", filepath.Join(t.TempDir(), "none"), "--format", "json"}, &stdout, &stderr)
	c.read = bytesRead(t) - read
	runtime.ReadMemStats(&after)
	c.allocated = int64(after.TotalAlloc - before.TotalAlloc)
	var answer struct {
		Actions []json.RawMessage
		Summary map[string]any
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); exit != 0 || err != nil || len(answer.Actions) == 0 {
		t.Fatalf("exit %d, %v\n%s%s", exit, err, &stdout, &stderr)
	}
	c.files = len(answer.Actions)
	return c
}

// bytesRead is how many bytes this process has read with calls.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// importCatalog makes a bare repository with a catalog, and beside it as many blobs of a MiB that does not compress, each in a commit of
// its own, and small files.
func importCatalog(t *testing.T, path string, blobs, others int) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	git := func(args ...string) *exec.Cmd {
		cmd := exec.Command("git", append([]string{"-C", path}, args...)...)
		cmd.Env = append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		return cmd
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := git("init", "-q", "--bare", "-b", "main").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := git("-c", "core.compression=0", "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--depth=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(pipe)
	random := rand.NewChaCha8([32]byte{1})
	commit := func(message string) {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter C <c@example.org> 1700000000 +0000\ndata %d\n%s\n", len(message), message)
	}
	noise := make([]byte, 1<<20)
	for i := range blobs {
		_, _ = random.Read(noise)
		commit("noise")
		fmt.Fprintf(w, "M 100644 inline assets/%d.bin\ndata %d\n%s\n", i, len(noise), noise)
	}
	commit("files")
	for i := range others {
		text := fmt.Sprintf("file %d\n", i)
		fmt.Fprintf(w, "M 100644 inline src/%d/%d\ndata %d\n%s\n", i%300, i, len(text), text)
	}
	commit("catalog")
	c := catalogtest.Catalog{
		Components: []catalogtest.Component{{ID: "artifact.app", Materials: []catalogtest.Material{
			{Destination: "README.md", Content: "# app\n"}, {Destination: "docs/guide.md", Content: strings.Repeat("a line\n", 1000)}}}},
		Recipes: []catalogtest.Recipe{{ID: "app", Artifact: "artifact.app"}},
	}
	all := c.Files()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(all[name].Content), all[name].Content)
	}
	fmt.Fprint(w, "done\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	pipe.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
}
