package main

import (
	"strings"

	"example.org/compose/internal/manual"
	"github.com/alecthomas/kong"
)

// described returns the command line for completion and for readers, of all commands or of the one that args begin with.
func described(args []string) (*manual.Program, error) {
	var line commandLine
	parser, err := kong.New(&line, append(grammar(args), kong.Name("compose"), kong.Vars{"source": builtinSource})...)
	if err != nil {
		return nil, err
	}
	summary, about, _ := strings.Cut(description, "\n\n")
	return &manual.Program{
		Name:     "compose",
		Summary:  summary,
		About:    about,
		Flags:    describedFlags(parser.Model.Node),
		Commands: describedCommands(parser.Model.Node, nil),
	}, nil
}

func describedCommands(of *kong.Node, words []string) []*manual.Command {
	var all []*manual.Command
	for _, node := range of.Children {
		c := &manual.Command{Words: append(words[:len(words):len(words)], node.Name), Summary: node.Help, About: node.Detail}
		for _, arg := range node.Positional {
			c.Args = append(c.Args, manual.Arg{
				Value: placeholderOf(arg), Help: arg.Help, Choices: choicesOf(arg), Repeats: arg.IsCumulative(), Needed: arg.Required,
			})
		}
		c.Flags = describedFlags(node)
		c.Commands = describedCommands(node, c.Words)
		if node.DefaultCmd != nil {
			c.Default = node.DefaultCmd.Name
		}
		all = append(all, c)
	}
	return all
}

// describedFlags returns the flags that a node itself declares.
func describedFlags(node *kong.Node) []manual.Flag {
	var all []manual.Flag
	for _, flag := range node.Flags {
		f := manual.Flag{Name: flag.Name, Help: flag.Help, Choices: choicesOf(flag.Value), Repeats: flag.IsSlice()}
		if !flag.IsBool() {
			f.Value = flag.PlaceHolder
		}
		all = append(all, f)
	}
	return all
}

// placeholderOf is how the value of an argument is named.
func placeholderOf(arg *kong.Positional) string {
	if arg.Tag.PlaceHolder != "" {
		return arg.Tag.PlaceHolder
	}
	return strings.ToUpper(arg.Name)
}

// choicesOf returns what a value may be, where that is a list.
func choicesOf(v *kong.Value) []string {
	var list []string
	if v.Enum != "" {
		for _, word := range v.EnumSlice() {
			if word != "" {
				list = append(list, word)
			}
		}
	}
	return list
}
