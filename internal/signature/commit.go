package signature

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"strconv"
	"time"
)

// commit is a commit object taken apart.
type commit struct {
	signature []byte // the value of gpgsig, as it was before git put it into a header
	payload   []byte // what is signed: the commit without the signatures
	time      time.Time
}

// The headers that hold a signature. The second is that of the same commit in a repository of the other object format. git
// leaves it out of what is signed and does not look at it, so it could hold anything: beside a signature it is refused.
const (
	signatureHeader = "gpgsig"
	otherHeader     = "gpgsig-sha256"
)

// split takes a commit apart as git does (parse_buffer_signed_by_header): a header goes on in lines that begin with
// a space. git takes several gpgsig headers for one, and drops headers whose names begin so from what is signed; no git
// writes such a commit, and it is refused.
func split(id string, raw []byte) (*commit, *refusal) {
	switch {
	case len(raw) > maxCommit:
		return nil, invalid("the commit has more than 16 MiB, too much to be checked")
	case !isObject(id, raw):
		return nil, invalid("the bytes to check are not those of the commit")
	}
	c := &commit{payload: make([]byte, 0, len(raw))}
	var seen [3]int // signatureHeader, otherHeader, committer
	into := &c.payload
	for rest := raw; len(rest) > 0; {
		if rest[0] == '\n' { // the end of the headers
			c.payload = append(c.payload, rest...)
			break
		}
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		line := rest[:end]
		rest = rest[end:]
		if bytes.IndexByte(line, 0) >= 0 {
			return nil, invalid("the commit's headers hold a NUL byte")
		}
		if line[0] == ' ' {
			if into != &c.payload {
				line = line[1:]
			}
			if into != nil {
				*into = append(*into, line...)
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(" "))
		into = &c.payload
		switch {
		case string(name) == signatureHeader:
			seen[0]++
			into = &c.signature
			line = value
		case string(name) == otherHeader:
			seen[1]++
			into = nil
		case bytes.HasPrefix(line, []byte(signatureHeader)):
			return nil, invalid("the commit has a header %q, which only looks like a signature", clip(bytes.TrimSpace(name)))
		case string(name) == "committer":
			seen[2]++
			at, ok := identTime(value)
			if !ok {
				return nil, invalid("the commit's committer has no time that can be read, so nobody can tell which keys were valid")
			}
			c.time = at
		}
		if into != nil {
			*into = append(*into, line...)
		}
	}
	switch {
	case seen[0] == 0:
		return nil, &refusal{CodeNotSigned, "the commit carries no signature, and it must be signed by an allowed signer; bind a revision that is signed"}
	case seen[0] > 1:
		return nil, invalid("the commit has %d signatures; a commit has one", seen[0])
	case seen[1] > 0:
		return nil, invalid("the commit has a second signature, in a header %q, which is not checked and could hold anything; sign it in one format alone", otherHeader)
	case seen[2] != 1:
		return nil, invalid("the commit has %d committers; a commit has one", seen[2])
	case len(c.signature) > maxSignature:
		return nil, invalid("the commit's signature has more than 64 KiB")
	}
	return c, nil
}

// isObject reports whether raw is the commit of that id. What is verified must be what was asked for, whoever
// read it; that SHA-1 can be made to collide is for the reader of the object to notice.
func isObject(id string, raw []byte) bool {
	h := sha1.New()
	h.Write([]byte("commit " + strconv.Itoa(len(raw)) + "\x00"))
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil)) == id
}

// identTime reads the time at the end of an identity: NAME <MAIL> SECONDS ZONE.
func identTime(ident []byte) (time.Time, bool) {
	end := bytes.LastIndexByte(ident, '>')
	fields := bytes.Fields(ident[end+1:])
	if end < 0 || len(fields) != 2 {
		return time.Time{}, false
	}
	// 1<<37 is in the year 6325: what is added to such a time can't overflow.
	seconds, err := strconv.ParseUint(string(fields[0]), 10, 37)
	return time.Unix(int64(seconds), 0).UTC(), err == nil
}

// clip cuts a text of any length to what a message can hold.
func clip[T string | []byte](text T) string {
	const most = 200
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}
