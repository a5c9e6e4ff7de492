package gitwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
	"github.com/go-git/go-git/v5/plumbing"
)

// script is a connection that says one thing, whatever it hears; it says it again to who connects anew.
type script struct {
	*strings.Reader
	heard *bytes.Buffer
}

func (s script) Write(b []byte) (int, error) { return s.heard.Write(b) }
func (s script) Close() error                { return nil }
func (s script) silent() error               { return nil }

// scripted returns a Remote whose server says just that, and what is said to the server.
func scripted(says string, opts Options) (*remote, *bytes.Buffer) {
	if opts.MaxRefs == 0 {
		opts.MaxRefs = 1000
	}
	if opts.MaxBytes == 0 {
		opts.MaxBytes = 1 << 20
	}
	heard := &bytes.Buffer{}
	return &remote{name: "git://h/x", opts: opts, server: &stream{name: "git://h/x", idle: time.Hour, dial: func(context.Context) (conn, error) {
		return script{strings.NewReader(says), heard}, nil
	}}}, heard
}

// packet writes one packet, pack one of the pack's band.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
func lines(list ...string) (out string) {
	for _, line := range list {
		out += packet(line + "\n")
	}
	return out
}

var (
	idA = strings.Repeat("a", 40)
	idB = strings.Repeat("b", 40)
	nul = strings.Repeat("0", 40)
)

var version2 = lines("version 2", "agent=git/x", "ls-refs=unborn", "fetch=shallow wait-for-done filter", "server-option", "object-format=sha1") + "0000"

func TestSpokenRefs(t *testing.T) {
	many := ""
	for i := range 1001 {
		many += lines(fmt.Sprintf("%s refs/heads/%d", idA, i))
	}
	for name, tt := range map[string]struct {
		says string
		want string // the refs, or the code
		text string // of the error
	}{
		"version 2":                 {version2 + lines(idA+" HEAD symref-target:refs/heads/main", idA+" refs/heads/main", idB+" refs/tags/v peeled:"+idA) + "0000", "[{HEAD " + idA + " " + nul + " refs/heads/main} {refs/heads/main " + idA + " " + nul + " } {refs/tags/v " + idB + " " + idA + " }]", ""},
		"with a service":            {lines("# service=git-upload-pack") + "0000" + version2 + "0000", "[]", ""},
		"unborn":                    {version2 + lines("unborn HEAD symref-target:refs/heads/x") + "0000", "[{HEAD " + nul + " " + nul + " refs/heads/x}]", ""},
		"unborn, and leads nowhere": {version2 + lines("unborn HEAD", "unborn HEAD symref-target:a..b", "unborn refs/heads/x symref-target:refs/heads/y", idA+" refs/heads/z") + "0000", "[{refs/heads/z " + idA + " " + nul + " }]", ""},
		"an id of zeros":            {version2 + lines(nul+" HEAD") + "0000", CodeResponseInvalid, "no line of its refs"},
		"an id of zeros, symbolic":  {version2 + lines(nul+" HEAD symref-target:refs/heads/main") + "0000", CodeResponseInvalid, "no line of its refs"},
		"a peeled id of zeros":      {version2 + lines(idA+" refs/tags/v peeled:"+nul) + "0000", CodeResponseInvalid, "no line of its refs"},
		"version 0, zeros":          {packet(nul+" HEAD\x00symref=HEAD:refs/heads/main\n") + "0000", CodeResponseInvalid, "no object has"},
		"version 0, zeros later":    {packet(idA+" HEAD\x00\n") + lines(nul+" refs/heads/x") + "0000", CodeResponseInvalid, "no object has"},
		"version 0, peeled zeros":   {packet(idA+" HEAD\x00\n") + lines(idB+" refs/tags/v", nul+" refs/tags/v^{}") + "0000", CodeResponseInvalid, "no object has"},
		"an attribute to come":      {version2 + lines(idA+" HEAD something:new") + "0000", "[{HEAD " + idA + " " + nul + " }]", ""},
		"capital digits":            {version2 + lines(strings.ToUpper(idA)+" HEAD") + "0000", "[{HEAD " + idA + " " + nul + " }]", ""},
		"out of order":              {version2 + lines(idA+" refs/heads/b", idB+" refs/heads/a", idA+" HEAD") + "0000", "[{HEAD " + idA + " " + nul + " } {refs/heads/a " + idB + " " + nul + " } {refs/heads/b " + idA + " " + nul + " }]", ""},
		"names of no ref":           {version2 + lines(idA+" refs/heads/a..b", idA+" refs/heads/\x1b[31m", idA+" refs/heads/x.lock", idA+" refs//x", idA+" /x", idA+" refs/\u202e", idA+" refs/\xff", idA+" "+strings.Repeat("x", 2000)) + "0000", "[]", ""},
		"twice":                     {version2 + lines(idA+" HEAD", idB+" HEAD") + "0000", CodeResponseInvalid, "twice"},
		"no id":                     {version2 + lines("xyz HEAD") + "0000", CodeResponseInvalid, `"xyz HEAD"`},
		"a short id":                {version2 + lines(idA[1:]+" HEAD") + "0000", CodeResponseInvalid, "no line of its refs"},
		"a long id":                 {version2 + lines(idA+idA[:24]+" HEAD") + "0000", CodeResponseInvalid, "no line of its refs"},
		"a peeled that is no id":    {version2 + lines(idA+" refs/tags/v peeled:x") + "0000", CodeResponseInvalid, "no line of its refs"},
		"no name":                   {version2 + lines(idA) + "0000", CodeResponseInvalid, "no line of its refs"},
		"a delimiter":               {version2 + lines(idA+" HEAD") + "0001", CodeResponseInvalid, "no flush"},
		"no end":                    {version2 + lines(idA+" HEAD"), CodeUnreachable, "lost after"},
		"too many":                  {version2 + many + "0000", CodeTooLarge, "more than 1000 refs"},
		"an error":                  {version2 + packet("ERR \x1b]0;title\x07 no"), CodeResponseInvalid, `"?]0;title? no"`},
		"nothing":                   {"", CodeUnreachable, "without an answer"},
		"an endless length":         {"fffe", CodeResponseInvalid, "65534 bytes"},
		"a length of 3":             {"0003", CodeResponseInvalid, "0003"},
		"a sign in a length":        {"-001", CodeResponseInvalid, "no packet"},
		"a page":                    {"HTTP/1.1 400 Bad Request\r\n", CodeResponseInvalid, `"HTTP/1.1 400 Bad Request"`},
		"version 3":                 {lines("version 3") + "0000", CodeResponseInvalid, "version 3"},
		"version 2 without fetch":   {lines("version 2", "ls-refs") + "0000", CodeResponseInvalid, "no fetch"},
		"version 2 without ls-refs": {lines("version 2", "fetch") + "0000", CodeResponseInvalid, "no ls-refs"},
		"sha256":                    {lines("version 2", "ls-refs", "fetch", "object-format=sha256") + "0000", CodeInvalidSource, "sha256"},
		"endless capabilities":      {lines("version 2") + strings.Repeat(lines("x"), 1001) + "0000", CodeResponseInvalid, "no end"},
		"version 0":                 {packet(idA+" HEAD\x00symref=HEAD:refs/heads/main agent=x\n") + lines(idA+" refs/heads/main", idB+" refs/tags/v", idA+" refs/tags/v^{}", "shallow "+idA) + "0000", "[{HEAD " + idA + " " + nul + " refs/heads/main} {refs/heads/main " + idA + " " + nul + " } {refs/tags/v " + idB + " " + idA + " }]", ""},
		"version 0, symref of none": {packet(idA+" refs/heads/x\x00symref=HEAD:refs/heads/main symref=y:refs/heads/z symref=x\n") + "0000", "[{HEAD " + nul + " " + nul + " refs/heads/main} {refs/heads/x " + idA + " " + nul + " }]", ""},
		"version 0, no refs":        {packet(nul+" capabilities^{}\x00agent=x\n") + "0000", "[]", ""},
		"version 0, nothing":        {"0000", "[]", ""},
		"version 0, no words":       {lines(idA+" HEAD") + "0000", "[{HEAD " + idA + " " + nul + " }]", ""},
		"version 1":                 {lines("version 1") + packet(idA+" HEAD\x00\n") + "0000", "[{HEAD " + idA + " " + nul + " }]", ""},
		"version 0, sha256":         {packet(idA+" HEAD\x00object-format=sha256\n") + "0000", CodeInvalidSource, "sha256"},
		"version 0, a stray peel":   {packet(idA+" HEAD\x00\n") + lines(idA+" refs/tags/v^{}") + "0000", CodeResponseInvalid, "peels"},
		"version 0, a bad cut":      {packet(idA+" HEAD\x00\n") + lines("shallow x") + "0000", CodeResponseInvalid, "shallow x"},
		"version 0, garbage":        {packet("what\x00\n") + "0000", CodeResponseInvalid, `"what"`},
		"version 0, a delimiter":    {packet(idA+" HEAD\x00\n") + "0001", CodeResponseInvalid, "no flush"},
		"too many of no name":       {version2 + strings.Repeat(lines(idA+" refs/heads/a..b"), 1001), CodeTooLarge, "more than 1000 refs"},
		"too many letters":          {version2 + strings.Repeat(lines(idA+" "+strings.Repeat("~", 65_000)), 4200), CodeTooLarge, "256 MiB"},
		"version 0, no name":        {packet(idA+" HEAD\x00\n") + strings.Repeat(lines(idA+" refs/heads/a..b"), 1000), CodeTooLarge, "more than 1000 refs"},
		"version 0, bad peels":      {packet(idA+" HEAD\x00\n") + strings.Repeat(lines(idA+" refs/tags/a..b^{}"), 3000), CodeTooLarge, "more than 1000 refs"},
		"version 0, peels of one":   {packet(idA+" HEAD\x00\n") + strings.Repeat(lines(idB+" HEAD^{}"), 3000), CodeTooLarge, "more than 1000 refs"},
		"version 0, many cuts":      {packet(idA+" HEAD\x00\n") + strings.Repeat(lines("shallow "+idA), 3000), CodeTooLarge, "more than 1000 refs"},
		"the daemon refuses":        {packet("ERR access denied or repository not exported: /x"), CodeNotFound, "not exported"},
		"a service, no flush":       {lines("# service=git-upload-pack", "version 2"), CodeResponseInvalid, "no flush"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := scripted(tt.says, Options{})
			refs, err := r.Refs(context.Background())
			if tt.text == "" {
				if err != nil || fmt.Sprint(refs) != tt.want {
					t.Fatalf("got %v, %v, want %v", refs, err, tt.want)
				}
				return
			}
			checkFault(t, err, tt.want, tt.text)
		})
	}
}

// What is refused is refused again: nothing of it is kept.
func TestRefusedTwice(t *testing.T) {
	for name, says := range map[string]string{
		"sha256":            lines("version 2", "ls-refs", "fetch", "object-format=sha256") + "0000" + lines(idA+" HEAD") + "0000",
		"version 0, sha256": packet(idA+" HEAD\x00object-format=sha256\n") + "0000",
		"no fetch":          lines("version 2", "ls-refs") + "0000" + lines(idA+" HEAD") + "0000",
		"too many":          packet(idA+" HEAD\x00\n") + strings.Repeat(lines(idA+" refs/heads/a..b"), 1000) + "0000",
	} {
		r, _ := scripted(says, Options{})
		for range 3 {
			if refs, err := r.Refs(context.Background()); err == nil {
				t.Errorf("%s: got %v", name, refs)
			}
			if able, err := r.Can(context.Background()); err == nil {
				t.Errorf("%s: got %v", name, able)
			}
			if err := r.Fetch(context.Background(), Request{Wants: []plumbing.Hash{plumbing.NewHash(idA)}}, func(io.Reader) error { return nil }); err == nil {
				t.Errorf("%s: there is a pack", name)
			}
		}
	}
}

func checkFault(t *testing.T, err error, code, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code() != code || !strings.Contains(err.Error(), text) {
		t.Fatalf("got %v, want %s: ...%s...", err, code, text)
	}
	checkShown(t, err)
}

// checkShown holds errors to what a terminal can stand.
func checkShown(t *testing.T, err error) {
	t.Helper()
	if s := err.Error(); len(s) > 2000 || strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		t.Fatalf("the error shows %q", s)
	}
}

func TestSpokenPacks(t *testing.T) {
	old := packet(idA+" HEAD\x00side-band-64k shallow multi_ack_detailed\n") + "0000"
	bare := packet(idA+" HEAD\x00\n") + "0000"
	pack := packet("\x01PA") + packet("\x02Counting\r") + packet("\x01") + packet("\x01CK") + "0000"
	for name, tt := range map[string]struct {
		says  string
		depth int
		want  string // the pack, or the code
		text  string // of the error
	}{
		"a pack":                      {version2 + lines("packfile") + pack, 0, "PACK", ""},
		"sections":                    {version2 + lines("acknowledgments", "ACK "+idA, "ready") + "0001" + lines("shallow-info", "shallow "+idA, "unshallow "+idB) + "0001" + lines("wanted-refs", idA+" refs/x") + "0001" + lines("packfile") + pack, 0, "PACK", ""},
		"no pack":                     {version2 + "0000", 0, CodeResponseInvalid, "no section"},
		"it wants to negotiate":       {version2 + lines("acknowledgments", "NAK") + "0000", 0, CodeResponseInvalid, `"" stands before`},
		"a new section":               {version2 + lines("packfile-uris"), 0, CodeResponseInvalid, `"packfile-uris"`},
		"many sections":               {version2 + strings.Repeat(lines("shallow-info")+"0001", 10), 0, CodeResponseInvalid, "no end"},
		"long sections":               {version2 + lines("wanted-refs") + strings.Repeat(lines(strings.Repeat("x", 65_000)), 1100), 0, CodeTooLarge, "before the pack"},
		"version 0, many in common":   {old + strings.Repeat(lines("ACK "+idA+" "+strings.Repeat("x", 65_000)), 1100), 0, CodeTooLarge, "before the pack"},
		"version 0, many cuts":        {old + strings.Repeat(lines("shallow "+strings.Repeat("x", 65_000)), 1100), 1, CodeTooLarge, "before the pack"},
		"a line of no section":        {version2 + lines("shallow-info", "what"), 0, CodeResponseInvalid, `"what"`},
		"not our ref":                 {version2 + packet("ERR upload-pack: not our ref "+idA), 0, CodeInvalidRevision, "not our ref"},
		"JGit's words":                {version2 + packet("ERR want "+idA+" not valid"), 0, CodeInvalidRevision, "not valid"},
		"signs of life alone":         {version2 + lines("packfile") + strings.Repeat("0005\x01", 70_000) + packet("\x01PACK") + "0000", 0, CodeTooLarge, "beside the pack"},
		"an error beside the pack":    {version2 + lines("packfile") + packet("\x01PA") + packet("\x03fatal: \x1b[2J disk"), 0, CodeResponseInvalid, `"fatal: ?[2J disk"`},
		"an error in the pack":        {version2 + lines("packfile") + packet("\x01PA") + packet("ERR oh"), 0, CodeResponseInvalid, `"oh"`},
		"another band":                {version2 + lines("packfile") + packet("\x04x"), 0, CodeResponseInvalid, "band 4"},
		"no band":                     {version2 + lines("packfile") + "0004", 0, CodeResponseInvalid, "no band"},
		"a delimiter":                 {version2 + lines("packfile") + "0001", 0, CodeResponseInvalid, "no band"},
		"no end":                      {version2 + lines("packfile") + packet("\x01PA"), 0, CodeUnreachable, "lost after"},
		"cut":                         {version2 + lines("packfile") + "0010\x01PA", 0, CodeUnreachable, "lost after"},
		"too large":                   {version2 + lines("packfile") + strings.Repeat(packet("\x01"+strings.Repeat("x", 60_000)), 20), 0, CodeTooLarge, "1048576 bytes"},
		"chatter":                     {version2 + lines("packfile") + strings.Repeat(packet("\x02"+strings.Repeat("x", 65_000)), 1100), 0, CodeTooLarge, "64 MiB"},
		"nothing after the words":     {version2, 0, CodeUnreachable, "without an answer"},
		"version 0":                   {old + lines("NAK") + pack, 0, "PACK", ""},
		"version 0, one in common":    {old + lines("ACK "+idA+" common", "ACK "+idB+" ready", "ACK "+idA) + pack, 0, "PACK", ""},
		"version 0, cut":              {old + lines("shallow "+idA) + "0000" + lines("NAK") + pack, 1, "PACK", ""},
		"version 0, what it can't":    {bare + lines("NAK") + "PACK...", 1, "PACK...", ""},
		"version 0, an empty pack":    {bare + lines("NAK"), 0, "", ""},
		"version 0, too large":        {bare + lines("NAK") + strings.Repeat("x", 2<<20), 0, CodeTooLarge, "1048576 bytes"},
		"version 0, not our ref":      {old + packet("ERR upload-pack: not our ref "+idA), 0, CodeInvalidRevision, "not our ref"},
		"version 0, something else":   {old + lines("what"), 0, CodeResponseInvalid, `"what"`},
		"version 0, a flush":          {old + "0000", 0, CodeResponseInvalid, "before the pack"},
		"version 0, no cut":           {old + lines("what"), 1, CodeResponseInvalid, `"what"`},
		"version 0, an ACK of no id":  {old + lines("ACK"), 0, CodeResponseInvalid, `"ACK"`},
		"version 0, nothing after it": {old, 0, CodeUnreachable, "without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := scripted(tt.says, Options{})
			var pack []byte
			err := r.Fetch(context.Background(), Request{Wants: []plumbing.Hash{plumbing.NewHash(idA)}, Depth: tt.depth}, func(from io.Reader) (err error) {
				pack, err = io.ReadAll(from)
				if err != nil {
					err = fmt.Errorf("the pack is bad: %w", err) // what is said does not depend on the reader
				}
				return err
			})
			if tt.text == "" {
				if err != nil || string(pack) != tt.want {
					t.Fatalf("got %q, %v", pack, err)
				}
				return
			}
			checkFault(t, err, tt.want, tt.text)
			if strings.Contains(err.Error(), "is bad") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What is asked, word for word.
func TestRequestsAsWritten(t *testing.T) {
	a, b := plumbing.NewHash(idA), plumbing.NewHash(idB)
	ask := Request{Wants: []plumbing.Hash{a, b}, Haves: []plumbing.Hash{b, a, b}, Filter: NoTrees, Depth: 1}
	for name, tt := range map[string]struct{ says, want string }{
		"version 2": {version2, lines("command=fetch", "agent=git/compose", "object-format=sha1") + "0001" +
			lines("no-progress", "ofs-delta", "deepen 1", "filter tree:0", "want "+idA, "want "+idB, "have "+idB, "have "+idA, "done") + "0000"},
		"version 2, little": {lines("version 2", "ls-refs", "fetch=filter") + "0000", lines("command=fetch") + "0001" +
			lines("no-progress", "ofs-delta", "filter tree:0", "want "+idA, "want "+idB, "have "+idB, "have "+idA, "done") + "0000"},
		"version 0": {packet(idA+" HEAD\x00multi_ack thin-pack side-band side-band-64k ofs-delta shallow no-progress multi_ack_detailed filter agent=x\n") + "0000",
			lines("want "+idA+" multi_ack_detailed side-band-64k ofs-delta no-progress shallow filter agent=git/compose", "want "+idB, "deepen 1", "filter tree:0") +
				"0000" + lines("have "+idB, "have "+idA, "done")},
		"version 0, older":  {packet(idA+" HEAD\x00multi_ack filter\n") + "0000", lines("want "+idA+" multi_ack filter", "want "+idB, "filter tree:0") + "0000" + lines("have "+idB, "have "+idA, "done")},
		"version 0, little": {packet(idA+" HEAD\x00filter\n") + "0000", lines("want "+idA+" filter", "want "+idB, "filter tree:0") + "0000" + lines("have "+idB, "done")},
	} {
		r, heard := scripted(tt.says, Options{})
		if err := r.begin(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.Fetch(context.Background(), ask, func(io.Reader) error { return nil })
		if got := heard.String(); got != tt.want && got != tt.want+tt.want { // it asks again, since there is no answer
			t.Errorf("%s: asked\n%q, want\n%q", name, got, tt.want)
		}
	}
	r, heard := scripted(version2+"0000", Options{})
	if _, err := r.Refs(context.Background(), "HEAD", "refs/heads/", strings.Repeat("x", 70_000)); err != nil {
		t.Fatal(err)
	}
	want := lines("command=ls-refs", "agent=git/compose", "object-format=sha1") + "0001" + lines("peel", "symrefs", "unborn", "ref-prefix HEAD", "ref-prefix refs/heads/") + "0000"
	if heard.String() != want {
		t.Errorf("asked\n%q, want\n%q", heard, want)
	}
}

func TestQuote(t *testing.T) {
	for path, want := range map[string]string{"/srv/x.git": "'/srv/x.git'", "a b": "'a b'", "it's": `'it'\''s'`, "x!$(id)`": `'x'\!'$(id)` + "`'", "~/x": "'~/x'"} {
		if got := quote(path); got != want {
			t.Errorf("quote(%q) = %s, want %s", path, got, want)
		}
	}
}

// FuzzServer lets a server say anything, to both questions.
func FuzzServer(f *testing.F) {
	f.Add([]byte(version2 + lines(idA+" HEAD symref-target:refs/heads/main", idB+" refs/tags/v peeled:"+idA) + "0000" + lines("packfile") + packet("\x01PACK") + "0000"))
	f.Add([]byte(packet("ERR access denied")))
	f.Add([]byte("0003"))
	f.Fuzz(checkServer)
}

// FuzzPackets is FuzzServer with lengths that are right: each line is a packet, and "." and "," are those that have none.
func FuzzPackets(f *testing.F) {
	join := func(list ...string) { f.Add([]byte(strings.Join(list, "\n"))) }
	v2 := []string{"version 2", "ls-refs=unborn", "fetch=shallow filter", "."}
	join(append(v2, idA+" HEAD symref-target:refs/heads/main", idB+" refs/tags/v peeled:"+idA, ".", "packfile", "\x01PACK", ".")...)
	join(append(v2, ".", "acknowledgments", "ACK "+idA, "ready", ",", "shallow-info", "shallow "+idA, ",", "packfile", "\x02x", "\x03no")...)
	join(idA+" HEAD\x00side-band-64k shallow multi_ack_detailed symref=HEAD:refs/heads/x", idB+" refs/tags/v", idA+" refs/tags/v^{}", "shallow "+idA, ".", "shallow "+idA, ".",
		"ACK "+idA+" common", "NAK", "\x01PACK", ".")
	join("version 1", nul+" capabilities^{}\x00", ".", "NAK", "PACK")
	join("# service=git-upload-pack", ".", "version 2", "object-format=sha256", ".")
	f.Fuzz(func(t *testing.T, says []byte) {
		var b strings.Builder
		for line := range bytes.SplitSeq(says, []byte("\n")) {
			switch {
			case string(line) == ".":
				b.WriteString(flushPacket)
			case string(line) == ",":
				b.WriteString(delimPacket)
			case len(line) < 60_000:
				b.WriteString(packet(string(line)))
			}
		}
		checkServer(t, []byte(b.String()))
	})
}

func checkServer(t *testing.T, says []byte) {
	r, _ := scripted(string(says), Options{MaxRefs: 3, MaxBytes: 1000})
	refs, err := r.Refs(context.Background())
	checkCoded(t, err)
	for i, ref := range refs {
		if !validRefName(ref.Name) || ref.Target != "" && !validRefName(ref.Target) || i > 0 && refs[i-1].Name != "HEAD" && refs[i-1].Name >= ref.Name {
			t.Fatalf("got %q", refs)
		}
	}
	n := int64(0)
	checkCoded(t, r.Fetch(context.Background(), Request{Wants: []plumbing.Hash{{1}}, Depth: 1}, func(pack io.Reader) (err error) {
		n, err = io.Copy(io.Discard, pack)
		return err
	}))
	if n > 1000 || len(refs) > 4 { // a symref adds HEAD
		t.Fatalf("%d bytes, %d refs", n, len(refs))
	}
}

func checkCoded(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var coded diag.Coded
	if !errors.As(err, &coded) || coded.Code() == "" {
		t.Fatalf("%v has no code", err)
	}
	checkShown(t, err)
}

// FuzzRedirect holds where a redirect may lead: encrypted stays encrypted, and only the repository changes.
func FuzzRedirect(f *testing.F) {
	for _, location := range []string{"/y/info/refs?service=git-upload-pack", "//evil/info/refs?service=git-upload-pack", "http://h/x", "https://a@b/info/refs?service=git-upload-pack",
		"https:opaque", "https://h/%2e%2e/info/refs?service=git-upload-pack", "https://h:99999/x/info/refs?service=git-upload-pack#f", "\x00", "https://\x1b/info/refs"} {
		f.Add(location)
	}
	from, _ := url.Parse("https://h/x/info/refs?service=git-upload-pack")
	f.Fuzz(func(t *testing.T, location string) {
		to, err := redirected("https://h/x", from, location, nil)
		if err != nil {
			checkCoded(t, err)
			return
		}
		deny := func(u giturl.URL) bool { return u.String() == "" }
		if _, err := redirected("https://h/x", from, location, deny); err == nil {
			t.Fatalf("%q leads on, and nothing is allowed", location)
		}
		if to.Scheme != "https" || to.Host == "" || to.User != nil || to.RawQuery != "" || to.Fragment != "" {
			t.Fatalf("%q leads to %v", location, to)
		}
		below := below(to, refsTail)
		again, err := url.Parse(below.String())
		if err != nil || again.EscapedPath() != below.EscapedPath() || again.Host != to.Host {
			t.Fatalf("%q leads to %v, which is read as %v: %v", location, below, again, err)
		}
	})
}

func TestOpen(t *testing.T) {
	u, _, err := giturl.Parse("https://h/x")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(context.Background(), u, Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := r.(*remote).opts
	if opts.Idle != time.Minute || opts.MaxRefs != 1_000_000 || opts.MaxBytes != 4<<30 {
		t.Errorf("the bounds are %+v", opts)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, u, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
