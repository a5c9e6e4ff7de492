package signature

// For tests of what has no outside.
var (
	MatchList = matchList
	ParseTime = parseTime
)

// Split returns what is signed, the signature, and the code with which the commit is refused.
func Split(id string, raw []byte) (payload, signature []byte, seconds int64, code string) {
	c, no := split(id, raw)
	if no != nil {
		return nil, nil, 0, no.code
	}
	return c.payload, c.signature, c.time.Unix(), ""
}
