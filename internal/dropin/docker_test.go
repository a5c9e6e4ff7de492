package dropin_test

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var instruction = regexp.MustCompile(`(?m)^([A-Z]+) (.*)$`)

// image is what the Dockerfile says.
type image struct {
	base  string
	runs  []string // of the first stage
	last  []string // instructions of the last stage, as they are
	entry string
}

func dockerfile(t testing.TB) image {
	t.Helper()
	var i image
	stage := 0
	for _, m := range instruction.FindAllStringSubmatch(read(t, "Dockerfile", nil), -1) {
		switch {
		case m[1] == "FROM":
			stage++
			if stage == 1 {
				i.base = strings.Fields(m[2])[0]
			}
		case stage == 1 && m[1] == "RUN":
			i.runs = append(i.runs, m[2])
		}
		if stage == 2 {
			i.last = append(i.last, m[0])
		}
		if m[1] == "ENTRYPOINT" {
			i.entry = strings.Trim(m[2], `[]"`)
		}
	}
	return i
}

func goImage(t testing.TB) string { return dockerfile(t).base }

// The image is what its steps leave, with nothing else in it. No registry is asked: the steps run here, and the program
// then runs in a root folder of its own, as whom the image says.
func TestImage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("images are of Linux")
	}
	const certificates = "/etc/ssl/certs/ca-certificates.crt"
	if _, err := os.Stat(certificates); err != nil {
		t.Skip(err)
	}
	needs(t, "sh")
	i := dockerfile(t)
	minor := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod", nil))[1]
	if want := "golang:" + minor; i.base != want {
		t.Errorf("the image is built with %s, and go.mod asks for %s", i.base, want)
	}
	want := []string{"FROM scratch", "COPY --from=build /image /", "USER 65532:65532", "ENV COMPOSE_CACHE=/tmp/compose PATH=/bin",
		"WORKDIR /work", `ENTRYPOINT ["/bin/compose"]`}
	if !slices.Equal(i.last, want) {
		t.Errorf("the last stage is %q, and this test runs %q", i.last, want)
	}
	root := filepath.Join(t.TempDir(), "image")
	for _, step := range i.runs {
		if step == "go mod download" {
			continue // which the build does as well
		}
		run(t, checkout(t), []string{"GOFLAGS="}, "sh", "-ec", strings.ReplaceAll(step, "/image", root)).want(t, 0)
	}
	program, err := elf.Open(filepath.Join(root, "bin", "compose"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the program needs %q, %v", libraries, err)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the program needs a loader")
		}
	}
	if info, err := os.Stat(filepath.Join(root, "tmp")); err != nil || info.Mode()&os.ModeSticky == 0 || info.Mode().Perm() != 0o777 {
		t.Errorf("/tmp: %v, %v", info, err)
	}
	runImage(t, root, i.entry)
}
