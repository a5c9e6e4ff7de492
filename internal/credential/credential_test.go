package credential_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/giturl"
)

// secret is in every password of the tests, so that none can get past unseen.
const secret = "s3cr3t"

// finder finds in a home and an environment of its own.
func finder(home string, env map[string]string) *credential.Finder {
	return &credential.Finder{Home: home, Getenv: func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}[name]
	}}
}

func parse(t *testing.T, text string) giturl.URL {
	t.Helper()
	u, remote, err := giturl.Parse(text)
	if err != nil || !remote {
		t.Fatalf("%s: %v", text, err)
	}
	return u
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// plain is what is in credentials, which do not show it themselves.
func plain(creds []credential.Credential) []string {
	var list []string
	for _, c := range creds {
		list = append(list, c.User+":"+c.Password+" "+c.From)
	}
	return list
}

// wantNoSecret fails where a value shows a password, however it is printed.
func wantNoSecret(t *testing.T, values ...any) {
	t.Helper()
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{fmt.Sprint(v), fmt.Sprintf("%+v|%#v|%s|%q|%d|%x", v, v, v, v, v, v), string(text)} {
			if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
				t.Errorf("it shows the secret: %s", shown)
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name string
		url  string
		env  map[string]string
		want []string
	}{
		{"a token", "https://git.example-host.org/a", map[string]string{"COMPOSE_TOKEN_git_example__host_org": "s3cr3t"}, []string{"x-access-token:s3cr3t COMPOSE_TOKEN_git_example__host_org"}},
		{"in capitals", "https://git.example-host.org/a", map[string]string{"COMPOSE_TOKEN_GIT_EXAMPLE__HOST_ORG": "s3cr3t"}, []string{"x-access-token:s3cr3t COMPOSE_TOKEN_GIT_EXAMPLE__HOST_ORG"}},
		{"any port", "https://example.org:8443/a", map[string]string{"COMPOSE_TOKEN_example_org": "s3cr3t"}, []string{"x-access-token:s3cr3t COMPOSE_TOKEN_example_org"}},
		{"a user", "https://example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": "me:s3cr3t:more\n"}, []string{"me:s3cr3t:more COMPOSE_TOKEN_example_org"}},
		{"the URL's user", "https://oauth2@example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": "s3cr3t"}, []string{"oauth2:s3cr3t COMPOSE_TOKEN_example_org"}},
		{"another host", "https://example.org/a", map[string]string{"COMPOSE_TOKEN_example_com": "s3cr3t"}, nil},
		{"a host below", "https://a.example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": "s3cr3t"}, nil},
		{"a host that would have the name of another", "https://git_example.org/a", map[string]string{"COMPOSE_TOKEN_git_example_org": "s3cr3t"}, nil},
		{"an empty one", "https://example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": " "}, nil},
		{"ssh", "ssh://example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": "s3cr3t"}, nil},
		{"this machine by http", "http://127.0.0.1:80/a", map[string]string{"COMPOSE_TOKEN_127_0_0_1": "s3cr3t"}, []string{"x-access-token:s3cr3t COMPOSE_TOKEN_127_0_0_1"}},
		{"GitHub", "https://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t1", "GH_TOKEN": "s3cr3t2"}, []string{"x-access-token:s3cr3t2 GH_TOKEN", "x-access-token:s3cr3t1 GITHUB_TOKEN"}},
		{"GitHub twice the same", "https://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t", "GH_TOKEN": "s3cr3t"}, []string{"x-access-token:s3cr3t GH_TOKEN"}},
		{"GitHub's for another host", "https://example.org/a", map[string]string{"GITHUB_TOKEN": "s3cr3t"}, nil},
		{"GitHub's for another port", "https://github.com:8443/a", map[string]string{"GITHUB_TOKEN": "s3cr3t"}, nil},
		{"GitHub's for a host that looks like it", "https://github.com.example.org/a", map[string]string{"GITHUB_TOKEN": "s3cr3t"}, nil},
		{"GitHub by http", "http://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t"}, nil},
		{"GitHub elsewhere", "https://gh.example.org:8443/a", map[string]string{"GITHUB_TOKEN": "s3cr3t", "GITHUB_SERVER_URL": "https://gh.example.org:8443"}, []string{"x-access-token:s3cr3t GITHUB_TOKEN"}},
		{"GitHub elsewhere only", "https://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t", "GITHUB_SERVER_URL": "https://gh.example.org"}, nil},
		{"a GitHub that is no URL", "https://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t", "GITHUB_SERVER_URL": "%"}, nil},
		{"GitLab", "https://gitlab.example.org/a", map[string]string{"CI_JOB_TOKEN": "s3cr3t", "CI_SERVER_HOST": "gitlab.example.org"}, []string{"gitlab-ci-token:s3cr3t CI_JOB_TOKEN"}},
		{"GitLab on a port", "https://gitlab.example.org:8443/a", map[string]string{"CI_JOB_TOKEN": "s3cr3t", "CI_SERVER_HOST": "gitlab.example.org", "CI_SERVER_PORT": "8443"}, []string{"gitlab-ci-token:s3cr3t CI_JOB_TOKEN"}},
		{"GitLab's for another port", "https://gitlab.example.org:8443/a", map[string]string{"CI_JOB_TOKEN": "s3cr3t", "CI_SERVER_HOST": "gitlab.example.org"}, nil},
		{"GitLab's for another host", "https://example.org/a", map[string]string{"CI_JOB_TOKEN": "s3cr3t", "CI_SERVER_HOST": "gitlab.example.org"}, nil},
		{"GitLab's without a host", "https://example.org/a", map[string]string{"CI_JOB_TOKEN": "s3cr3t"}, nil},
		{"the best first", "https://github.com/a", map[string]string{"GITHUB_TOKEN": "s3cr3t1", "COMPOSE_TOKEN_github_com": "s3cr3t2"}, []string{"x-access-token:s3cr3t2 COMPOSE_TOKEN_github_com", "x-access-token:s3cr3t1 GITHUB_TOKEN"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := finder("", tt.env).Find(t.Context(), parse(t, tt.url))
			if err != nil || !reflect.DeepEqual(plain(got), tt.want) {
				t.Errorf("got %q, %v, want %q", plain(got), err, tt.want)
			}
			wantNoSecret(t, got)
		})
	}
	if got, err := (&credential.Finder{}).Find(t.Context(), parse(t, "https://example.org/a")); got != nil || err != nil {
		t.Errorf("of nothing: %q, %v", plain(got), err)
	}
}

// What one place gives comes with the error of another.
func TestOrder(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".netrc"), "machine example.org login n password s3cr3t-n\n")
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!echo username=h; echo password=s3cr3t-h; :\"\n")
	env := map[string]string{"COMPOSE_TOKEN_example_org": "e:s3cr3t-e"}
	u := parse(t, "https://example.org/a")
	got, err := finder(home, env).Find(t.Context(), u)
	want := []string{"e:s3cr3t-e COMPOSE_TOKEN_example_org", "n:s3cr3t-n netrc", "h:s3cr3t-h git's helper (a shell command)"}
	if err != nil || !reflect.DeepEqual(plain(got), want) {
		t.Errorf("got %q, %v", plain(got), err)
	}
	wantNoSecret(t, got, got[0], &got[0])

	write(t, filepath.Join(home, ".netrc"), "machine example.org login n password \"s3cr3t-n\n")
	got, err = finder(home, env).Find(t.Context(), u)
	if !reflect.DeepEqual(plain(got), []string{want[0], want[2]}) {
		t.Errorf("got %q, %v", plain(got), err)
	}
	wantFault(t, err, "netrc", "line 1")
}

// wantFault fails unless err is an *Error that has texts and shows no secret.
func wantFault(t *testing.T, err error, texts ...string) {
	t.Helper()
	var e *credential.Error
	if !errors.As(err, &e) || e.Code() != credential.CodeAuthentication {
		t.Fatalf("got %v", err)
	}
	for _, text := range texts {
		if !strings.Contains(e.Error(), text) {
			t.Errorf("%q is not in: %v", text, e)
		}
	}
	wantNoSecret(t, err)
}

// Each way to fail says which place it is, and no secret.
func TestFaults(t *testing.T) {
	tests := []struct {
		name  string
		url   string
		env   map[string]string
		netrc string
		git   string
		want  string
	}{
		{"a token over http", "http://example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": secret}, "", "", "COMPOSE_TOKEN_example_org is not sent over http"},
		{"a token with a line break", "https://example.org/a", map[string]string{"COMPOSE_TOKEN_example_org": secret + "\nX: y"}, "", "", "COMPOSE_TOKEN_example_org gives"},
		{"a netrc over http", "http://example.org/a", nil, "machine example.org login a password s3cr3t", "", "netrc is not used for http"},
		{"a netrc with a line break in it", "https://example.org/a", nil, `machine example.org login a password "s3cr3t\n"`, "", "netrc gives"},
		{"a netrc with a quote", "https://example.org/a", nil, "\nmachine example.org login a password \"s3cr3t\n", "", "line 2"},
		{"a machine without a name", "https://example.org/a", nil, `machine "" login a password s3cr3t`, "", "has no name"},
		{"a netrc that is missing", "https://example.org/a", map[string]string{"NETRC": "/none/s3cr3t"}, "", "", "netrc can't be read"},
		{"a netrc that is a folder", "https://example.org/a", map[string]string{"NETRC": "/"}, "", "", "is a folder"},
		{"a large netrc", "https://example.org/a", nil, strings.Repeat("s3cr3t ", 1<<18), "", "larger than"},
		{"git's configuration", "https://example.org/a", nil, "", "[credential]\nhelper = s3cr3t\n[s3cr3t", `"~/.gitconfig" can't be read`},
		{"a helper that fails", "https://example.org/a", nil, "", "[credential]\nhelper = \"!echo s3cr3t >&2; exit 3;\"", "(a shell command) ends with exit status 3"},
		{"a helper that is missing", "https://example.org/a", nil, "", "[credential]\nhelper = none-such --password=s3cr3t", "git's helper none-such ends with exit status"},
		{"an absolute path that is missing", "https://example.org/a", nil, "", "[credential]\nhelper = /none/such --password=s3cr3t", "git's helper such ends with exit status 127"},
		{"a relative path", "https://example.org/a", nil, "", "[credential]\nhelper = ./such --password=s3cr3t", "git's helper such has a relative path"},
		{"a helper that is called by a secret", "https://example.org/a", nil, "", "[credential]\nhelper = password=s3cr3t", "git's helper (a program) ends"},
		{"a helper that says something else", "https://example.org/a", nil, "", "[credential]\nhelper = \"!echo s3cr3t;:\"", "something other than NAME=VALUE"},
		{"a helper that says too much", "https://example.org/a", nil, "", "[credential]\nhelper = \"!yes password=s3cr3t;:\"", "says more than 65536 bytes"},
		{"a helper that quits", "https://example.org/a", nil, "", "[credential]\nhelper = \"!echo quit=1;:\"\nhelper = \"!echo username=a; echo password=s3cr3t;:\"", "says to ask no other"},
		{"a helper with a control character", "https://example.org/a", nil, "", "[credential]\nhelper = \"!echo username=a; printf 'password=s3cr3t\\\\ra\\\\n';:\"", "(a shell command) gives"},
		{"a user with a line break", "https://example.org/a", nil, "", "[credential]\nusername = \"a\\npassword=s3cr3t\"\nhelper = \"!cat;:\"", "credential.username"},
		{"no shell", "https://example.org/a", map[string]string{"PATH": "/none"}, "", "[credential]\nhelper = \"!echo password=s3cr3t;:\"", "needs sh"},
		{"nothing in PATH", "https://example.org/a", map[string]string{"PATH": "relative"}, "", "[credential]\nhelper = none-such s3cr3t", "none-such is not installed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			if tt.netrc != "" {
				write(t, filepath.Join(home, ".netrc"), tt.netrc)
			}
			if tt.git != "" {
				write(t, filepath.Join(home, ".gitconfig"), tt.git)
			}
			got, err := finder(home, tt.env).Find(t.Context(), parse(t, tt.url))
			if len(got) != 0 {
				t.Errorf("got %q", plain(got))
			}
			wantFault(t, err, tt.want)
		})
	}
}

func TestControlCharacters(t *testing.T) {
	home := t.TempDir()
	log := filepath.Join(home, "log")
	write(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = \"!cat >"+log+";:\"\n\tuseHttpPath\n")
	u := parse(t, "https://example.org/a")
	for name, change := range map[string]func(u *giturl.URL){
		"host": func(u *giturl.URL) { u.Host = "example.org\nhost=example.com" },
		"port": func(u *giturl.URL) { u.Port = "1\nhost=example.com" },
		"path": func(u *giturl.URL) { u.Path = "/a\nhost=example.com" },
		"NUL":  func(u *giturl.URL) { u.Path = "/a\x00" },
	} {
		hostile := u
		change(&hostile)
		if _, err := finder(home, nil).Find(t.Context(), hostile); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("a helper was asked")
	}
	if _, err := finder(home, nil).Find(t.Context(), u); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(log); string(got) != "protocol=https\nhost=example.org\npath=a\n\n" {
		t.Errorf("a helper was told %q, %v", got, err)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := finder("", map[string]string{"COMPOSE_TOKEN_example_org": secret}).Find(ctx, parse(t, "https://example.org/a"))
	if got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %q, %v", plain(got), err)
	}
}
