package history_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/history"
	"example.org/compose/lockv2"
)

// git runs git with the input, the same on every machine, and returns its output.
func git(t testing.TB, folder, input string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	command := exec.Command("git", args...)
	command.Dir, command.Stdin = folder, strings.NewReader(input)
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	command.Env = append(command.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(folder, "none"), "GIT_LITERAL_PATHSPECS=1", "LC_ALL=C")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit is one commit of a history that is to be made.
type commit struct {
	parents []int // earlier ones; none for a root
	files   map[string]string
	message string
}

// build makes a repository and returns its folder and the ids of the commits, in their order.
func build(t testing.TB, commits []commit) (folder string, ids []string) {
	t.Helper()
	folder = t.TempDir()
	git(t, folder, "", "init", "-q", "--bare")
	var text strings.Builder
	for i, c := range commits {
		message := c.message
		if message == "" {
			message = fmt.Sprintf("commit %d", i)
		}
		fmt.Fprintf(&text, "reset refs/heads/c%d\ncommit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata %d\n%s\n", i, i, i+1, 1_700_000_000+(i*7)%5*1000, len(message), message)
		for k, parent := range c.parents {
			fmt.Fprintf(&text, "%s :%d\n", map[bool]string{true: "from", false: "merge"}[k == 0], parent+1)
		}
		text.WriteString("deleteall\n")
		for path, contents := range c.files {
			mode := "100644"
			if contents, ok := strings.CutPrefix(contents, "x:"); ok {
				mode, c.files[path] = "100755", contents
			}
			fmt.Fprintf(&text, "M %s inline %s\ndata %d\n%s\n", mode, path, len(c.files[path]), c.files[path])
		}
	}
	git(t, folder, text.String(), "fast-import", "--quiet")
	byName := map[string]string{}
	for line := range strings.Lines(git(t, folder, "", "for-each-ref", "--format=%(refname:short) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		byName[name] = id
	}
	for i := range commits {
		ids = append(ids, byName[fmt.Sprintf("c%d", i)])
	}
	return folder, ids
}

func open(t testing.TB, folder string) *history.Log {
	t.Helper()
	repo, err := gitrepo.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	log, err := history.Open(repo)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func whole(paths ...string) []history.File {
	var files []history.File
	for _, path := range paths {
		files = append(files, history.File{Path: path})
	}
	return files
}

func last(t testing.TB, log *history.Log, tip string, files []history.File) (string, error) {
	t.Helper()
	change, err := log.Last(context.Background(), lockv2.Revision(tip), files)
	if change == nil {
		return "", err
	}
	return string(change.Revision), err
}

func codeOf(err error) string {
	var coded diag.Coded
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return fmt.Sprint(err)
}

func TestLast(t *testing.T) {
	a, b := map[string]string{"dir/f": "a"}, map[string]string{"dir/f": "b"}
	tests := map[string]struct {
		commits []commit // the last is the tip
		want    int      // -1 for none
	}{
		"the root":                               {[]commit{{files: a}, {parents: []int{0}, files: a}}, 0},
		"the tip":                                {[]commit{{files: a}, {parents: []int{0}, files: b}}, 1},
		"a mode":                                 {[]commit{{files: a}, {parents: []int{0}, files: map[string]string{"dir/f": "x:a"}}}, 1},
		"a removal":                              {[]commit{{files: a}, {parents: []int{0}}, {parents: []int{1}}}, 1},
		"never there":                            {[]commit{{files: map[string]string{"dir/g": "a"}}, {parents: []int{0}, files: map[string]string{"g": ""}}}, -1},
		"another file":                           {[]commit{{files: a}, {parents: []int{0}, files: map[string]string{"dir/f": "a", "dir/g": "a"}}}, 0},
		"there and back on a side branch":        {[]commit{{files: a}, {parents: []int{0}, files: b}, {parents: []int{1}, files: a}, {parents: []int{0, 2}, files: a}}, 0},
		"a merge that takes the second parent":   {[]commit{{files: a}, {parents: []int{0}, files: a}, {parents: []int{0}, files: b}, {parents: []int{1, 2}, files: b}}, 2},
		"a merge that takes the first parent":    {[]commit{{files: a}, {parents: []int{0}, files: b}, {parents: []int{0}, files: a}, {parents: []int{1, 2}, files: b}}, 1},
		"the same change on both sides":          {[]commit{{files: a}, {parents: []int{0}, files: b}, {parents: []int{0}, files: b}, {parents: []int{2, 1}, files: b}}, 2},
		"a merge with bytes of its own":          {[]commit{{files: a}, {parents: []int{0}, files: b}, {parents: []int{0}, files: a}, {parents: []int{1, 2}, files: map[string]string{"dir/f": "c"}}}, 3},
		"a folder that became a file and back":   {[]commit{{files: a}, {parents: []int{0}, files: map[string]string{"dir": "a"}}, {parents: []int{1}, files: a}}, 2},
		"another root, merged, without a change": {[]commit{{files: a}, {files: map[string]string{"g": "a"}}, {parents: []int{1, 0}, files: map[string]string{"dir/f": "a", "g": "a"}}}, 0},
		"three parents":                          {[]commit{{files: a}, {parents: []int{0}, files: b}, {parents: []int{0}, files: map[string]string{"dir/f": "c"}}, {parents: []int{0, 1, 2}, files: map[string]string{"dir/f": "c"}}}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			folder, ids := build(t, tt.commits)
			want := ""
			if tt.want >= 0 {
				want = ids[tt.want]
			}
			tip := ids[len(ids)-1]
			if got, err := last(t, open(t, folder), tip, whole("dir/f")); got != want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
			if got := git(t, folder, "", "log", "-1", "--format=%H", tip, "--", "dir/f"); got != want {
				t.Errorf("git says %s, want %s", got, want)
			}
		})
	}
}

// random makes a history with merges of up to three, roots, files that become folders, and dates that lie.
func random(seed uint64) []commit {
	r := rand.New(rand.NewPCG(seed, 6))
	paths := []string{"a", "b/c", "b/d/e", "b", "a/x"}
	var commits []commit
	for i := range 25 {
		c := commit{files: map[string]string{}}
		if i > 0 && r.IntN(12) > 0 {
			for range 1 + r.IntN(3)*r.IntN(2) {
				if parent := max(0, i-1-r.IntN(6)); !slices.Contains(c.parents, parent) {
					c.parents = append(c.parents, parent)
				}
			}
			for path, contents := range commits[c.parents[r.IntN(len(c.parents))]].files {
				c.files[path] = contents
			}
		}
		for range r.IntN(2) + r.IntN(2)*r.IntN(2) {
			path := paths[r.IntN(len(paths))]
			for other := range c.files { // a file takes the place of a folder, and the other way round
				if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
					delete(c.files, other)
				}
			}
			c.files[path] = fmt.Sprint(r.IntN(3))
			if r.IntN(5) == 0 {
				delete(c.files, path)
			}
		}
		commits = append(commits, c)
	}
	return commits
}

func TestLastIsGitsAnswer(t *testing.T) {
	sets := [][]string{{"a"}, {"b/c"}, {"b/d/e"}, {"a", "b/c"}, {"b/c", "b/d/e", "a/x"}, {"none"}}
	answers := map[string]int{}
	for seed := range uint64(8) {
		folder, ids := build(t, random(seed))
		log := open(t, folder)
		for _, tip := range []string{ids[len(ids)-1], ids[len(ids)-2], ids[len(ids)/2]} {
			for _, set := range sets {
				want := git(t, folder, "", append([]string{"log", "-1", "--format=%H", tip, "--"}, set...)...)
				got, err := last(t, log, tip, whole(set...))
				if got != want || err != nil {
					t.Errorf("seed %d, %s, %q: got %s, %v, git says %s", seed, tip, set, got, err, want)
				}
				answers[want]++
			}
		}
	}
	if len(answers) < 20 {
		t.Errorf("only %d different answers: the test shows little", len(answers))
	}
}

// A shallow clone gives the answer of the whole one, or none.
func TestShallow(t *testing.T) {
	known, unknown := 0, 0
	for seed := range uint64(4) {
		folder, ids := build(t, random(seed))
		tip := ids[len(ids)-1]
		git(t, folder, "", "symbolic-ref", "HEAD", fmt.Sprintf("refs/heads/c%d", len(ids)-1))
		full := open(t, folder)
		for _, depth := range []string{"1", "2", "4"} {
			clone := filepath.Join(t.TempDir(), "clone")
			git(t, folder, "", "clone", "-q", "--bare", "--depth", depth, "file://"+folder, clone)
			log := open(t, clone)
			for _, path := range []string{"a", "b/c", "b/d/e"} {
				want, err := last(t, full, tip, whole(path))
				if err != nil {
					t.Fatal(err)
				}
				got, err := last(t, log, tip, whole(path))
				switch {
				case codeOf(err) == history.CodeUnavailable:
					unknown++
					var coded diag.Coded
					if errors.As(err, &coded); !strings.Contains(err.Error(), "shallow clone") || !strings.Contains(coded.Hint(), "fetch --unshallow") {
						t.Errorf("got %v, hint %q", err, coded.Hint())
					}
				case err != nil || got != want:
					t.Errorf("seed %d, depth %s, %s: got %s, %v; the whole history says %s", seed, depth, path, got, err, want)
				default:
					known++
				}
			}
		}
	}
	if known == 0 || unknown == 0 {
		t.Errorf("%d known, %d unknown: the test shows little", known, unknown)
	}
}

// Without its trees a history can't tell, and says so; without its blobs it can.
func TestPartialClone(t *testing.T) {
	folder, ids := build(t, []commit{{files: map[string]string{"a": "1"}}, {parents: []int{0}, files: map[string]string{"a": "1", "b": "1"}}})
	git(t, folder, "", "symbolic-ref", "HEAD", "refs/heads/c1")
	git(t, folder, "", "config", "uploadpack.allowFilter", "true")
	clone := func(filter string) *history.Log {
		to := filepath.Join(t.TempDir(), "clone")
		git(t, folder, "", "clone", "-q", "--bare", "--filter", filter, "file://"+folder, to)
		return open(t, to)
	}
	if got, err := last(t, clone("blob:none"), ids[1], whole("a")); got != ids[0] || err != nil {
		t.Errorf("without blobs: got %s, %v", got, err)
	}
	got, err := last(t, clone("tree:0"), ids[1], whole("a"))
	if codeOf(err) != history.CodeUnavailable || !strings.Contains(err.Error(), "partial clone") {
		t.Errorf("without trees: got %s, %v", got, err)
	}
	part := []history.File{{Path: "a", Part: func(b []byte) []byte { return b }}}
	if got, err := last(t, clone("blob:none"), ids[1], part); codeOf(err) != history.CodeUnavailable {
		t.Errorf("a part without blobs: got %s, %v", got, err)
	}
}

// In the copy of a remote repository, nobody can mend what is not here: the message asks for nothing.
func TestCopyOfRemote(t *testing.T) {
	folder, ids := build(t, []commit{{files: map[string]string{"a": "1"}}, {parents: []int{0}, files: map[string]string{"a": "1", "b": "1"}}})
	git(t, folder, "", "symbolic-ref", "HEAD", "refs/heads/c1")
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, folder, "", "clone", "-q", "--bare", "--depth", "1", "file://"+folder, clone)
	repo, err := gitrepo.OpenWith(clone, gitrepo.Options{Name: "https://git.example.org/c.git"})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	log, err := history.Open(repo)
	if err != nil {
		t.Fatal(err)
	}
	var coded diag.Coded
	if _, err := last(t, log, ids[1], whole("a")); codeOf(err) != history.CodeUnavailable || !errors.As(err, &coded) || coded.Hint() != "" {
		t.Errorf("got %v", err)
	}
	if got, err := last(t, log, ids[1], whole("none")); codeOf(err) != history.CodeUnavailable {
		t.Errorf("got %s, %v for a file that the boundary does not have: what was before is not known", got, err)
	}
}

func TestDamage(t *testing.T) {
	folder, ids := build(t, []commit{{files: map[string]string{"a": "1"}}, {parents: []int{0}, files: map[string]string{"a": "1", "b": "1"}}})
	packs, err := filepath.Glob(filepath.Join(folder, "objects/pack/*.pack"))
	if err == nil && len(packs) == 1 { // else fast-import left the objects loose
		pack, err := os.ReadFile(packs[0])
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(packs[0])
		git(t, folder, string(pack), "unpack-objects", "-q")
	}
	object := filepath.Join(folder, "objects", ids[0][:2], ids[0][2:])
	if err := os.Chmod(object, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(object, []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := last(t, open(t, folder), ids[1], whole("a")); codeOf(err) != gitrepo.CodeReadFailed {
		t.Errorf("a damaged commit: got %s, %v", got, err)
	}
	if got, err := last(t, open(t, folder), ids[1], whole("b")); codeOf(err) != gitrepo.CodeReadFailed {
		t.Errorf("a damaged parent: got %s, %v", got, err)
	}
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	if got, err := last(t, open(t, folder), ids[1], whole("a")); codeOf(err) != history.CodeUnavailable || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing commit: got %s, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t, folder).Last(ctx, lockv2.Revision(ids[1]), whole("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := open(t, folder).Last(context.Background(), "main", whole("a")); err == nil {
		t.Error("a name is taken for a revision")
	}
}

func TestChange(t *testing.T) {
	tests := map[string]struct{ message, want string }{
		"a subject and a body": {"starter: newer actions\n\nbody\n", "starter: newer actions"},
		"blank lines first":    {"\n\n  spaced \nmore\n", "spaced"},
		"no UTF-8":             {"a\xffb", "a\uFFFDb"},
		"long":                 {strings.Repeat("é", 150), strings.Repeat("é", 100) + "..."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			folder, ids := build(t, []commit{{files: map[string]string{"a": "1"}, message: tt.message}})
			change, err := open(t, folder).Last(context.Background(), lockv2.Revision(ids[0]), whole("a"))
			if err != nil || change.Subject != tt.want || change.Date != 1_700_000_000 || string(change.Revision) != ids[0] {
				t.Errorf("got %+v, %v", change, err)
			}
		})
	}
}

func TestRegistrations(t *testing.T) {
	descriptor := func(version int, registrations string) string {
		return fmt.Sprintf(`{"schema_version":1,"version":%d,"summary":"s%d"%s}`, version, version, registrations)
	}
	one, other := `,"contract_registrations":[{"id":"a"}]`, `,"contract_registrations":[{"id":"b"}]`
	folder, ids := build(t, []commit{
		{files: map[string]string{"d": descriptor(1, "")}},
		{parents: []int{0}, files: map[string]string{"d": descriptor(2, one)}},
		{parents: []int{1}, files: map[string]string{"d": descriptor(3, one)}},
		{parents: []int{2}, files: map[string]string{"d": "x:" + descriptor(3, one)}},
		{parents: []int{3}, files: map[string]string{"d": descriptor(4, other)}},
		{parents: []int{4}, files: map[string]string{"d": descriptor(5, `,"contract_registrations":[]`)}},
		{parents: []int{5}, files: map[string]string{"d": descriptor(6, "")}},
		{parents: []int{6}, files: map[string]string{"d": "no JSON"}},
		{parents: []int{7}, files: map[string]string{"d/e": "a folder"}},
	})
	log := open(t, folder)
	for tip, want := range []string{"", ids[1], ids[1], ids[1], ids[4], ids[5], ids[5], ids[7], ids[8]} {
		if got, err := last(t, log, ids[tip], []history.File{{Path: "d", Part: history.Registrations}}); got != want || err != nil {
			t.Errorf("%d: got %s, %v, want %s", tip, got, err, want)
		}
	}
}
