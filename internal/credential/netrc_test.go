package credential_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"example.org/compose/internal/credential"
)

func TestParseNetrc(t *testing.T) {
	tests := []struct {
		name, text string
		want       [][3]string
	}{
		{"empty", "", nil},
		{"one line", "machine a login b password c", [][3]string{{"a", "b", "c"}}},
		{"lines", "machine a\n\tlogin b\r\n\tpassword c\n", [][3]string{{"a", "b", "c"}}},
		{"password first, account", "machine a password c account x login b", [][3]string{{"a", "b", "c"}}},
		{"several", "machine a login b password c machine d login e password f\ndefault login g password h", [][3]string{{"a", "b", "c"}, {"d", "e", "f"}, {"", "g", "h"}}},
		{"quotes", `machine a login "b c" password "d\"\\\n\r\t\e"`, [][3]string{{"a", "b c", "d\"\\\n\r\te"}}},
		{"a quote inside", `machine a login b"c password d"`, [][3]string{{"a", `b"c`, `d"`}}},
		{"comments", "# machine x login y password z\n  # too\nmachine a login b password #c", [][3]string{{"a", "b", "#c"}}},
		{"a macro", "machine a login b password c\nmacdef init\nmachine x\nlogin y\n\nmachine d login e password f", [][3]string{{"a", "b", "c"}, {"d", "e", "f"}}},
		{"a macro to the end", "macdef init\nmachine x\nlogin y", nil},
		{"a macro with CRLF", "macdef init\r\nmachine x\r\n\r\nmachine a login b password c", [][3]string{{"a", "b", "c"}}},
		{"an empty macro", "macdef init\n\nmachine a login b password c", [][3]string{{"a", "b", "c"}}},
		{"no machine", "login b password c", nil},
		{"cut short", "machine a login b password", [][3]string{{"a", "b", ""}}},
		{"a password that is a keyword", "machine a login password password machine machine b", [][3]string{{"a", "password", "machine"}, {"b", "", ""}}},
		{"keywords in capitals", "MACHINE a Login b PASSWORD c", [][3]string{{"a", "b", "c"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := credential.ParseNetrc(tt.text); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestNetrc(t *testing.T) {
	const text = "machine example.org login a password s3cr3t-a\nmachine example.org login b password s3cr3t-b\n" +
		"machine example.org:8443 login c password s3cr3t-c\nmachine none.example.org login d\n"
	tests := []struct {
		name, url, text string
		want            []string
	}{
		{"the first", "https://example.org/x", text, []string{"a:s3cr3t-a netrc"}},
		{"a user", "https://b@example.org/x", text, []string{"b:s3cr3t-b netrc"}},
		{"an unknown user", "https://x@example.org/x", text, nil},
		{"a port of its own", "https://example.org:8443/x", text, []string{"c:s3cr3t-c netrc"}},
		{"another port", "https://example.org:9443/x", text, []string{"a:s3cr3t-a netrc"}},
		{"another host", "https://a.example.org/x", text, nil},
		{"no password", "https://none.example.org/x", text, nil},
		{"default", "https://none.example.org/x", text + "default login e password s3cr3t-e", []string{"e:s3cr3t-e netrc"}},
		{"default is the last", "https://example.org/x", "default login e password s3cr3t-e\n" + text, []string{"a:s3cr3t-a netrc"}},
		{"capitals", "https://example.org/x", "MACHINE EXAMPLE.ORG LOGIN A PASSWORD s3cr3t", []string{"A:s3cr3t netrc"}},
		{"this machine by http", "http://[::1]:8080/x", "machine ::1 login a password s3cr3t", []string{"a:s3cr3t netrc"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			write(t, filepath.Join(home, ".netrc"), tt.text)
			got, err := finder(home, nil).Find(t.Context(), parse(t, tt.url))
			if err != nil || !reflect.DeepEqual(plain(got), tt.want) {
				t.Errorf("got %q, %v, want %q", plain(got), err, tt.want)
			}
		})
	}
	t.Run("NETRC", func(t *testing.T) {
		home := t.TempDir()
		write(t, filepath.Join(home, ".netrc"), text)
		other := filepath.Join(home, "other")
		write(t, other, "machine example.org login o password s3cr3t-o")
		got, err := finder(home, map[string]string{"NETRC": other}).Find(t.Context(), parse(t, "https://example.org/x"))
		if err != nil || !reflect.DeepEqual(plain(got), []string{"o:s3cr3t-o netrc"}) {
			t.Errorf("got %q, %v", plain(got), err)
		}
		got, err = finder(home, map[string]string{"NETRC": "/dev/null"}).Find(t.Context(), parse(t, "https://example.org/x"))
		if err != nil || got != nil {
			t.Errorf("of none: %q, %v", plain(got), err)
		}
	})
}

func FuzzParseNetrc(f *testing.F) {
	f.Add("# c\nmachine a login \"b\\\"\" password c\nmacdef x\ny\n\ndefault login d password e")
	f.Fuzz(func(t *testing.T, text string) {
		machines, err := credential.ParseNetrc(text)
		if err != nil && len(err.Error()) > 100 {
			t.Errorf("an error that may show words: %v", err)
		}
		for _, m := range machines {
			for _, word := range m {
				if len(word) > len(text) {
					t.Errorf("%q of %q", m, text)
				}
			}
		}
	})
}
