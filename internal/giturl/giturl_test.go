package giturl_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/internal/giturl"
)

func TestParse(t *testing.T) {
	for name, tt := range map[string]struct {
		text, want string // want is the normal form
		url        giturl.URL
	}{
		"https":                     {"https://git.example.org/team/templates.git", "https://git.example.org/team/templates.git", giturl.URL{Scheme: "https", Host: "git.example.org", Path: "/team/templates.git"}},
		"letter case, own port":     {"HTTPS://Git.Example.ORG:443/Team/x", "https://git.example.org/Team/x", giturl.URL{Scheme: "https", Host: "git.example.org", Path: "/Team/x"}},
		"http with a port":          {"http://127.0.0.1:8080/x/", "http://127.0.0.1:8080/x", giturl.URL{Scheme: "http", Host: "127.0.0.1", Port: "8080", Path: "/x"}},
		"port with zeros":           {"https://h:0443/x", "https://h/x", giturl.URL{Scheme: "https", Host: "h", Path: "/x"}},
		"slashes and dots":          {"https://h//a/./b/../c//", "https://h/a/c", giturl.URL{Scheme: "https", Host: "h", Path: "/a/c"}},
		"encoded dots are dots":     {"https://h/a/%2e%2E/c", "https://h/c", giturl.URL{Scheme: "https", Host: "h", Path: "/c"}},
		"encoded letters":           {"https://h/%74eam/a%20b%25", "https://h/team/a%20b%25", giturl.URL{Scheme: "https", Host: "h", Path: "/team/a b%"}},
		"signs that get encoded":    {"https://h/ü/a b*;", "https://h/%C3%BC/a%20b%2A%3B", giturl.URL{Scheme: "https", Host: "h", Path: "/ü/a b*;"}},
		"signs that stay":           {"https://h/@a/b+c,d=e:f~", "https://h/@a/b+c,d=e:f~", giturl.URL{Scheme: "https", Host: "h", Path: "/@a/b+c,d=e:f~"}},
		"no home in http":           {"https://h/~u/x", "https://h/~u/x", giturl.URL{Scheme: "https", Host: "h", Path: "/~u/x"}},
		"an address":                {"ssh://[2001:DB8:0::1]:2222/x", "ssh://[2001:db8::1]:2222/x", giturl.URL{Scheme: "ssh", Host: "2001:db8::1", Port: "2222", Path: "/x"}},
		"ssh":                       {"ssh://git@h:22/srv/x.git", "ssh://git@h/srv/x.git", giturl.URL{Scheme: "ssh", User: "git", Host: "h", Path: "/srv/x.git"}},
		"ssh, a user with signs":    {"ssh://a%40b@h/x", "ssh://a%40b@h/x", giturl.URL{Scheme: "ssh", User: "a@b", Host: "h", Path: "/x"}},
		"ssh, a domain's user":      {`ssh://corp%5Cjo@h/x`, "ssh://corp%5Cjo@h/x", giturl.URL{Scheme: "ssh", User: `corp\jo`, Host: "h", Path: "/x"}},
		"ssh, a home":               {"ssh://h/~/x", "ssh://h/~/x", giturl.URL{Scheme: "ssh", Host: "h", Path: "~/x"}},
		"ssh, a user's home":        {"ssh://h/~jo/x", "ssh://h/~jo/x", giturl.URL{Scheme: "ssh", Host: "h", Path: "~jo/x"}},
		"scp":                       {"git@GitHub.com:team/x.git", "git@github.com:team/x.git", giturl.URL{Scheme: "ssh", User: "git", Host: "github.com", Path: "team/x.git"}},
		"scp without a user":        {"host:x", "host:x", giturl.URL{Scheme: "ssh", Host: "host", Path: "x"}},
		"scp, absolute":             {"git@h:/srv/x", "ssh://git@h/srv/x", giturl.URL{Scheme: "ssh", User: "git", Host: "h", Path: "/srv/x"}},
		"scp, a home":               {"git@h:~/x", "ssh://git@h/~/x", giturl.URL{Scheme: "ssh", User: "git", Host: "h", Path: "~/x"}},
		"scp, absolute home":        {"h2:/~jo/x", "ssh://h2/~jo/x", giturl.URL{Scheme: "ssh", Host: "h2", Path: "~jo/x"}},
		"scp, nothing is encoded":   {"h2:a%20b", "h2:a%20b", giturl.URL{Scheme: "ssh", Host: "h2", Path: "a%20b"}},
		"scp, an address":           {"git@[::1]:x", "git@[::1]:x", giturl.URL{Scheme: "ssh", User: "git", Host: "::1", Path: "x"}},
		"scp, a user with an @":     {"a@b@h:x", "a@b@h:x", giturl.URL{Scheme: "ssh", User: "a@b", Host: "h", Path: "x"}},
		"scp, one letter, a user":   {"a@h:x:y", "a@h:x:y", giturl.URL{Scheme: "ssh", User: "a", Host: "h", Path: "x:y"}},
		"scp, slashes":              {"host:/", "", giturl.URL{}},
		"git":                       {"git://h:9418/x", "git://h/x", giturl.URL{Scheme: "git", Host: "h", Path: "/x"}},
		"file":                      {"file:///srv/x.git/", "file:///srv/x.git", giturl.URL{Scheme: "file", Path: "/srv/x.git"}},
		"file, localhost":           {"file://LOCALHOST/srv/./y/../x", "file:///srv/x", giturl.URL{Scheme: "file", Path: "/srv/x"}},
		"file, a drive":             {"file:///C:/x", "file:///C:/x", giturl.URL{Scheme: "file", Path: "/C:/x"}},
		"file, bytes":               {"file:///a%FFb", "file:///a%FFb", giturl.URL{Scheme: "file", Path: "/a\xffb"}},
		"a label with hyphens":      {"https://a--b.c/x", "https://a--b.c/x", giturl.URL{Scheme: "https", Host: "a--b.c", Path: "/x"}},
		"ssh, an at in the path":    {"ssh://jo@h/~/a@b", "ssh://jo@h/~/a@b", giturl.URL{Scheme: "ssh", User: "jo", Host: "h", Path: "~/a@b"}},
		"scp, an at below":          {"jo@h:a/b@c", "jo@h:a/b@c", giturl.URL{Scheme: "ssh", User: "jo", Host: "h", Path: "a/b@c"}},
		"dots that are a name":      {"https://h/.../x", "https://h/.../x", giturl.URL{Scheme: "https", Host: "h", Path: "/.../x"}},
		"scp, dots":                 {"git@h:./a/../b", "git@h:b", giturl.URL{Scheme: "ssh", User: "git", Host: "h", Path: "b"}},
		"https, an at in the path":  {"https://h/a@b", "https://h/a@b", giturl.URL{Scheme: "https", Host: "h", Path: "/a@b"}},
		"an at that names no user":  {"https://@h/x", "https://h/x", giturl.URL{Scheme: "https", Host: "h", Path: "/x"}},
		"an address with a v4 part": {"ssh://[::ffff:1.2.3.4]/x", "ssh://[::ffff:1.2.3.4]/x", giturl.URL{Scheme: "ssh", Host: "::ffff:1.2.3.4", Path: "/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			u, remote, err := giturl.Parse(tt.text)
			if tt.want == "" {
				if err == nil {
					t.Fatalf("Parse(%q) = %v, want an error", tt.text, u)
				}
				return
			}
			if err != nil || !remote || u.Scheme != tt.url.Scheme || u.User != tt.url.User || u.Host != tt.url.Host || u.Port != tt.url.Port || u.Path != tt.url.Path {
				t.Fatalf("Parse(%q) = %+v %#v, %v, %v", tt.text, u, u.Path, remote, err)
			}
			if again, _, _ := giturl.Parse(tt.text); again != u {
				t.Error("two that are alike differ")
			}
			if u.String() != tt.want {
				t.Errorf("String = %q, want %q", u.String(), tt.want)
			}
			if _, _, has := u.Login(); has {
				t.Error("there is a password")
			}
		})
	}
}

func TestParsePaths(t *testing.T) {
	for _, text := range []string{"", ".", "catalog", "/srv/x", "./host:path", "a/b:c", `C:\x`, "C:/x", "c:x", "builtin:starter", "builtin:", "BUILTIN:x", `.\a:b`, "-x", "C://x", "a/b://c"} {
		if u, remote, err := giturl.Parse(text); remote || err != nil {
			t.Errorf("Parse(%q) = %v, %v, %v, want a path", text, u, remote, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"https://":                   "names no host",
		"https:///x":                 "names no host",
		"https://h":                  "names no repository",
		"https://h/":                 "names no repository",
		"https://h/..":               "above its beginning",
		"https://h/a/../../b":        "above its beginning",
		"ssh://h/~/../x":             "above its beginning",
		"h2:../x":                    "above its beginning",
		"h2:a/../../x":               "above its beginning",
		"https://h/a?b=c":            "no query",
		"https://h/a#b":              "%23",
		"https://h/a%2fb":            "slash",
		"https://h/a%zz":             "hexadecimal",
		"https://h/a%2":              "hexadecimal",
		"https://h/a%00":             "control",
		"https://h/a%0ab":            "control",
		"https://h/a\nb":             "control",
		"https://h/a\x00b":           "control",
		"https://h\x00/a":            "another sign",
		"https://-h/a":               "hyphen",
		"https://h:/a":               "no port",
		"https://h:0/a":              "no port",
		"https://h:65536/a":          "no port",
		"https://h:+1/a":             "no port",
		"https://h:-1/a":             "no port",
		"https://h:x/a":              "no port",
		"https://h:1:2/a":            "no port",
		"https://::1/a":              "names no host",
		"https://[::1/a":             "IPv6",
		"https://[::1]x/a":           "brackets",
		"https://[fe80::1%25eth0]/a": "zone",
		"https://[1.2.3.4]/a":        "IPv6",
		"https://h./a":               "empty label",
		"https://a-.b/x":             "hyphen",
		"https://a.-b/x":             "hyphen",
		"https://a-/x":               "hyphen",
		"git@a-.b:x":                 "hyphen",
		`https://h/a\b`:              "backslash",
		`https://h/a/..\..\evil`:     "backslash",
		"https://h/a/..%5C..%5Cevil": "backslash",
		`file:///srv/a/..\..\evil`:   "backslash",
		"file:///srv/a/..%5cevil":    "backslash",
		`git@h:a\b`:                  "backslash",
		"file:///srv/a/.. /evil":     "dots and spaces",
		"file:///srv/.../evil":       "dots and spaces",
		"file:///srv/%20/evil":       "dots and spaces",
		"https://.h/a":               "empty label",
		"https://a..b/a":             "empty label",
		"https://münchen.example/a":  "xn--",
		"https://a%2eb/a":            "another sign",
		"https://a b/a":              "another sign",
		"https://a\\b/a":             "another sign",
		"https://-jo@h/a":            "hyphen",
		"https://j%3ao@h/a":          "colon",
		"https://jo:%0a@h/a":         "control",
		"https://jo:%zz@h/a":         "hexadecimal",
		"ssh://-oProxyCommand=x@h/a": "hyphen",
		"ssh://-oProxyCommand=x/a":   "hyphen",
		"ssh://@h/a":                 "no user",
		"ssh://a%20b@h/a":            "space",
		"ssh://a%00b@h/a":            "can't be printed",
		"-oProxyCommand=x:a":         "hyphen",
		"-x@h:a":                     "hyphen",
		"@h:a":                       "no user",
		"h2:-x":                      "hyphen",
		"h2:./-x":                    "hyphen",
		"h2:./~x":                    "begins with ~",
		"ssh://h//~x":                "begins with ~",
		"h2:":                        "names no repository",
		":x":                         "names no host",
		"git@:x":                     "names no host",
		"git@h:\x1b[31mx":            "can't be printed",
		"git@h:\u202ex":              "can't be printed",
		"[::1]":                      "",
		"[::1]x:y":                   "brackets",
		"[h:22]:y":                   "IPv6",
		"git://jo@h/x":               "no users",
		"file://host/x":              "file:///",
		"file://C:/x":                "file:///",
		"file:/x":                    "followed by //",
		"https:/h/x":                 "followed by //",
		"HTTPS:x":                    "followed by //",
		"ext::sh -c whoami":          "not run",
		"ext::":                      "not run",
		"fd::17":                     "not run",
		"ftp://h/x":                  "scheme is not spoken",
		"0://h/x":                    "no scheme", "git@h://x": "no scheme",
		"javascript://h/x":               "not spoken",
		"git+ssh://h/x":                  "ssh://",
		"a b://h/x":                      "no scheme",
		" https://h/x":                   "no scheme",
		"https://" + long(5000) + "/a":   "longer",
		"https://" + long(254) + "/a":    "253",
		"user:pass@h/x":                  "looks like",
		"jo@example.org:pass@h/x":        "looks like",
		"jo@h:a@b":                       "looks like",
		"jo@h:./a@b":                     "looks like",
		"jo@h:x/../a@b":                  "looks like",
		"h2:./:":                         "colon",
		"https://h/" + "\xff\xfe" + "?x": "no query",
	} {
		u, remote, err := giturl.Parse(text)
		var e *giturl.Error
		if !errors.As(err, &e) || !remote || e.Code() != giturl.CodeInvalidSource || u != (giturl.URL{}) {
			t.Errorf("Parse(%q) = %v, %v, %v", text, u, remote, err)
			continue
		}
		if !strings.Contains(err.Error(), says) {
			t.Errorf("Parse(%q) says %q, not %q", text, err, says)
		}
		if strings.ContainsAny(err.Error(), "\x00\x1b\n\u202e") || len(err.Error()) > 1000 {
			t.Errorf("Parse(%q) shows %q", text, err)
		}
	}
}

func long(n int) string { return strings.Repeat("a", n) }

func TestSecrets(t *testing.T) {
	for text, want := range map[string][3]string{ // user, password, normal form
		"https://jo:s3cr3t@h/x":           {"jo", "s3cr3t", "https://h/x"},
		"https://jo:s3cr3t%2F%40@h/x":     {"jo", "s3cr3t/@", "https://h/x"},
		"https://jo:s3cr3t@s3cr3t@h/x":    {"jo", "s3cr3t@s3cr3t", "https://h/x"},
		"https://jo:s3cr3t:x@h/x":         {"jo", "s3cr3t:x", "https://h/x"},
		"https://s3cr3t:x-oauth-bas@h/x":  {"s3cr3t", "x-oauth-bas", "https://h/x"},
		"https://s3cr3t@h/x":              {"s3cr3t", "", "https://h/x"},
		"https://:s3cr3t@h/x":             {"", "s3cr3t", "https://h/x"},
		"http://jo:s3cr3t@127.0.0.1:80/x": {"jo", "s3cr3t", "http://127.0.0.1/x"},
		"ssh://jo:s3cr3t@h/x":             {"jo", "s3cr3t", "ssh://jo@h/x"},
	} {
		u, _, err := giturl.Parse(text)
		user, password, has := u.Login()
		if err != nil || user != want[0] || password != want[1] || has != (want[1] != "") || u.String() != want[2] {
			t.Errorf("Parse(%q) = %q, %q, %q, %v", text, user, password, u, err)
		}
		if (u.User != "") != (u.Scheme == "ssh") {
			t.Errorf("Parse(%q) has the user %q", text, u.User)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%p", "%5.1f"} {
			for _, holder := range []any{u, &u, struct{ U giturl.URL }{u}, struct{ u giturl.URL }{u}, []giturl.URL{u}, map[giturl.URL]int{u: 1}, struct{ u []giturl.URL }{[]giturl.URL{u}}} {
				shown := fmt.Sprintf(verb, holder)
				if lower := strings.ToLower(shown); strings.Contains(lower, "s3cr3t") || strings.Contains(lower, "733363723374") {
					t.Errorf("%s of a %T shows %s", verb, holder, shown)
				}
			}
		}
		if shown, err := json.Marshal(u); err != nil || strings.Contains(string(shown), "s3cr3t") {
			t.Errorf("as JSON it is %s, %v", shown, err)
		}
	}
	for _, text := range []string{
		"https://jo:s3cr3t/s3cr3t@h/x", "https://jo:s3cr3t?s3cr3t@h/x", "https://jo:s3cr3t#s3cr3t@h/x", "https://jo:s3cr3t%zz@h/x",
		"https://h/x?token=s3cr3t", "https://h/x?token=a@s3cr3t", "https://jo%3As3cr3t%40h/x", "ftp://jo:s3cr3t@h/x", "git://jo:s3cr3t@h/x",
		"ssh://jo:s3cr3t/s3cr3t@h/x", "ssh://jo:s3cr3t%00@h/x", "jo:s3cr3t@h/x", "https://jo:s3cr3t@h:x/x", "https://jo:s3cr3t@/x", "https://s3cr3t@h/%",
		"file://jo:s3cr3t@h/x", "jo@example.org:s3cr3t@h/x", "jo@example.org:./s3cr3t@h/x", "jo@example.org:s3cr3t@h:x", "a@b@example.org:s3cr3t@h/x",
	} {
		_, _, err := giturl.Parse(text)
		var e *giturl.Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %v", text, err)
		} else if strings.Contains(err.Error()+e.Hint()+e.Path(), "s3cr3t") {
			t.Errorf("Parse(%q) shows %q, %q", text, err, e.Hint())
		}
	}
}

// Each verb writes the normal form, as of a text.
func TestFormat(t *testing.T) {
	u, _, err := giturl.Parse("https://jo:p@h/x")
	if err != nil {
		t.Fatal(err)
	}
	for verb, want := range map[string]string{"%v": "https://h/x", "%+v": "https://h/x", "%s": "https://h/x", "%q": `"https://h/x"`, "%12s": " https://h/x", "%d": "https://h/x", "%#v": "giturl.URL(https://h/x)"} {
		if got := fmt.Sprintf(verb, u); got != want {
			t.Errorf("%s: got %s, want %s", verb, got, want)
		}
	}
}

func TestHostPort(t *testing.T) {
	for text, want := range map[string][3]string{ // HostPort, PortNumber, NamedPort
		"https://jo@h/x":     {"h", "443", ""},
		"https://h:443/x":    {"h", "443", "443"},
		"https://h:8443/x":   {"h:8443", "8443", "8443"},
		"ssh://jo@[::1]/x":   {"[::1]", "22", ""},
		"ssh://[::1]:022/x":  {"[::1]", "22", "22"},
		"ssh://[::1]:2222/x": {"[::1]:2222", "2222", "2222"},
		"jo@[::1]:x":         {"[::1]", "22", ""},
		"git://h/x":          {"h", "9418", ""},
		"file:///x":          {"", "", ""},
	} {
		u, _, err := giturl.Parse(text)
		if got := [3]string{u.HostPort(), u.PortNumber(), u.NamedPort()}; err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.org": false, "127.0.0.1.example.org": false, "128.0.0.1": false, "::2": false, "0.0.0.0": false,
	} {
		if giturl.IsLoopback(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

func TestHint(t *testing.T) {
	_, _, err := giturl.Parse("ssh://git@github.com:team/x.git")
	var e *giturl.Error
	if !errors.As(err, &e) || e.Hint() != "git@github.com:team/x.git" {
		t.Errorf("%v, want a hint at the other form", err)
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"https://h/team/x", "https://jo:p@H:443/team//x/", true},
		{"https://jo@h/team/x", "https://h/team/x", true},
		{"https://h/team/x", "https://h/team/x.git", false},
		{"https://h/team/x", "http://h/team/x", false},
		{"https://h/team/x", "https://h:8443/team/x", false},
		{"https://h/team/*", "https://h/team/x", true},
		{"https://h/team/*", "https://h/team/deep/x", true},
		{"https://h/team/*", "https://h/team", false},
		{"https://h/team/*", "https://h/teams/x", false},
		{"https://h/team/*", "https://h/team/../evil", false},
		{"https://h/team/*", "https://h/team/%2e%2e/evil", false},
		{"https://h/team/*", "https://h.evil.example/team/x", false},
		{"https://h/*", "https://h/x", true},
		{"https://h/*", "https://h@evil/x", false},
		{"https://h/*", "http://h/x", false},
		{"https://h:8443/*", "https://h/x", false},
		{"https://*/x", "https://h/x", false},
		{"https://h/t*", "https://h/team", false},
		{"https://h/t%2A", "https://h/t*", true},
		{"*", "https://h/x", false},
		{"/*", "file:///x", false},
		{"", "https://h/x", false},
		{"ssh://git@h/*", "ssh://git@h/x", true},
		{"ssh://git@h/*", "ssh://jo@h/x", false},
		{"ssh://git@h/*", "ssh://h/x", false},
		{"ssh://git@h/*", "git@h:x", false},
		{"ssh://git@h/*", "git@h:/srv/x", true},
		{"git@h:team/*", "git@h:team/x", true},
		{"git@h:team/*", "git@h:team/../evil", false},
		{"git@h:team/x", "git@h:team/x", true},
		{"git@h:team/x", "ssh://git@h/team/x", false},
		{"ssh://h/~/*", "hh:~/x", false},
		{"ssh://hh/~/*", "hh:~/x", true},
		{"file:///srv/*", "file:///srv/x", true},
		{"file:///srv/*", "file:///x", false},
		{"file:///*", "file:///x", true},
		{"git://h/*", "git://h/x", true},
	} {
		u, remote, err := giturl.Parse(tt.text)
		if err != nil || !remote {
			t.Fatalf("Parse(%q): %v, %v", tt.text, remote, err)
		}
		if got := giturl.Match(tt.pattern, u); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, u, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"https://jo:p@h:8443/a/../b%20c", "git@h:team/x", "ssh://[::1]:22/~/x", "file:///x", "ext::sh", "h2:./~x", "a@b@[::1]:x*/*", "ssh://a%40b@h/x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, remote, err := giturl.Parse(text)
		if err != nil || !remote {
			if u != (giturl.URL{}) || err != nil && (!remote || strings.ContainsAny(err.Error(), "\x00\x1b\n")) {
				t.Fatalf("Parse(%q) = %v, %v, %q", text, u, remote, err)
			}
			return
		}
		again, remote, err := giturl.Parse(u.String())
		if err != nil || !remote || again.String() != u.String() {
			t.Fatalf("Parse(%q) is %q, which is read as %q: %v", text, u, again, err)
		}
		if again.Scheme != u.Scheme || again.User != u.User || again.Host != u.Host || again.Port != u.Port || again.Path != u.Path {
			t.Fatalf("%#v and %#v have the same name", again, u)
		}
		if !giturl.Match(u.String(), u) {
			t.Fatalf("%q does not match itself", u)
		}
	})
}

// A password is shown nowhere, wherever its odd signs cut the text. A slash before it makes it a path, as every reader of
// URLs has it.
func FuzzSecret(f *testing.F) {
	f.Add("https", "jo", "", "", "h/x")
	f.Add("ssh", "jo", "", "/", "h/x")
	f.Add("http", "", "?", "#", "h/x?y@z")
	f.Add("git", "%", "@", "%zz", ":x/x")
	f.Fuzz(func(t *testing.T, scheme, user, before, after, rest string) {
		const secret = "pAsSw0rD"
		if strings.ContainsAny(user+before, `/\`) || strings.Contains(scheme, ":") || strings.Contains(strings.ToLower(rest), "password") {
			return
		}
		u, _, err := giturl.Parse(scheme + "://" + user + ":" + before + secret + after + "@" + rest)
		shown := fmt.Sprintf("%v %#v %v", u, u, err)
		var e *giturl.Error
		if errors.As(err, &e) {
			shown += e.Hint()
		}
		if strings.Contains(strings.ToLower(shown), strings.ToLower(secret)) {
			t.Fatalf("shown: %q", shown)
		}
	})
}
