package gitserver

import (
	"os/exec"
	"strings"
	"testing"
)

// Git runs git in a folder as the test's author at a fixed time, and returns what it prints without the last newline. The
// user's configuration is not read.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return GitInput(t, dir, "", args...)
}

// GitInput is Git with a standard input.
func GitInput(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	needGit(t)
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Stdin = strings.NewReader(input)
	command.Env = append(environment(dir, []string{"init.defaultBranch=main", "commit.gpgSign=false"}),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=1700000000 +0000")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}
