package signature_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/compose/internal/signature"
)

// verdict is the code with which a commit is refused, "" for none; INVALID_SIGNERS is of the list.
func verdict(t *testing.T, id, raw string, lists ...string) (signature.Signer, string) {
	t.Helper()
	signers := &signature.Signers{}
	for _, list := range lists {
		more, err := signature.Parse("list", []byte(list))
		if err != nil {
			return signature.Signer{}, code(t, err)
		}
		signers.Add(more)
	}
	signer, err := signers.Verify(t.Context(), id, []byte(raw))
	if err != nil {
		return signature.Signer{}, code(t, err)
	}
	return signer, ""
}

func code(t *testing.T, err error) string {
	t.Helper()
	var e *signature.Error
	if !errors.As(err, &e) {
		t.Fatalf("another error: %v", err)
	}
	t.Log(err)
	return e.Code()
}

const ok, no = true, false

// compare holds what was found against the wanted code, and against what git says. Where the two differ on purpose, why says
// so; a newer git may have come to refuse as well.
func compare(t *testing.T, got, want string, accepted, wanted bool, why, details string) {
	t.Helper()
	if got != want || accepted != wanted && (why == "" || accepted) {
		t.Errorf("got %q, want %q; git accepts: %v, want %v\n%s", got, want, accepted, wanted, details)
	}
	if wanted && !accepted && why != "" {
		t.Logf("git refuses it too by now\n%s", details)
	}
	if (want == "") == wanted != (why == "") {
		t.Errorf("the case has a reason to differ from git, %q, and does not, or the other way round", why)
	}
}

// Each commit and list is held against what git says with ssh-keygen.
func TestSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("asks git about many commits")
	}
	l := newLab(t, "ssh-keygen")
	for _, name := range []string{"alice", "bob", "ca", "otherca"} {
		l.sshKey(name, "ed25519", "")
	}
	for _, k := range [][2]string{{"rsa", "2048"}, {"rsa", "1024"}, {"ecdsa", "256"}, {"ecdsa", "384"}, {"ecdsa", "521"}} {
		l.sshKey(k[0]+k[1], k[0], k[1])
	}
	plain := payload(commitTime)
	byAlice := signedBy(plain, l.sshSign(plain, "alice"))
	line := func(principals, options, key string) string {
		return strings.TrimSpace(principals+" "+options) + " " + l.public(key) + "\n"
	}
	alice := line("alice@example.org", "", "alice")
	const signer = "alice@example.org"

	// certificate signs alice's key and returns a commit that carries the certificate.
	certificate := func(ca string, args ...string) string {
		l.file("cert", l.read("alice")) // ssh-keygen finds the key beside the certificate
		l.file("cert-cert", l.read("alice"))
		l.file("cert.pub", l.public("alice")+"\n")
		l.run(nil, "ssh-keygen", append([]string{"-q", "-s", l.path(ca), "-I", "id"}, append(args, l.path("cert.pub"))...)...)
		return signedBy(plain, l.sshSign(plain, "cert-cert.pub"))
	}
	authority := line("*@example.org", "cert-authority", "ca")
	within := func(before, after int64) string { return zulu(commitTime+before) + ":" + zulu(commitTime+after) }
	named := func(args ...string) string { return certificate("ca", append([]string{"-n", signer}, args...)...) }
	headers := func(raw, old, new string) string {
		if !strings.Contains(raw, old) {
			t.Fatalf("no %q in\n%s", old, raw)
		}
		return strings.Replace(raw, old, new, 1)
	}
	gpgsig := func(raw string) string {
		_, rest, _ := strings.Cut(raw, "\ngpgsig ")
		value, _, _ := strings.Cut(rest, "\n\n")
		return "gpgsig " + value + "\n"
	}
	resigned := func(payload string) string { return signedBy(payload, l.sshSign(payload, "alice")) }

	for _, c := range []struct {
		name, raw, list string
		want            string // a code; "" for accepted
		git             bool   // accepts
		why             string // where the two differ on purpose
	}{
		{"ed25519, made by git", l.commitTree(commitTime, "gpg.format=ssh", "user.signingKey="+l.path("alice")), alice, "", ok, ""},
		{"rsa, made by git", l.commitTree(commitTime, "gpg.format=ssh", "user.signingKey="+l.path("rsa2048")), line("r", "", "rsa2048"), "", ok, ""},
		{"rsa, sha256", signedBy(plain, l.sshSign(plain, "rsa2048", "-n", "git", "-O", "hashalg=sha256")), line("r", "", "rsa2048"), "", ok, ""},
		{"rsa, short", signedBy(plain, l.sshSign(plain, "rsa1024")), line("r", "", "rsa1024"), "SIGNATURE_INVALID", ok, "RSA of 1024 bits is within reach"},
		{"ecdsa 256", signedBy(plain, l.sshSign(plain, "ecdsa256")), line("e", "", "ecdsa256"), "", ok, ""},
		{"ecdsa 384", signedBy(plain, l.sshSign(plain, "ecdsa384")), line("e", "", "ecdsa384"), "", ok, ""},
		{"ecdsa 521", signedBy(plain, l.sshSign(plain, "ecdsa521")), line("e", "", "ecdsa521"), "", ok, ""},
		{"sha256", signedBy(plain, l.sshSign(plain, "alice", "-n", "git", "-O", "hashalg=sha256")), alice, "", ok, ""},

		{"not signed", plain, alice, "COMMIT_NOT_SIGNED", no, ""},
		{"another namespace", signedBy(plain, l.sshSign(plain, "alice", "-n", "file")), alice, "SIGNATURE_INVALID", no, ""},
		{"another message", headers(byAlice, "a commit", "A commit"), alice, "SIGNATURE_INVALID", no, ""},
		{"another author", headers(byAlice, "A U Thor", "A N Other"), alice, "SIGNATURE_INVALID", no, ""},
		{"another time", headers(byAlice, "1623758400", "1623758401"), alice, "SIGNATURE_INVALID", no, ""},
		{"a parent more", headers(byAlice, "author", "parent 1111111111111111111111111111111111111111\nauthor"), alice, "SIGNATURE_INVALID", no, ""},
		{"a header more", headers(byAlice, "\n\n", "\nencoding UTF-8\n\n"), alice, "SIGNATURE_INVALID", no, ""},
		{"a changed signature", headers(byAlice, " U1NIU0lH", " U1NIU0lI"), alice, "SIGNATURE_INVALID", no, ""},
		{"another commit's signature", signedBy(plain, l.sshSign(payload(commitTime+1), "alice")), alice, "SIGNATURE_INVALID", no, ""},
		{"an OpenPGP armor around it", strings.ReplaceAll(byAlice, "SSH SIGNATURE", "PGP SIGNATURE"), alice, "SIGNATURE_INVALID", no, ""},
		{"no known armor", strings.ReplaceAll(byAlice, "SSH SIGNATURE", "SSH SIGNATURES"), alice, "SIGNATURE_INVALID", no, ""},
		{"armor that is cut", headers(byAlice, "\n -----END SSH SIGNATURE-----", ""), alice, "SIGNATURE_INVALID", no, ""},
		{"white space after the armor", headers(byAlice, "SIGNATURE-----\n\n", "SIGNATURE-----\n \n \n\n"), alice, "", ok, ""},
		{"text after the armor", headers(byAlice, "SIGNATURE-----\n\n", "SIGNATURE-----\n more\n\n"), alice, "SIGNATURE_INVALID", ok, "nobody signed that text"},
		{"two signatures", headers(byAlice, "SIGNATURE-----\n\n", "SIGNATURE-----\n"+gpgsig(byAlice)+"\n"), alice, "SIGNATURE_INVALID", ok, "one commit has one signature"},
		{"a header that looks like a signature", headers(byAlice, "\ngpgsig ", "\ngpgsigs hidden\ngpgsig "), alice, "SIGNATURE_INVALID", ok, "git does not show the header, and nobody signed it"},
		{"the other format's signature", headers(byAlice, "\ngpgsig ", "\ngpgsig-sha256 -----BEGIN SSH SIGNATURE-----\n x\n -----END SSH SIGNATURE-----\ngpgsig "), alice, "SIGNATURE_INVALID", ok, "git does not look at that header, and nobody signed it"},
		{"the other format's signature behind", headers(byAlice, "SIGNATURE-----\n\n", "SIGNATURE-----\ngpgsig-sha256 any\n bytes\n\n"), alice, "SIGNATURE_INVALID", ok, "the same"},
		{"the other format's signature alone", headers(byAlice, "\ngpgsig ", "\ngpgsig-sha256 "), alice, "COMMIT_NOT_SIGNED", no, ""},
		{"two committers", resigned(headers(plain, "committer", "committer A <a@example.org> 1000000000 +0000\ncommitter")), alice, "SIGNATURE_INVALID", ok, "git takes the time of the first"},
		{"a committer without a time", resigned(headers(plain, " 1623758400 +0200", "")), alice, "SIGNATURE_INVALID", ok, "git takes the beginning of 1970, before any key"},
		{"a continued header", resigned(headers(plain, "\n\n", "\nmergetag object 1\n gpgsig no\n committer no\n\n")), alice, "", ok, ""},
		{"no message", resigned(headers(plain, "\n\na commit\n", "\n\n")), alice, "", ok, ""},
		{"a signature in the message", plain + gpgsig(byAlice), alice, "COMMIT_NOT_SIGNED", no, ""},

		{"another key listed", byAlice, line("bob", "", "bob"), "SIGNER_NOT_ALLOWED", no, ""},
		{"another key listed, a changed message", headers(byAlice, "a commit", "A commit"), line("bob", "", "bob"), "SIGNATURE_INVALID", no, ""},
		{"the second line", byAlice, line("bob", "", "bob") + "\n# a comment\n\t \n" + alice, "", ok, ""},
		{"CRLF", byAlice, strings.ReplaceAll(line("bob", "", "bob")+alice, "\n", "\r\n"), "", ok, ""},
		{"a comment after the key", byAlice, strings.TrimSpace(alice) + " Alice's \"key\", 2021\n", "", ok, ""},
		{"patterns", byAlice, line("a@example.org,*@example.?rg", "", "alice"), "", ok, ""},
		{"principals in quotes", byAlice, line(`"alice of example"`, "", "alice"), "", ok, ""},
		{"principals that exclude some", byAlice, line("!bob@example.org,*@example.org", "", "alice"), "", ok, ""},
		{"principals that exclude themselves", byAlice, line("alice@example.org,!*", "", "alice"), "SIGNER_NOT_ALLOWED", no, ""},
		{"tabs", byAlice, strings.ReplaceAll(line("alice@example.org", `namespaces="git"`, "alice"), " ", "\t"), "", ok, ""},

		{"namespaces, git", byAlice, line(signer, `namespaces="git"`, "alice"), "", ok, ""},
		{"namespaces, a pattern", byAlice, line(signer, `namespaces="file,g?t"`, "alice"), "", ok, ""},
		{"namespaces, others", byAlice, line(signer, `namespaces="file,gi"`, "alice"), "SIGNER_NOT_ALLOWED", no, ""},
		{"namespaces, all but git", byAlice, line(signer, `namespaces="!git,*"`, "alice"), "SIGNER_NOT_ALLOWED", no, ""},
		{"options, upper case", byAlice, line(signer, `NameSpaces="git",VALID-AFTER="20200101Z"`, "alice"), "", ok, ""},

		{"valid-after, this second", byAlice, line(signer, `valid-after="`+zulu(commitTime)+`"`, "alice"), "", ok, ""},
		{"valid-after, the next second", byAlice, line(signer, `valid-after="`+zulu(commitTime+1)+`"`, "alice"), "SIGNER_NOT_VALID", no, ""},
		{"valid-before, this second", byAlice, line(signer, `valid-before="`+zulu(commitTime)+`"`, "alice"), "", ok, ""},
		{"valid-before, the last second", byAlice, line(signer, `valid-before="`+zulu(commitTime-1)+`"`, "alice"), "SIGNER_NOT_VALID", no, ""},
		{"valid-after, a day", byAlice, line(signer, `valid-after="20210615Z"`, "alice"), "", ok, ""},
		{"valid-before, a day", byAlice, line(signer, `valid-before="20210615"`, "alice"), "SIGNER_NOT_VALID", no, ""},
		{"valid-before, a minute", byAlice, line(signer, `valid-before="202106151201"`, "alice"), "", ok, ""},
		{"valid for a while", byAlice, line(signer, `valid-after="20210101",valid-before="20211231235959"`, "alice"), "", ok, ""},
		{"ended, then listed anew", byAlice, line(signer, `valid-before="20210101Z"`, "alice") + line("alice@example.net", `valid-after="20210101Z"`, "alice"), "", ok, ""},
		{"ended, and for another namespace", byAlice, line(signer, `namespaces="file"`, "alice") + line(signer, `valid-before="20210101Z"`, "alice") + line(signer, `namespaces="file"`, "alice"), "SIGNER_NOT_VALID", no, ""},

		{"certificate", named(), authority, "", ok, ""},
		{"certificate, within its time", named("-V", within(0, 1)), authority, "", ok, ""},
		{"certificate, ended", named("-V", within(-9, 0)), authority, "SIGNER_NOT_VALID", no, ""},
		{"certificate, too early", named("-V", within(1, 9)), authority, "SIGNER_NOT_VALID", no, ""},
		{"certificate, the authority ended", named(), line("*@example.org", `cert-authority,valid-before="20210101Z"`, "ca"), "SIGNER_NOT_VALID", no, ""},
		{"certificate, another authority", certificate("otherca", "-n", signer), authority, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, another name", certificate("ca", "-n", "alice@example.net"), authority, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, one name of several", certificate("ca", "-n", "alice@example.net,"+signer), authority, "", ok, ""},
		{"certificate, a pattern for a name", certificate("ca", "-n", "*"), line("alice@example.org", "cert-authority", "ca"), "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, no name", certificate("ca"), authority, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, of a host", certificate("ca", "-h", "-n", signer), authority, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, for one command", named("-O", "force-command=date"), authority, "SIGNER_NOT_ALLOWED", ok, "it restricts logins, and nothing says that it is for signing"},
		{"certificate, namespaces", named(), line("*@example.org", `cert-authority,namespaces="git"`, "ca"), "", ok, ""},
		{"certificate, other namespaces", named(), line("*@example.org", `cert-authority,namespaces="file"`, "ca"), "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, its authority listed as a signer", named(), line("*@example.org", "", "ca"), "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, its key listed", named(), alice, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, its key and its authority listed", named(), alice + authority, "", ok, ""},
		{"signed with an authority", signedBy(plain, l.sshSign(plain, "ca")), authority, "SIGNER_NOT_ALLOWED", no, ""},
		{"certificate, authority with RSA", certificate("rsa2048", "-n", signer), line("*", "cert-authority", "rsa2048"), "", ok, ""},
		{"certificate, authority with SHA-1", certificate("rsa2048", "-t", "ssh-rsa", "-n", signer), line("*", "cert-authority", "rsa2048"), "SIGNATURE_INVALID", ok, "SHA-1 can be made to collide"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := l.store(c.raw)
			accepted, says := l.gitAccepts(id, "gpg.ssh.allowedSignersFile="+l.file("signers", c.list))
			got, why := verdict(t, id, c.raw, c.list)
			compare(t, why, c.want, accepted, c.git, c.why, says+c.list+c.raw)
			if c.want == "" && (got.Time.Unix() != commitTime || !strings.Contains(says, got.Fingerprint)) {
				t.Errorf("signed by %+v; git says\n%s", got, says)
			}
			if c.want == "" && !strings.Contains(says, "for "+got.Principal+" with") && c.name != "principals that exclude some" {
				t.Errorf("signed by %q; git says\n%s", got.Principal, says)
			}
		})
	}
}
