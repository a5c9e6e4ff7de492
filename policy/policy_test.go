package policy_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/policy"
	"example.org/compose/schemas"
)

const key = `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n`

func TestParse(t *testing.T) {
	got, err := policy.Parse("policy.json", []byte(`{
		"$schema": "../schemas/policy.schema.json", "schema_version": 1,
		"repositories": ["example-org/templates", "compose/starter"],
		"sources": ["https://git.example.org/templates/*", "builtin:starter", "local"],
		"signers": ["a@example.org,*@example.net namespaces=\"git\" ssh-ed25519 AAAA a key", " \t\"a b\" ssh-rsa AAAA"],
		"openpgp": ["`+key+`"]
	}`))
	want := &policy.Policy{
		Repositories: []string{"example-org/templates", "compose/starter"},
		Sources:      []string{"https://git.example.org/templates/*", "builtin:starter", "local"},
		Signers:      []string{`a@example.org,*@example.net namespaces="git" ssh-ed25519 AAAA a key`, " \t\"a b\" ssh-rsa AAAA"},
		OpenPGP:      []string{strings.ReplaceAll(key, `\n`, "\n")},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if none, err := policy.Parse("policy.json", []byte(`{"schema_version":1}`)); err != nil || !reflect.DeepEqual(none, &policy.Policy{}) {
		t.Errorf("no lists: got %+v, %v", none, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, path, message string }{
		"empty":                     {``, "", "line 1, column 1: the text is empty"},
		"no JSON":                   {`{"schema_version":1,}`, "", "a comma with nothing after it"},
		"conflict markers":          {"<<<<<<< HEAD\n{}", "", "a merge-conflict marker"},
		"a byte order mark":         {"\xef\xbb\xbf{}", "", "byte order mark"},
		"a list":                    {`[]`, "", "is an array; want an object"},
		"no version":                {`{}`, "", `lacks "schema_version"`},
		"a newer version":           {`{"schema_version":2}`, "#/schema_version", "is 2; this compose knows version 1"},
		"a version with a point":    {`{"schema_version":1.0}`, "#/schema_version", "want an integer"},
		"an unknown field":          {`{"schema_version":1,"signer":[]}`, "#/signer", "is an unknown field"},
		"a field twice":             {`{"schema_version":1,"sources":["a"],"sources":["b"]}`, "", "line 1, column "},
		"another letter case":       {`{"schema_version":1,"Sources":["a"]}`, "#/Sources", "is an unknown field"},
		"$schema, a number":         {`{"$schema":1,"schema_version":1}`, "#/$schema", "want a string"},
		"a list that is null":       {`{"schema_version":1,"sources":null}`, "#/sources", "is null; want an array"},
		"a list that is empty":      {`{"schema_version":1,"repositories":[]}`, "#/repositories", "is empty, and would allow nothing"},
		"signers, empty":            {`{"schema_version":1,"signers":[]}`, "#/signers", "is empty, and would allow nothing"},
		"an entry twice":            {`{"schema_version":1,"sources":["a","b","a"]}`, "#/sources/2", "is the same as entry 0"},
		"an entry, a number":        {`{"schema_version":1,"sources":["a",1]}`, "#/sources/1", "want a string"},
		"an identity, a URL":        {`{"schema_version":1,"repositories":["https://example.org/a"]}`, "#/repositories/0", "want names of"},
		"an identity, a dot":        {`{"schema_version":1,"repositories":["a/../b"]}`, "#/repositories/0", "want names of"},
		"a source, empty":           {`{"schema_version":1,"sources":[""]}`, "#/sources/0", "is empty; want a URL"},
		"a source, two lines":       {`{"schema_version":1,"sources":["a\nb"]}`, "#/sources/0", "holds a control character"},
		"a source, C1":              {`{"schema_version":1,"sources":["a\u0085"]}`, "#/sources/0", "holds a control character"},
		"a signer, blank":           {`{"schema_version":1,"signers":[" \t"]}`, "#/signers/0", "is empty; want one line"},
		"a signer, a comment":       {`{"schema_version":1,"signers":["a","  # a"]}`, "#/signers/1", "is a comment"},
		"a signer, two lines":       {`{"schema_version":1,"signers":["a ssh-rsa AAAA\nb ssh-rsa AAAA"]}`, "#/signers/0", "more than one line"},
		"a key, blank":              {`{"schema_version":1,"openpgp":["\n"]}`, "#/openpgp/0", "is empty; want what gpg"},
		"a key, an id":              {`{"schema_version":1,"openpgp":["0xDEADBEEF"]}`, "#/openpgp/0", "is no armored OpenPGP key"},
		"a key, private":            {`{"schema_version":1,"openpgp":["-----BEGIN PGP PRIVATE KEY BLOCK-----\n"]}`, "#/openpgp/0", "is a private key"},
		"a key, then a private one": {`{"schema_version":1,"openpgp":["` + key + `-----BEGIN PGP PRIVATE KEY BLOCK-----\n"]}`, "#/openpgp/0", "is a private key"},
		"a key, NUL":                {`{"schema_version":1,"openpgp":["` + key + `\u0000"]}`, "#/openpgp/0", "holds a control character"},
		"past the bound":            {`{"schema_version":1}` + strings.Repeat(" ", policy.MaxSize), "", "has more than 1 MiB"},
		"nested":                    {strings.Repeat("[", 100), "", "line 1, column "},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := policy.Parse("policy.json", []byte(test.text))
			var fault *policy.Error
			if p != nil || !errors.As(err, &fault) {
				t.Fatalf("got %+v, %v", p, err)
			}
			if fault.Code() != "INVALID_POLICY" || fault.Path() != "policy.json"+test.path || !strings.Contains(fault.Message(), test.message) {
				t.Errorf("got %s %s: %s", fault.Code(), fault.Path(), fault.Message())
			}
		})
	}
}

func TestCheckRepository(t *testing.T) {
	some := &policy.Policy{Repositories: []string{"example-org/templates"}}
	for _, test := range []struct {
		p        *policy.Policy
		identity string
		want     bool
	}{
		{nil, "a/b", true},
		{&policy.Policy{}, "a/b", true},
		{some, "example-org/templates", true},
		{some, "example-org/Templates", false},
		{some, "example-org/templates/x", false},
		{some, "example-org", false},
		{some, "", false},
	} {
		err := test.p.CheckRepository(test.identity)
		if test.p.AllowsRepository(test.identity) != test.want || (err == nil) != test.want {
			t.Errorf("%+v, %q: allowed %v, error %v", test.p, test.identity, !test.want, err)
		}
		var fault *policy.Error
		if err != nil && (!errors.As(err, &fault) || fault.Code() != "SOURCE_IDENTITY_NOT_ALLOWED" || fault.Path() != policy.Path+"#/repositories") {
			t.Errorf("%q: %v", test.identity, err)
		}
	}
}

func TestRequiresSignature(t *testing.T) {
	for _, test := range []struct {
		p    *policy.Policy
		want bool
	}{
		{nil, false}, {&policy.Policy{Sources: []string{"local"}}, false}, {&policy.Policy{Signers: []string{"a"}}, true}, {&policy.Policy{OpenPGP: []string{"a"}}, true},
	} {
		if got := test.p.RequiresSignature(); got != test.want {
			t.Errorf("%+v: %v", test.p, got)
		}
	}
}

// Whatever the bytes are: a policy or an *Error of one code; what is read keeps the schema.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"schema_version":1}`, `{"schema_version":1,"repositories":["a"],"sources":["b"],"signers":["c d"],"openpgp":["` + key + `"]}`, `{"schema_version":1,"signers":[]}`, `{`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := policy.Parse("policy.json", b)
		if err != nil {
			var fault *policy.Error
			if p != nil || !errors.As(err, &fault) || fault.Code() != policy.CodeInvalidPolicy || fault.Message() == "" {
				t.Errorf("got %+v, %v", p, err)
			}
			return
		}
		doc, err := strictjson.Parse(b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := schemas.Validate(schemas.Policy, doc); len(got) > 0 {
			t.Errorf("it breaks the schema: %v", got)
		}
	})
}

func ExampleParse() {
	p, err := policy.Parse("policy.json", []byte(`{"schema_version": 1, "repositories": ["example-org/templates"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.AllowsRepository("example-org/templates"), p.CheckRepository("someone/templates"))
	// Output:
	// true .template-composition/policy.json#/repositories: does not hold "someone/templates", the identity of the source: compose from a catalog that it lists, or let someone who may decide that add this one
}
