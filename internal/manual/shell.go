package manual

import (
	"embed"
	"strings"
)

//go:embed shells/*
var shells embed.FS

// Shells returns the names of the shells that there is a script for.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Script returns what makes a shell complete the program: it is sourced, or put where the shell looks for completions. "" for
// a shell that Shells does not name.
func (p *Program) Script(shell string) string {
	b, err := shells.ReadFile("shells/" + shell)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(b), "PROGRAM", p.Name)
}

// Answer is what the scripts of zsh and fish read: the kind of values, and each candidate on a line of its own, with a tab and
// what it is about.
func Answer(kind Kind, list []Candidate) string {
	var b strings.Builder
	b.WriteString(string(kind) + "\n")
	for _, c := range list {
		b.WriteString(c.Word + "\t" + c.About + "\n")
	}
	return b.String()
}

// Reply is the same for bash, which knows no descriptions: the kind, and what is to be put into the line.
func (l Line) Reply(kind Kind, list []Candidate) string {
	return strings.Join(append([]string{string(kind)}, l.Replies(list)...), "\n") + "\n"
}
