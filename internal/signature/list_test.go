package signature_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/compose/internal/signature"
)

// Lists, held against what git says with each about a commit that alice signed. $KEY stands for her key, $CERT for a
// certificate of it.
func TestLists(t *testing.T) {
	if testing.Short() {
		t.Skip("asks git about many commits")
	}
	l := newLab(t, "ssh-keygen")
	l.sshKey("alice", "ed25519", "")
	l.sshKey("ca", "ed25519", "")
	l.sshKey("dsa-like", "rsa", "1024")
	l.run(nil, "ssh-keygen", "-q", "-s", l.path("ca"), "-I", "id", "-n", "a", l.path("alice.pub"))
	plain := payload(commitTime)
	raw := signedBy(plain, l.sshSign(plain, "alice"))
	key := l.public("alice")
	_, digits, _ := strings.Cut(key, " ")
	fill := strings.NewReplacer("$KEY", key, "$CERT", strings.TrimSpace(l.read("alice-cert.pub")), "$RSA", l.public("dsa-like"), "$DIGITS", digits)

	for _, c := range []struct {
		name, list string
		at, says   string // what is added to the name of the list, and a part of the message; "" for a list that is taken
		git        bool
		why        string
	}{
		{"no end of line", "a $KEY", "", "", ok, ""},
		{"spaces before", " \t a $KEY\n", "", "", ok, ""},
		{"several spaces", "a   namespaces=\"git\"  \t$KEY  comment\n", "", "", ok, ""},
		{"a weak key of someone else", "b $RSA\na $KEY\n", "", "", ok, ""},
		{"a comment at the end", "a $KEY # a comment\n", "", "", ok, ""},
		{"a name that is no address", "Ålice $KEY\n", "", "", ok, ""},
		{"cert-authority twice", "a cert-authority,cert-authority $KEY\n", "", "", no, ""},
		{"a quote in an option", "a namespaces=\"git\\\"\" $KEY\n", "", "", no, ""},
		{"lower-case z", "a valid-after=\"20210101z\" $KEY\n", "", "", ok, ""},

		{"empty", "", "", "is empty", no, ""},
		{"comments alone", "# a\n\n", "", "comments alone", no, ""},
		{"no key", "a\n", "", "has no key", no, ""},
		{"no key, the second line", "a $KEY\na\n", ":2", "has no key", ok, "nobody can tell what the other lines were to say"},
		{"no digits", "a ssh-ed25519\n", "", "and no key", no, ""},
		{"an unknown kind of key", "a $KEY\nb ssh-xmss@openssh.com AAAA\n", ":2", `"ssh-xmss@openssh.com" is neither`, ok, "the same"},
		{"no base64", "a ssh-ed25519 ???\n", "", "is no base64", no, ""},
		{"a key that is cut", "a ssh-ed25519 " + digits[:32] + "\n", "", "can't be read", no, ""},
		{"a key of another kind", "a ssh-rsa " + digits + "\n", "", "of another kind", no, ""},
		{"a certificate", "a $CERT\n", "", "is a certificate", no, ""},
		{"an unknown option", "a no-touch-required $KEY\n", "", "neither a kind of key nor an option", no, ""},
		{"an option without a value", "a namespaces $KEY\n", "", "has no value in quotes", no, ""},
		{"an option without quotes", "a namespaces=git $KEY\n", "", "has no value in quotes", no, ""},
		{"an option that is not closed", "a namespaces=\"git $KEY\n", "", "no closing quote", no, ""},
		{"an option twice", "a namespaces=\"git\",namespaces=\"git\" $KEY\n", "", "stands twice", no, ""},
		{"options without a comma", "a namespaces=\"git\"valid-after=\"20210101\" $KEY\n", "", "want a comma or a space", no, ""},
		{"options, a comma at the end", "a namespaces=\"git\", $KEY\n", "", "neither a kind of key nor an option", no, ""},
		{"options and no key", "a namespaces=\"git\"\n", "", "no key after its options", no, ""},
		{"options and no key kind", "a namespaces=\"git\" $DIGITS\n", "", "is no kind of key", no, ""},
		{"no namespaces", "a namespaces=\"\" $KEY\n", "", "may sign nothing", no, ""},
		{"valid never", "a valid-after=\"20220101\",valid-before=\"20210101\" $KEY\n", "", "never valid", no, ""},
		{"a month that is none", "a valid-after=\"20201301\" $KEY\n", "", "want a date that exists", no, ""},
		{"a day that is none", "a valid-after=\"20200230\" $KEY\n", "", "want a date that exists", ok, "ssh-keygen takes it for the first of March"},
		{"a time with a zone", "a valid-after=\"202001010000+0100\" $KEY\n", "", "want a date that exists", no, ""},
		{"seconds since 1970", "a valid-after=\"1577836800\" $KEY\n", "", "want a date that exists", no, ""},
		{"an empty principal", "a,,b $KEY\n", "", "an empty entry", ok, "a slip; the empty entry would match no one"},
		{"no principal", ", $KEY\n", "", "an empty entry", no, ""},
		{"an exclusion of nothing", "a,! $KEY\n", "", "an empty entry", ok, "the same"},
		{"exclusions alone", "!b $KEY\n", "", "only who it is not", no, ""},
		{"a quote that is not closed", "\"a $KEY\n", "", "a quote that is not closed", no, ""},
		{"text after a quote", "\"a\"b $KEY\n", "", "a quote that is not closed before a space", no, ""},
		{"a quote inside", "a\"b\" $KEY\n", "", "hold a quote", ok, "ssh-keygen takes the quotes out of the name"},
		{"a control character", "a\x1b $KEY\n", "", "a control character", ok, "it would come out on terminals"},
		{"NUL", "a $KEY\nb\x00 $KEY\n", ":2", "a control character", ok, "the same"},
		{"a byte order mark", "\xef\xbb\xbfa $KEY\n", "", "byte order mark", ok, "the name would begin with it"},
		{"UTF-16", "\xff\xfea\x00", "", "is UTF-16", no, ""},
		{"not UTF-8", "a $KEY \xe9\n", "", "is not UTF-8", ok, "names must be fit to be shown"},
		{"a line of authorized_keys", "$KEY alice\n", "", "this is a public key; a line of allowed signers begins with a principal", no, ""},
		{"a .pub file", "$KEY\n", "", "this is a public key", no, ""},
		{"a private key", l.read("alice"), "", "a private key", no, ""},
		{"past the bound", "a $KEY\n" + strings.Repeat("#\n", signature.MaxSigners/2), "", "more than 1 MiB", ok, "nobody needs as much"},
		{"a long principal", strings.Repeat("a", 1023) + " $KEY\n", "", "longer than OpenSSH takes", no, ""},
		{"a key box", "\x00\x00\x00\x20\x01\x01\x00\x02KBXf\x00", "", "gpg --export", no, ""},
		{"no text at all", "\x99\x01", "", "it ends in the middle", no, ""},
		{"a PGP message", "# a\n-----BEGIN PGP MESSAGE-----\n", ":2", "want OpenPGP public keys", no, ""},
		{"a PGP private key", "\n\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "", "a private key", no, ""},
		{"a PGP key without an end", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n", ":1", "no last line", no, ""},
		{"a PGP key without an empty line", "-----BEGIN PGP PUBLIC KEY BLOCK-----\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n", ":1", "no empty line", no, ""},
		{"a PGP key of nothing", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n-----END PGP PUBLIC KEY BLOCK-----\n", ":1", "no base64", no, ""},
		{"a PGP key that is text", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n", ":1", "tag byte", no, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := fill.Replace(c.list)
			id := l.store(raw)
			accepted, says := l.gitAccepts(id, "gpg.ssh.allowedSignersFile="+l.file("signers", list))
			signers, err := signature.Parse("list", []byte(list))
			var fault *signature.Error
			if (err == nil) != (c.says == "") || err != nil && (!errors.As(err, &fault) || fault.Code() != "INVALID_SIGNERS" || fault.Path() != "list"+c.at || !strings.Contains(fault.Error(), c.says)) {
				t.Errorf("got %v; want list%s and %q", err, c.at, c.says)
			}
			want := ""
			if err == nil {
				if _, err = signers.Verify(t.Context(), id, []byte(raw)); err != nil {
					want = code(t, err)
				}
				compare(t, want, want, accepted, c.git, c.why, says+list)
			} else {
				compare(t, "INVALID_SIGNERS", "INVALID_SIGNERS", accepted, c.git, c.why, says+list)
			}
		})
	}
}

// Of several lists one is enough, of either kind; nobody is in none.
func TestAdd(t *testing.T) {
	l := newLab(t, "ssh-keygen")
	l.sshKey("alice", "ed25519", "")
	l.sshKey("bob", "ed25519", "")
	plain := payload(commitTime)
	raw := signedBy(plain, l.sshSign(plain, "alice"))
	id := l.store(raw)
	alice, bob := "a "+l.public("alice"), "b "+l.public("bob")
	for _, c := range []struct {
		lists []string
		want  string
	}{
		{nil, "SIGNER_NOT_ALLOWED"}, {[]string{bob}, "SIGNER_NOT_ALLOWED"}, {[]string{bob, alice}, ""}, {[]string{alice, bob}, ""},
		{[]string{"a valid-before=\"20200101\" " + l.public("alice"), bob}, "SIGNER_NOT_VALID"},
	} {
		if _, got := verdict(t, id, raw, c.lists...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.lists, got, c.want)
		}
	}
}

func TestMatchList(t *testing.T) {
	for list, want := range map[string]bool{"git": true, "file": false, "file,git": true, "!git,*": false, "*,!git": false, "!file,*": true, "!file": false, "": false, ",git": true} {
		if got := signature.MatchList("git", list); got != want {
			t.Errorf("%q: %v", list, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]int64{
		"20210615": 1623715200, "20210615Z": 1623715200, "202106151200": 1623758400, "20210615120001Z": 1623758401, "19700101000001": 1, "99991231": 253402214400,
		"": -1, "Z": -1, "19700101": -1, "19690101": -1, "2021": -1, "202106": -1, "2021-06-15": -1, "20210229": -1, "20210615ZZ": -1, "202106151260": -1, "20210615126000": -1,
		" 2021061": -1, "+2021061": -1, "2021061512000": -1, "20210615120000.5": -1, "２０２１": -1,
	} {
		at, ok := signature.ParseTime(text)
		if ok != (want > 0) || ok && at.Unix() != want {
			t.Errorf("%q: got %v, %v", text, at, ok)
		}
	}
}
