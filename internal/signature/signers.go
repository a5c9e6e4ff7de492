package signature

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/diag"
)

// Parse reads a list of signers: allowed signers as text, or one or several OpenPGP keys, armored or not. name is for
// messages, which name the line where the text has several. The error is an *Error, INVALID_SIGNERS: a list that can be
// read in part is refused whole, and so is one that names nobody.
func Parse(name string, text []byte) (*Signers, error) {
	s := &Signers{}
	fault := s.parse(text)
	if fault == nil {
		return s, nil
	}
	if fault.line > 0 && bytes.ContainsRune(bytes.TrimRight(text, "\r\n"), '\n') {
		name += ":" + strconv.Itoa(fault.line)
	}
	return nil, &Error{diag.New(CodeInvalidSigners, name, fault.msg)}
}

// listFault says why a list can't be read.
type listFault struct {
	line int // from 1; 0 for the whole
	msg  string
}

func (f *listFault) Error() string { return f.msg }

func faulty(format string, args ...any) *listFault {
	return &listFault{msg: fmt.Sprintf(format, args...)}
}

const isPrivate = "a private key, which belongs nowhere but with its owner: replace the key, and list the public one"

func (s *Signers) parse(text []byte) *listFault {
	const want = "; want a file in git's allowed-signers format, or OpenPGP public keys"
	switch {
	case len(text) > MaxSigners:
		return faulty("has more than 1 MiB, too much for a list of signers")
	case blank(text):
		return faulty("is empty, and would allow nobody" + want)
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return faulty("begins with a byte order mark; save it as UTF-8 without BOM")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")):
		return faulty("is UTF-16; save it as UTF-8")
	case len(text) > 12 && string(text[8:12]) == "KBXf":
		return faulty("is GnuPG's own key box; write the keys with gpg --export")
	case bytes.Contains(text, []byte(" PRIVATE KEY-----")), bytes.Contains(text, []byte(" PRIVATE KEY BLOCK-----")):
		return faulty("holds " + isPrivate)
	case text[0]&0x80 != 0 && !utf8.Valid(text):
		return s.parseKeys(text)
	case bytes.HasPrefix(text, []byte("-----BEGIN PGP")), bytes.Contains(text, []byte("\n-----BEGIN PGP")):
		return s.parseArmored(text)
	case !utf8.Valid(text):
		return faulty("is not UTF-8" + want)
	}
	number := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		number++
		entry, fault := parseAllowed(strings.TrimSuffix(line, "\r"))
		if fault != nil {
			fault.line = number
			return fault
		}
		if entry != nil {
			s.ssh = append(s.ssh, entry)
		}
	}
	if len(s.ssh) == 0 {
		return faulty("holds comments alone, and would allow nobody" + want)
	}
	return nil
}
