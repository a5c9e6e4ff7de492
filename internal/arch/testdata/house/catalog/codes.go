package catalog

// Codes.
const (
	CodeListed    = "LISTED"
	CodeTwice     = "LISTED_TWICE"
	codeOther     = "OTHER"
	CodeUnwritten = "UNWRITTEN"
	notACode      = "NOT_A_CODE"
)

func code() string { return notACode }

func spelled() string {
	return "LISTED_TWICE"
}
