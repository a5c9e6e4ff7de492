package manual

import (
	"slices"
	"strings"
	"unicode"
)

// Place is what the last word of a command line is to be.
type Place struct {
	Command *Command            // nil before one is named
	Flag    *Flag               // whose value it is; else nil
	Arg     *Arg                // which argument it is; else nil
	Typed   string              // of the value or the word, what is there
	Before  string              // what stands before the value in the same word: "--mode="; else ""
	Flags   map[string][]string // the values that flags have been given, by name; of one without a value that it is there
	Args    []string            // the arguments before it

	own     []*Command // the commands that it may name
	program *Program
	ended   bool // flags ended with "--"
}

// Candidate is one word that may stand at a place.
type Candidate struct{ Word, About string }

// Locate reads the words of a command line, without the program, and says what the last one is to be. Without words it
// is the place of a first one. Words that the command line does not take are passed over.
func (p *Program) Locate(words []string) *Place {
	at := &Place{Flags: map[string][]string{}, own: p.Commands, program: p}
	if len(words) == 0 {
		words = []string{""}
	}
	for i := 0; i < len(words)-1; i++ {
		word := words[i]
		name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch {
		case at.ended || !strings.HasPrefix(word, "-") || word == "-":
			at.pass(word)
		case word == "--":
			at.ended = true
		default:
			f := at.flag(name)
			if f == nil || !strings.HasPrefix(word, "--") {
				continue
			}
			if f.Value != "" && !given {
				if i++; i == len(words)-1 {
					at.Flag, at.Typed = f, words[i]
					return at
				}
				value = words[i]
			}
			at.Flags[name] = append(at.Flags[name], value)
		}
	}
	at.Typed = words[len(words)-1]
	if name, value, given := strings.Cut(at.Typed, "="); given && !at.ended && strings.HasPrefix(name, "--") {
		if f := at.flag(name[2:]); f != nil && f.Value != "" {
			at.Flag, at.Typed, at.Before = f, value, name+"="
		}
		return at
	}
	if at.Command != nil && len(at.own) == 0 {
		at.Arg = at.next()
	}
	return at
}

// pass takes a word that is no flag.
func (at *Place) pass(word string) {
	for _, c := range at.own {
		if c.last() == word {
			at.Command, at.own = c, c.Commands
			return
		}
	}
	at.own = nil
	at.Args = append(at.Args, word)
}

// next is the argument that comes next; nil where there is none.
func (at *Place) next() *Arg {
	args := at.Command.Args
	if n := len(at.Args); n < len(args) {
		return &args[n]
	} else if n > 0 && len(args) > 0 && args[len(args)-1].Repeats {
		return &args[len(args)-1]
	}
	return nil
}

// flags are those that may stand here.
func (at *Place) flags() []Flag {
	all := at.program.Flags
	if c := at.Command; c != nil {
		all = slices.Concat(c.Flags, all)
		for _, d := range c.Commands {
			if d.last() == c.Default {
				all = slices.Concat(d.Flags, all)
			}
		}
	}
	return all
}

func (at *Place) flag(name string) *Flag {
	all := at.flags()
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// Kind says who knows the values at a place: the shell for FILE and DIR, else whoever asks.
type Kind string

// The kinds of values.
const (
	Words Kind = "words"
	Files Kind = "files"
	Dirs  Kind = "dirs" // and what else there is
)

// Kind returns the kind of the value at the place.
func (at *Place) Kind() Kind {
	value := ""
	switch {
	case at.Flag != nil:
		value = at.Flag.Value
	case at.Arg != nil && !at.dashed():
		value = at.Arg.Value
	}
	switch value {
	case "FILE":
		return Files
	case "DIR", "REPOSITORY":
		return Dirs
	}
	return Words
}

// Known returns the candidates that the command line itself knows: names of commands and flags, and values of which there
// are only a few. A flag that is there already is not one, unless it repeats.
func (at *Place) Known() []Candidate {
	var list []Candidate
	switch {
	case at.Flag != nil:
		list = choices(at.Flag.Choices)
	case at.dashed():
		list = at.flagNames()
	case len(at.own) > 0:
		for _, c := range at.own {
			list = append(list, Candidate{c.last(), c.Summary})
		}
	case at.Arg != nil:
		list = choices(at.Arg.Choices)
	case at.Command != nil && !at.ended:
		list = at.flagNames() // there is nothing else to say
	}
	return list
}

// dashed reports whether the word is the name of a flag.
func (at *Place) dashed() bool {
	return at.Flag == nil && !at.ended && strings.HasPrefix(at.Typed, "-")
}

func (at *Place) flagNames() []Candidate {
	var list []Candidate
	for _, f := range at.flags() {
		if len(at.Flags[f.Name]) == 0 || f.Repeats {
			list = append(list, Candidate{"--" + f.Name, f.Help})
		}
	}
	return list
}

func choices(words []string) []Candidate {
	var list []Candidate
	for _, word := range words {
		list = append(list, Candidate{Word: word})
	}
	return list
}

// Fitting returns the candidates that begin as what is typed, as whole words, each once, in their order. Left out is what
// holds anything but printable characters, which no shell could show, and an argument that would be taken for a flag.
func (at *Place) Fitting(list []Candidate) []Candidate {
	var fitting []Candidate
	seen := map[string]bool{}
	for _, c := range list {
		dashed := strings.HasPrefix(c.Word, "-") && at.Flag == nil && !at.ended && at.flag(strings.TrimPrefix(c.Word, "--")) == nil
		if c.Word == "" || !strings.HasPrefix(c.Word, at.Typed) || !visible(c.Word) || dashed || seen[c.Word] {
			continue
		}
		seen[c.Word] = true
		fitting = append(fitting, Candidate{at.Before + c.Word, brief(c.About)})
	}
	return fitting
}

// visible reports whether a word is UTF-8 that can be seen.
func visible(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// brief is the first sentence of a text, in one line of few words.
func brief(text string) string {
	const most = 70 // characters: what a shell shows beside a word
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i]
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(text); len(runes) > most {
		return strings.TrimRight(string(runes[:most-3]), " ") + "..."
	}
	return strings.TrimSuffix(text, ".")
}

// Folded joins the words that have a folder in common behind what is typed: paths are completed folder by folder. A folder
// ends in "/". The words are sorted.
func Folded(typed string, words []string) []Candidate {
	var list []Candidate
	for i := 0; i < len(words); {
		word := words[i]
		i++
		if !strings.HasPrefix(word, typed) {
			continue
		}
		if end := strings.IndexByte(word[len(typed):], '/'); end >= 0 {
			folder := word[:len(typed)+end+1]
			alone := true
			for ; i < len(words) && strings.HasPrefix(words[i], folder); i++ {
				alone = false
			}
			if !alone {
				word = folder
			}
		}
		list = append(list, Candidate{Word: word})
	}
	return list
}
