package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/compose/fingerprint/scsha"
	"example.org/compose/fingerprint/treedigest"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
)

// textAlgorithm names the identity of a text in results.
const textAlgorithm = "sc-sha/text"

type hashCommand struct {
	Text     hashTextCommand     `cmd:"" help:"The identity of UTF-8 texts: SHA-256 with line ends made LF."`
	Tree     hashTreeCommand     `cmd:"" help:"The identity of folders: names and bytes of every regular file."`
	Manifest hashManifestCommand `cmd:"" help:"The identity of a resolved manifest in a JSON file."`
	Template hashTemplateCommand `cmd:"" help:"The identities of a text with all that it includes, and the expanded text."`
}

// checkFlag is the value that a command is to come to.
type checkFlag struct {
	Check string `placeholder:"DIGEST" help:"Also say whether the value is this one; exit 2 if not."`
}

// check refuses what can't be a value, so that a slip is not taken for a difference. prefix is "" or that of an algorithm
// whose older form has none.
func (c *checkFlag) check(prefix string) error {
	digits := strings.TrimPrefix(c.Check, prefix)
	if c.Check == "" || len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == "" {
		return nil
	}
	return &usageError{msg: fmt.Sprintf("--check %s is no digest; give %s64 lower-case hexadecimal digits", c.Check, prefix)}
}

// against returns whether a value is the one to check against; nil where none was given.
func (c *checkFlag) against(digest string) *bool {
	if c.Check == "" {
		return nil
	}
	matches := digest == c.Check
	return &matches
}

// matchMembers tells in a document what came of --check.
func matchMembers(matches *bool) []strictjson.Member {
	if matches == nil {
		return nil
	}
	return []strictjson.Member{strictjson.F("matches", strictjson.Boolean(*matches))}
}

// matchExit is the exit status after --check.
func matchExit(matches *bool) int {
	if matches != nil && !*matches {
		return exitRefused
	}
	return exitDone
}

type hashTextCommand struct {
	checkFlag
	Files []string `arg:"" name:"file" help:"UTF-8 text files."`
}

func (c *hashTextCommand) Help() string {
	return "CRLF and a lone CR count as LF; nothing else is changed: a BOM and the final line end count as they are. docs/identities.md has the rule."
}

func (c *hashTextCommand) Run(s *session) error {
	if err := c.check(""); err != nil {
		return err
	}
	results := make([]hashResult, len(c.Files))
	for i, name := range c.Files {
		s.working("hashing %s", name)
		results[i] = hashResult{path: name, algorithm: textAlgorithm}
		results[i].digest, results[i].err = unblocked(s.ctx, func() (string, error) { return hashText(name) })
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		results[i].matches = c.against(results[i].digest)
	}
	return s.hashed(results)
}

// hashText returns the identity of the text in a file, read in pieces.
func hashText(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", readError(name, err)
	}
	defer f.Close()
	var text scsha.Text
	if _, err := io.Copy(&text, f); err != nil && !errors.As(err, new(*scsha.Error)) {
		return "", readError(name, err)
	}
	digest, err := text.Sum()
	if err != nil {
		return "", err
	}
	return digest.String(), nil
}

type hashTreeCommand struct {
	checkFlag
	Legacy  bool     `help:"Also print the older form, for records that hold it."`
	Folders []string `arg:"" name:"dir" help:"Folders."`
}

func (c *hashTreeCommand) Help() string {
	return "Symlinks and names that are not UTF-8 are errors that name the path. Modes, times and empty folders do not count. docs/identities.md has the rule."
}

func (c *hashTreeCommand) Run(s *session) error {
	if err := c.check(treedigest.Algorithm + ":"); err != nil {
		return err
	}
	results := make([]hashResult, len(c.Folders))
	for i, name := range c.Folders {
		s.working("hashing %s", name)
		older := c.Check != "" && !strings.Contains(c.Check, ":")
		results[i] = hashTree(s.ctx, name, c.Legacy || older)
		if results[i].matches = c.against(results[i].digest); older {
			results[i].matches = c.against(results[i].legacy)
			if results[i].err == nil && *results[i].matches {
				s.warn(fmt.Sprintf("%s matches by the older rule, under which other folders can have the same value; record %s instead", name, results[i].digest))
			}
		}
		if !c.Legacy {
			results[i].legacy = ""
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	return s.hashed(results)
}

// hashTree returns the identity of a folder, and on demand the older one.
func hashTree(ctx context.Context, name string, legacy bool) hashResult {
	result := hashResult{path: name, algorithm: treedigest.Algorithm}
	tree, err := treedigest.Open(name)
	if err != nil {
		result.err = err
		return result
	}
	defer tree.Close()
	digest, err := tree.Digest(ctx)
	if err != nil {
		result.err = err
		return result
	}
	result.digest = digest.String()
	if legacy {
		older, err := tree.Legacy(ctx)
		result.legacy, result.err = older.String(), err
	}
	return result
}

// hashResult is what became of one path.
type hashResult struct {
	path, algorithm, digest string
	legacy                  string // "" where it was not asked for
	matches                 *bool  // nil without --check
	err                     error
}

// hashed answers with results: exit 2 where one of them is an error.
func (s *session) hashed(results []hashResult) error {
	exit := exitDone
	for _, r := range results {
		if r.err != nil || matchExit(r.matches) != exitDone {
			exit = exitRefused
		}
	}
	doc := strictjson.Obj(strictjson.F("results", strictjson.List(results, hashResult.document)))
	return s.answer(doc, func(w *textWriter) {
		for _, r := range results {
			r.text(w)
		}
	}, exit)
}

// code is the code of the error.
func (r hashResult) code() string {
	if coded := (diag.Coded)(nil); errors.As(r.err, &coded) {
		return coded.Code()
	}
	return codeInternal
}

func (r hashResult) document() strictjson.Value {
	path := strictjson.F("path", strictjson.Str(validText(r.path)))
	if r.err != nil {
		return strictjson.Obj(path, strictjson.F("code", strictjson.Str(r.code())), strictjson.F("message", strictjson.Str(validText(r.err.Error()))))
	}
	members := []strictjson.Member{path,
		strictjson.F("algorithm", strictjson.Str(r.algorithm)), strictjson.F("digest", strictjson.Str(r.digest))}
	if r.legacy != "" {
		members = append(members, strictjson.F("legacy", strictjson.Str(r.legacy)))
	}
	return strictjson.Obj(append(members, matchMembers(r.matches)...)...)
}

func (r hashResult) text(w *textWriter) {
	if r.err != nil {
		text := r.err.Error()
		if !strings.HasPrefix(text, r.path+": ") {
			text = r.path + ": " + text
		}
		w.line("%s %s [%s]", bad("!"), text, r.code())
		return
	}
	if matchExit(r.matches) != exitDone {
		w.line("%s %s  %s (another value)", bad("!"), r.digest, r.path)
	} else {
		w.line("%s  %s", r.digest, r.path)
	}
	if r.legacy != "" {
		w.line("%s  %s (legacy)", r.legacy, r.path)
	}
}
