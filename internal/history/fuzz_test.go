package history_test

import (
	"testing"
	"unicode/utf8"

	"example.org/compose/internal/history"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a> 1 +0000\ncommitter c <c> 17 +0000\n\nsubject\n\nbody\n"))
	f.Add([]byte("committer a> > 9999999999999999999999 x\n\n\n\n\xff\n"))
	f.Add([]byte("committer \n\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, contents []byte) {
		date, subject := history.Parse(contents)
		if date < 0 || len(subject) > 203 || !utf8.ValidString(subject) {
			t.Errorf("%d, %q", date, subject)
		}
	})
}

func FuzzRegistrations(f *testing.F) {
	f.Add([]byte(`{"contract_registrations":[{"id":"a"}]}`))
	f.Add([]byte(`{"contract_registrations":{}}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, descriptor []byte) {
		if part := history.Registrations(descriptor); len(part) == 0 && part != nil && len(descriptor) > 0 {
			t.Errorf("%q", part)
		}
	})
}
