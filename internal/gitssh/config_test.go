package gitssh_test

import (
	"fmt"
	"os/exec"
	"os/user"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/internal/gitssh"
	"example.org/compose/internal/giturl"
)

// TestConfigAsSSH holds the reader against what ssh -G says of the same file.
func TestConfigAsSSH(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("ssh is missing: nothing to hold the reader against")
	}
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"",
		"Host git\n HostName git.example.org\n Port 2222\n User me\n",
		"Host git other\nHostName = one.example.org\nHost *\nHostName two.example.org\n",
		"Host *.example.org !git.example.org\nUser wild\nHost git.example.org\nUser git\n",
		"Host !git\nUser a\nHost * !git\nUser b\nHost *\nUser c\n",
		"Host g?t\nUser q\nHost GIT\nUser capital\n",
		"Host g*t*\nUser star\n",
		"host git\n  hostname=%h.example.org\n  USER\tme # a comment\n",
		"Host \"git\" # comment\nUser \"me too\"\n",
		"User first\nUser second\n",
		"IdentityFile ~/.ssh/one\nIdentityFile ~/.ssh/two\nHost git\nIdentityFile ~/.ssh/three\n",
		"IdentitiesOnly yes\nHostKeyAlias alias\nConnectTimeout 7\n",
		"UserKnownHostsFile /a /b\nGlobalKnownHostsFile \"/c d\"\n",
		"ProxyJump bastion\n",
		"ProxyJump none\nProxyCommand nc %h %p\n",
		"ProxyCommand nc %h %p\nProxyJump bastion\n",
		"Host git\nProxyCommand none\n",
		"ProxyCommand none\nProxyJump bastion\n",
		"ProxyJump none\nProxyJump bastion\n",
		"Match host git\nUser a\nMatch host other\nUser b\n",
		"Match host g*,!git\nUser a\nMatch all\nUser b\n",
		"Match originalhost git user me\nPort 1\nMatch originalhost git\nPort 2\n",
		"Host git\nHostName real.example.org\nMatch host git\nUser original\nMatch host real.example.org\nUser real\n",
		"User me\nMatch user me\nPort 3\n",
		"Match !host git\nPort 4\nMatch !host other\nPort 5\n",
		"Match localuser nobody-at-all\nPort 6\n",
		"Match final host real\nPort 7\nHost git\nHostName real\n",
		"Match canonical\nPort 8\n",
		"Match final all\nIdentityFile /final\nMatch all\nIdentityFile /always\n",
		"Port 22\n  # Port 1\n\n\t\nPort 2\n",
		"Port\t=\t9\n",
		"Port 10\r\nUser me\r\n",
		"IdentityFile '/a b'\nIdentityFile /c\\ d\nIdentityFile \"/e\\\"f\"\n",
		"Host git#x\nUser a\nHost git #x\nUser b\n",
		// refused by ssh
		"Host git\nUser \"me\n",
		"Port none\n",
		"User\n",
		"Match host\nUser a\n",
	}
	for _, text := range texts {
		home := t.TempDir()
		file := filepath.Join(home, ".ssh", "config")
		write(t, file, strings.TrimSuffix(text, "\n"))
		for _, host := range []string{"git", "other", "git.example.org", "great"} {
			out, sshErr := exec.Command(program, "-G", "-F", file, host).Output()
			opts := gitssh.Options{Home: home, System: t.TempDir(), Getenv: func(name string) string { return map[string]string{"USER": who.Username}[name] }}
			got, err := gitssh.Config(opts, host, "")
			if err == nil {
				_, err = gitssh.Settings(opts, giturl.URL{Scheme: "ssh", Host: host})
				if err != nil && strings.Contains(err.Error(), "needs the ssh program") {
					err = nil
				}
			}
			if (err != nil) != (sshErr != nil) {
				t.Errorf("%q, host %s: %v, and ssh: %v", text, host, err, sshErr)
				continue
			}
			if err != nil {
				continue
			}
			want := map[string]string{}
			for line := range strings.Lines(string(out)) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				if name == "identityfile" && want[name] != "" {
					value = want[name] + "\n" + value
				}
				want[name] = value
			}
			for _, name := range []string{
				"hostname", "port", "user", "identityfile", "identitiesonly", "hostkeyalias", "connecttimeout", "userknownhostsfile", "globalknownhostsfile", "proxyjump", "proxycommand",
			} {
				if got[name] != want[name] && !isDefault(name, got[name], want[name]) {
					t.Errorf("%q, host %s, %s: got %q, ssh %q", text, host, name, got[name], want[name])
				}
			}
		}
	}
}

// isDefault reports whether ssh prints what it has where nothing is said, or leaves out a "none".
func isDefault(name, got, want string) bool {
	switch name {
	case "identityfile":
		return got == "" && strings.HasPrefix(want, "~/.ssh/id_rsa\n")
	case "identitiesonly":
		return got == "" && want == "no"
	case "connecttimeout":
		return got == "" && want == "none"
	case "userknownhostsfile", "globalknownhostsfile":
		return got == "" && strings.Contains(want, "known_hosts2")
	case "proxyjump", "proxycommand":
		return got == "none" && want == ""
	}
	return false
}

func TestSettings(t *testing.T) {
	home, system := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, ".ssh", "config"),
		"Include conf.d/*.conf ~/.ssh/more none", "Host unset", "IdentityFile ${NO_SUCH}/x", "Host token", "IdentityFile /x/%C",
		"Host named", "IdentityFile ~/.ssh/%r@%h:%p-%n-%u-%k-%d-%%", "IdentityFile ${KEYS}/k", "HostName %h.example.org", "User git", "Port 2222",
		"UserKnownHostsFile ~/known /other", "GlobalKnownHostsFile none", "IdentityAgent ~/agent", "ConnectTimeout 7", "HostKeyAlias Alias",
		"Host off", "IdentityAgent none", "IdentityFile none", "Host var", "IdentityAgent $OTHER_AGENT", "Host sock", "IdentityAgent SSH_AUTH_SOCK",
		"Host badport", "Port 0", "Host badtime", "ConnectTimeout soon", "Host badhost", "HostName -oProxyCommand=x", "Host other", "IdentityFile ~other/x")
	write(t, filepath.Join(home, ".ssh", "conf.d", "2.conf"), "Host included", "Port 2")
	write(t, filepath.Join(home, ".ssh", "conf.d", "1.conf"), "Host included", "Port 1")
	write(t, filepath.Join(home, ".ssh", "more"), "Host deeper", "Include deepest")
	write(t, filepath.Join(home, ".ssh", "deepest"), "Port 3", "Host included", "User nobody")
	write(t, filepath.Join(system, "ssh_config"), "Host included deeper", "Port 4", "User system", "Include ssh_config.d/*")
	write(t, filepath.Join(system, "ssh_config.d", "a"), "HostName from.system")
	opts := gitssh.Options{Home: home, System: system, Getenv: func(name string) string {
		return map[string]string{"USER": "me", "SSH_AUTH_SOCK": "/agent", "KEYS": "/keys", "OTHER_AGENT": "/other"}[name]
	}}
	join := func(names ...string) string { return filepath.Join(append([]string{home, ".ssh"}, names...)...) }
	defaults := []string{"identity=" + join("id_ed25519") + " false", "identity=" + join("id_ecdsa") + " false", "identity=" + join("id_rsa") + " false"}
	known := []string{"known=" + join("known_hosts"), "known=" + join("known_hosts2"), "known=" + filepath.Join(system, "ssh_known_hosts"), "known=" + filepath.Join(system, "ssh_known_hosts2")}
	tests := []struct {
		host, user, port string
		want             []string // NAME=VALUE; or
		fault            string
	}{
		{host: "plain", want: append(append([]string{"address=plain:22", "user=me", "key=plain", "agent=/agent", "timeout=30s"}, defaults...), known...)},
		{host: "::1", port: "2222", user: "git", want: append(append([]string{"address=[::1]:2222", "user=git", "key=[::1]:2222", "agent=/agent", "timeout=30s"}, defaults...), known...)},
		{host: "named", want: []string{
			"address=named.example.org:2222", "user=git", "key=alias", "agent=" + filepath.Join(home, "agent"), "timeout=7s",
			"identity=" + join("git@named.example.org:2222-named-me-alias-"+home+"-%") + " true", "identity=/keys/k true", "known=" + filepath.Join(home, "known"), "known=/other",
		}},
		{host: "included", want: append(append([]string{"address=from.system:1", "user=system", "key=[from.system]:1", "agent=/agent", "timeout=30s"}, defaults...), known...)},
		{host: "deeper", want: append(append([]string{"address=from.system:3", "user=system", "key=[from.system]:3", "agent=/agent", "timeout=30s"}, defaults...), known...)},
		{host: "off", want: append([]string{"address=off:22", "user=me", "key=off", "agent=", "timeout=30s"}, known...)},
		{host: "var", want: append(append([]string{"address=var:22", "user=me", "key=var", "agent=/other", "timeout=30s"}, defaults...), known...)},
		{host: "sock", want: append(append([]string{"address=sock:22", "user=me", "key=sock", "agent=/agent", "timeout=30s"}, defaults...), known...)},
		{host: "unset", fault: "~/.ssh/config:3: the environment variable NO_SUCH"},
		{host: "token", fault: "~/.ssh/config:5: the token %C"},
		{host: "badport", fault: `"0" is no port`},
		{host: "badtime", fault: `"soon" is no number of seconds`},
		{host: "badhost", fault: "is no host"},
		{host: "other", fault: "the home folder of"},
	}
	for _, tt := range tests {
		t.Run(tt.host, func(t *testing.T) {
			got, err := gitssh.Settings(opts, giturl.URL{Scheme: "ssh", Host: tt.host, User: tt.user, Port: tt.port})
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

// A port that is named goes before that of the configuration, ssh's own too.
func TestNamedPort(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".ssh", "config"), "Port 2222")
	for text, want := range map[string]string{"ssh://me@git/x": "address=git:2222", "ssh://me@git:22/x": "address=git:22", "ssh://me@git:2200/x": "address=git:2200", "me@git:x": "address=git:2222"} {
		u, _, err := giturl.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := gitssh.Settings(gitssh.Options{Home: home, System: t.TempDir()}, u); err != nil || got[0] != want {
			t.Errorf("%s: got %q, %v, want %s", text, got, err, want)
		}
	}
}

// What can't be obeyed is refused before anything is connected to; what does not matter is not.
func TestConfigRefused(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // nil: nothing is wrong
	}{
		{"a jump", "Host git\nProxyJump bastion", []string{"~/.ssh/config:2 asks for ProxyJump", "clone the repository with git"}},
		{"a proxy", "ProxyCommand nc %h %p", []string{"~/.ssh/config:1 asks for ProxyCommand", "clone the repository with git"}},
		{"no proxy", "ProxyCommand none\nProxyJump bastion\nProxyCommand nc", nil},
		{"a jump for others", "Host other\nProxyJump bastion", nil},
		{"exec", "Match host git exec true\nPort 1", []string{"~/.ssh/config:2: port stands below a Match"}},
		{"exec of others", "Match host other exec true\nPort 1", nil},
		{"exec, and nothing that counts", "Match host git exec true\nAddKeysToAgent yes\nHost *\nUser me", nil},
		{"exec, and what is said already", "Port 2\nMatch exec true\nPort 1", nil},
		{"exec, negated", "Match !exec true\nIdentityFile x", []string{"identityfile stands below a Match"}},
		{"exec with an include", "Match exec true\nInclude more", []string{"~/.ssh/more:1: user stands below"}},
		{"an unknown criterion", "Match tagged x\nUser a", []string{"user stands below a Match"}},
		{"an include of itself", "Include config", []string{"includes nest deeper"}},
		{"many includes of itself", "Include config config config", []string{"includes nest deeper"}},
		{"an include that is no pattern", "Include [", []string{`include "["`}},
		{"an open quote", "User \"me", []string{"~/.ssh/config:1: a quote is not closed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, ".ssh", "config"), tt.text)
			write(t, filepath.Join(home, ".ssh", "more"), "User a")
			opts := gitssh.Options{Home: home, System: t.TempDir(), Getenv: func(string) string { return "me" }}
			u := giturl.URL{Scheme: "ssh", Host: "git", Path: "/x"}
			if tt.want == nil {
				if _, err := gitssh.Settings(opts, u); err != nil {
					t.Error(err)
				}
				return
			}
			_, err := gitssh.Run(t.Context(), u, "true", nil, opts)
			wantRefusal(t, err, gitssh.CodeUnreachable, tt.want...)
		})
	}
	t.Run("no user", func(t *testing.T) {
		_, err := gitssh.Run(t.Context(), giturl.URL{Scheme: "ssh", Host: "git", Path: "/x"}, "true", nil, gitssh.Options{System: t.TempDir()})
		wantRefusal(t, err, gitssh.CodeAuthentication, "git@HOST")
	})
	t.Run("a large file", func(t *testing.T) {
		home := t.TempDir()
		write(t, filepath.Join(home, ".ssh", "config"), strings.Repeat("#", 1<<20))
		_, err := gitssh.Run(t.Context(), giturl.URL{Scheme: "ssh", Host: "git", Path: "/x"}, "true", nil, gitssh.Options{Home: home, System: t.TempDir()})
		wantRefusal(t, err, gitssh.CodeUnreachable, "~/.ssh/config can't be read: larger than")
	})
}

// Names match whatever the case of their ASCII letters.
func TestMatchesAny(t *testing.T) {
	for _, tt := range []struct {
		patterns []string
		name     string
		want     bool
	}{
		{[]string{"A*"}, "abc", true}, {[]string{"a*"}, "ABC", true}, {[]string{"*", "!A*"}, "abc", false}, {[]string{"Ä"}, "ä", false}, {[]string{"\xff"}, "\xff", true},
	} {
		if got := gitssh.MatchesAny(tt.patterns, tt.name); got != tt.want {
			t.Errorf("%q, %q: %v", tt.patterns, tt.name, got)
		}
	}
}

func FuzzSplitLine(f *testing.F) {
	f.Add(" Host = \"a b\" 'c' d\\ e # f")
	f.Add("\"Host\" a")
	f.Fuzz(func(t *testing.T, line string) {
		keyword, args, err := gitssh.SplitLine(line)
		if n := len(keyword) + len(fmt.Sprint(args)) - 2; err == nil && n > 4*len(line) {
			t.Errorf("%q, %q of %q", keyword, args, line)
		}
	})
}
