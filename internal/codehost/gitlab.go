package codehost

import (
	"strings"

	"example.org/compose/internal/strictjson"
)

// GitLab returns a code quality report: a list, empty where nothing is at fault.
func GitLab(findings []Finding) []byte {
	return strictjson.Encode(strictjson.List(findings, func(f Finding) strictjson.Value {
		return strictjson.Obj(
			strictjson.F("description", strictjson.Str(f.Message)),
			strictjson.F("check_name", strictjson.Str("compose/"+f.Code)),
			strictjson.F("fingerprint", strictjson.Str(f.Fingerprint)),
			strictjson.F("severity", strictjson.Str("major")),
			strictjson.F("location", strictjson.Obj(
				strictjson.F("path", strictjson.Str(strings.ToValidUTF8(f.Path, "\uFFFD"))),
				strictjson.F("lines", strictjson.Obj(strictjson.F("begin", strictjson.Int(int64(f.Line))))),
			)),
		)
	}))
}
