package history

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// maxSubject bounds a subject, in bytes.
const maxSubject = 200

// Change is the revision that changed a file, and what its commit says of itself, which anybody may have written.
type Change struct {
	Revision lockv2.Revision
	Date     int64  // of the committer, in seconds since 1970; 0 where the commit has none that can be read
	Subject  string // the first line of the message, at most 200 bytes of it; valid UTF-8, and else unchecked
}

// change reads what a commit says.
func (l *Log) change(ctx context.Context, id gitrepo.ID) (*Change, error) {
	revision := lockv2.Revision(id.String())
	contents, err := l.repo.CommitObject(ctx, revision)
	if err != nil {
		return nil, err
	}
	date, subject := parse(contents)
	return &Change{revision, date, subject}, nil
}

// parse returns the date and the subject of a commit.
func parse(contents []byte) (date int64, subject string) {
	head, message, _ := bytes.Cut(contents, []byte("\n\n"))
	for line := range bytes.Lines(head) {
		if rest, ok := bytes.CutPrefix(line, []byte("committer ")); ok {
			text, _, _ := strings.Cut(strings.TrimLeft(string(rest[bytes.LastIndexByte(rest, '>')+1:]), " "), " ")
			if seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && seconds > 0 {
				date = seconds
			}
			break
		}
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(message, "\n"), []byte("\n"))
	text := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 4*maxSubject)]), "\uFFFD"))
	if len(text) > maxSubject {
		cut := maxSubject
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return date, text
}

// Registrations is the Part of a component's descriptor that generated materials are made of: its contract registrations. Of a text
// that is no descriptor it is all.
func Registrations(descriptor []byte) []byte {
	doc, err := strictjson.Parse(descriptor, 0)
	if err != nil {
		return descriptor
	}
	list, found := doc.Get("contract_registrations")
	if !found || list.Kind == strictjson.Array && len(list.Items) == 0 {
		return nil
	}
	return strictjson.Encode(list.Sorted())
}
