//go:build unix

package credential_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/compose/internal/credential"
)

// answering is a helper that says who it is, and what it was told of a user and a path.
func answering(name string) string {
	return `"!f() { while read -r l; do case $l in username=*) u=${l#*=};; path=*) p=${l#*=};; esac; done; echo username=${u:-` + name + `}; echo password=s3cr3t-` + name + `-$p; }; f"`
}

// TestHelpersAsGit holds what is found against what git credential fill says, for the same configuration and URL.
func TestHelpersAsGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing: nothing to hold the helpers against")
	}
	a, b := answering("a"), answering("b")
	configs := map[string]string{
		"one":                 "[credential]\nhelper = " + a,
		"the first that has":  "[credential]\nhelper = \"!:;:\"\nhelper = \"!exit 1;:\"\nhelper = " + a + "\nhelper = " + b,
		"a list that ends":    "[credential]\nhelper = " + b + "\nhelper =\nhelper = " + a,
		"a URL":               "[credential \"https://example.org\"]\nhelper = " + a,
		"a URL's list":        "[credential]\nhelper = " + b + "\n[credential \"https://example.org\"]\nhelper =\nhelper = " + a,
		"a URL first":         "[credential \"https://example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"another scheme":      "[credential \"http://example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"another host":        "[credential \"https://example.com\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a host below":        "[credential \"https://git.example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a host above":        "[credential \"https://org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a wild host":         "[credential \"https://*.example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a wild part":         "[credential \"https://*.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"capitals":            "[credential \"https://EXAMPLE.org/\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a port":              "[credential \"https://example.org:8443\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"the scheme's port":   "[credential \"https://example.org:443\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a path":              "[credential \"https://example.org/team\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a path with a slash": "[credential \"https://example.org/team/\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a part of a path":    "[credential \"https://example.org/te\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a user":              "[credential \"https://me@example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a host alone":        "[credential \"example.org\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a scheme alone":      "[credential \"https://\"]\nhelper = " + a + "\n[credential]\nhelper = " + b,
		"a username":          "[credential]\nusername = u\nhelper = " + a,
		"usernames":           "[credential]\nusername = u\nhelper = " + a + "\n[credential \"https://example.org\"]\nusername = v",
		"paths":               "[credential]\nuseHttpPath = true\nhelper = " + a,
		"paths of one":        "[credential \"https://example.org/team\"]\nuseHttpPath = true\n[credential]\nhelper = " + a,
		"a user of the first": "[credential]\nhelper = \"!echo username=first;:\"\nhelper = " + a,
		"a failure that says": "[credential]\nhelper = \"!echo username=x; echo password=s3cr3t-x; exit 1;:\"\nhelper = " + a,
		"CRLF":                "[credential]\nhelper = \"!printf 'username=x\\\\r\\\\npassword=s3cr3t-x\\\\r\\\\n';:\"",
		"more lines":          "[credential]\nhelper = \"!echo capability[]=authtype; echo username=x; echo password=s3cr3t=x; echo; echo password=s3cr3t-y;:\"",
	}
	urls := []string{
		"https://example.org/team/x", "https://me@example.org/team/x", "https://example.org:8443/team/x", "https://git.example.org/x", "http://example.org/team/x",
	}
	for name, text := range configs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			write(t, filepath.Join(home, ".gitconfig"), text+"\n")
			for _, url := range urls {
				cmd := exec.Command(git, "credential", "fill")
				cmd.Dir = home
				cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS="}
				cmd.Stdin = strings.NewReader("url=" + url + "\n\n")
				out, err := cmd.Output()
				var want []string
				if err == nil {
					field := func(name string) string {
						_, rest, _ := bytes.Cut(append([]byte("\n"), out...), []byte("\n"+name+"="))
						value, _, _ := bytes.Cut(rest, []byte("\n"))
						return string(value)
					}
					want = []string{field("username") + ":" + field("password")}
				}
				creds, err := finder(home, nil).Find(t.Context(), parse(t, url))
				var got []string
				for _, c := range creds {
					got = append(got, c.User+":"+c.Password)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %q, %v, and git %q", url, got, err, want)
				}
			}
		})
	}
}

// Helpers are found as git finds them, and run without anything to ask by.
func TestHelperForms(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const body = "#!/bin/sh\necho username=$1-${0##*/}\necho password=s3cr3t\n"
	write(t, filepath.Join(home, "bin", "git-credential-mine"), body)
	write(t, filepath.Join(home, "absolute", "helper"), body)
	write(t, filepath.Join(home, "libexec", "git-credential-core"), body)
	write(t, filepath.Join(home, "tool", "git"), "#!/bin/sh\necho username=git-$1-$2\necho password=s3cr3t\n")
	write(t, filepath.Join(home, "shell", "placeholder"), "")
	if err := os.Symlink("/bin/sh", filepath.Join(home, "shell", "sh")); err != nil {
		t.Fatal(err)
	}
	path := func(names ...string) string {
		for i, name := range names {
			names[i] = filepath.Join(home, name)
		}
		return strings.Join(names, ":")
	}
	tests := []struct {
		name, helper string
		env          map[string]string
		want         string
	}{
		{"in PATH", "mine", map[string]string{"PATH": path("bin", "tool", "shell")}, "get-git-credential-mine:s3cr3t git's helper mine"},
		{"of git", "other --x", map[string]string{"PATH": path("bin", "tool", "shell")}, "git-credential-other---x:s3cr3t git's helper other"},
		{"of git's folder", "core", map[string]string{"PATH": path("shell"), "GIT_EXEC_PATH": path("libexec")}, "get-git-credential-core:s3cr3t git's helper core"},
		{"absolute", filepath.Join(home, "absolute", "helper"), nil, "get-helper:s3cr3t git's helper helper"},
		{"absolute with arguments", filepath.Join(home, "absolute", "helper") + " a b", nil, "a-helper:s3cr3t git's helper helper"},
		{"the next one for an expired password", "!echo username=b; echo password=s3cr3t-old; echo password_expiry_utc=99;:\"\n\thelper = \"!echo username=a; echo password=s3cr3t; echo password_expiry_utc=101;:", nil, "a:s3cr3t git's helper (a shell command)"},
		{"home, terminal and prompts", `!echo username=$HOME,$GIT_TERMINAL_PROMPT,$GIT_ASKPASS,$SSH_ASKPASS; (: </dev/tty) 2>/dev/null || echo password=s3cr3t;:`, nil, home + ",0,,:s3cr3t git's helper (a shell command)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "config")
			write(t, config, fmt.Sprintf("[credential]\n\thelper = \"%s\"\n", tt.helper))
			env := map[string]string{"GIT_CONFIG_GLOBAL": config}
			for name, value := range tt.env {
				env[name] = value
			}
			got, err := finder(home, env).At(time.Unix(100, 0)).Find(t.Context(), parse(t, "https://example.org/x"))
			if err != nil || !reflect.DeepEqual(plain(got), []string{tt.want}) {
				t.Errorf("got %q, %v, want %q", plain(got), err, tt.want)
			}
		})
	}
}

// A helper gets the environment that the finder has, and none of the process's own.
func TestHelperEnvironment(t *testing.T) {
	t.Setenv("COMPOSE_TEST_OWN", "process")
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!echo username=$COMPOSE_TEST_OWN,$OTHER,$HOME,$GIT_ASKPASS; echo password=s3cr3t;:\"\n")
	given := []string{"OTHER=given", "HOME=/elsewhere", "GIT_ASKPASS=/bin/ask"}
	for name, tt := range map[string]struct {
		environ func() []string
		want    string
	}{
		"none":  {nil, ",," + home + ","},
		"given": {func() []string { return given }, ",given," + home + ","},
	} {
		f := finder(home, nil)
		f.Environ = tt.environ
		got, err := f.Find(t.Context(), parse(t, "https://example.org/x"))
		if want := tt.want + ":s3cr3t git's helper (a shell command)"; err != nil || !reflect.DeepEqual(plain(got), []string{want}) {
			t.Errorf("%s: got %q, %v, want %q", name, plain(got), err, want)
		}
	}
	if given[1] != "HOME=/elsewhere" {
		t.Error("what was given is changed")
	}
}

// The configuration of the system counts, and includes do.
func TestConfigFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, "system"), "[credential]\n\thelper = "+answering("system")+"\n")
	write(t, filepath.Join(home, "more"), "[credential]\n\thelper = "+answering("more")+"\n")
	write(t, filepath.Join(home, "forget"), "[credential]\n\thelper =\n[include]\n\tpath = ~/more\n")
	tests := []struct {
		name string
		env  map[string]string
		want []string
	}{
		{"none", nil, nil},
		{"system", map[string]string{"GIT_CONFIG_SYSTEM": filepath.Join(home, "system"), "GIT_CONFIG_NOSYSTEM": "0"}, []string{"system:s3cr3t-system- git's helper (a shell command)"}},
		{"no system", map[string]string{"GIT_CONFIG_SYSTEM": filepath.Join(home, "system"), "GIT_CONFIG_NOSYSTEM": "1"}, nil},
		{"global", map[string]string{"GIT_CONFIG_SYSTEM": filepath.Join(home, "system"), "GIT_CONFIG_NOSYSTEM": "0", "GIT_CONFIG_GLOBAL": filepath.Join(home, "forget")}, []string{"more:s3cr3t-more- git's helper (a shell command)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := finder(home, tt.env).Find(t.Context(), parse(t, "https://example.org/x"))
			if err != nil || !reflect.DeepEqual(plain(got), tt.want) {
				t.Errorf("got %q, %v, want %q", plain(got), err, tt.want)
			}
		})
	}
}

// A helper that does not end is killed, and what it started with it.
func TestHelperIsKilled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	pids := filepath.Join(home, "pids")
	if err := syscall.Mkfifo(pids, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!sleep 600 & echo $$ $! >"+pids+"; echo password=s3cr3t; wait;:\"\n")
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var shell, child int
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, _ := os.ReadFile(pids) // waits for the helper
		fmt.Sscan(string(text), &shell, &child)
		cancel(why)
	}()
	got, err := finder(home, nil).Find(ctx, parse(t, "https://example.org/x"))
	if len(got) > 0 || !errors.Is(err, why) {
		t.Errorf("got %q, %v", plain(got), err)
	}
	<-done
	for _, pid := range []int{shell, child} {
		if pid == 0 {
			t.Fatal("the helper did not start")
		}
		waitForEnd(t, pid)
	}
}

func TestHelperTimeout(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!echo password=s3cr3t; exec sleep 600;:\"\n")
	got, err := finder(home, nil).WithTimeout(100*time.Millisecond).Find(t.Context(), parse(t, "https://example.org/x"))
	if len(got) > 0 {
		t.Errorf("got %q", plain(got))
	}
	wantFault(t, err, "does not answer within 100ms")
}

// waitForEnd waits until a process has ended: it is no more, or a zombie that nobody has asked for yet.
func waitForEnd(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d goes on", pid)
		}
	}
}

// A helper may leave something running, such as a cache, that holds its output open.
func TestHelperLeavesADaemon(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!sleep 600 & echo username=a; echo password=s3cr3t; echo $! >"+filepath.Join(home, "pid")+";:\"\n")
	got, err := finder(home, nil).Find(t.Context(), parse(t, "https://example.org/x"))
	if err != nil || !reflect.DeepEqual(plain(got), []string{"a:s3cr3t git's helper (a shell command)"}) {
		t.Errorf("got %q, %v", plain(got), err)
	}
	text, err := os.ReadFile(filepath.Join(home, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("it was ended: %v", err)
	}
}

func TestParseAnswer(t *testing.T) {
	tests := []struct {
		name, text string
		user, pass string
		quit, bad  bool
	}{
		{"nothing", "", "", "", false, false},
		{"both", "username=a\npassword=b=c\n", "a", "b=c", false, false},
		{"the last counts", "password=b\npassword=c", "", "c", false, false},
		{"up to an empty line", "username=a\n\npassword=b\n", "a", "", false, false},
		{"expired", "username=a\npassword=b\npassword_expiry_utc=99\n", "a", "", false, false},
		{"expires now", "password_expiry_utc=100\npassword=b\n", "", "b", false, false},
		{"an expiry that is none", "password=b\npassword_expiry_utc=soon\n", "", "b", false, false},
		{"quit", "quit=1\n", "", "", true, false},
		{"no quit", "quit=0\npassword=b", "", "b", false, false},
		{"a line of something else", "password=b\nhello\n", "", "", false, true},
		{"another host", "host=example.com\nprotocol=http\npassword=b", "", "b", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			user, pass, quit, err := credential.ParseAnswer(tt.text, 100)
			if user != tt.user || pass != tt.pass || quit != tt.quit || (err != nil) != tt.bad {
				t.Errorf("got %q, %q, %v, %v", user, pass, quit, err)
			}
		})
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add("username=a\r\npassword=b\npassword_expiry_utc=1\nquit=true\n\nx", int64(2))
	f.Fuzz(func(t *testing.T, text string, now int64) {
		user, pass, _, err := credential.ParseAnswer(text, now)
		if strings.ContainsAny(user+pass, "\n") || err != nil && (user != "" || pass != "") {
			t.Errorf("%q, %q, %v", user, pass, err)
		}
	})
}
