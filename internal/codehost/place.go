package codehost

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/compose/internal/jsonplace"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/policy"
	"example.org/compose/validator"
)

// place is where a fault is shown.
type place struct {
	file         lockv2.Destination
	line, column int // 0 where they are not known
}

// placer finds places. Pointers into a file are collected first, and looked for in one pass.
type placer struct {
	root  *rootfs.Root
	lock  *lockv2.Lock
	texts map[lockv2.Destination]*text
}

// text is what is looked for in one file.
type text struct {
	pointers []string
	at       []*place // of each pointer
}

// place returns the file of a fault; locate sets line and column, where there are any to find.
func (p *placer) place(f *validator.Fault) *place {
	switch {
	case f.Code == validator.CodeMaterialModified:
		return &place{file: f.Destination, line: 1}
	case f.Destination != "":
		return p.pointed(lockv2.LockPath, p.entry(f.Destination))
	case f.Code == validator.CodeRecoveryRequired:
		return &place{file: lockv2.MarkerPath, line: 1}
	case f.Code == policy.CodeInvalidPolicy:
		return p.pointed(policy.Path, f.Pointer)
	}
	return p.pointed(lockv2.LockPath, f.Pointer)
}

// entry returns the pointer to what the lock says of a file: its files are in byte order.
func (p *placer) entry(name lockv2.Destination) string {
	if p.lock == nil {
		return ""
	}
	i, found := slices.BinarySearchFunc(p.lock.Files, name, func(f lockv2.File, name lockv2.Destination) int {
		return strings.Compare(string(f.Destination), string(name))
	})
	if !found {
		return ""
	}
	return "/files/" + strconv.Itoa(i) + "/destination"
}

func (p *placer) pointed(file lockv2.Destination, pointer string) *place {
	at := &place{file: file}
	t := p.texts[file]
	if t == nil {
		t = &text{}
		p.texts[file] = t
	}
	t.pointers = append(t.pointers, pointer)
	t.at = append(t.at, at)
	return at
}

// locate reads each file that something is to be found in.
func (p *placer) locate() {
	if p.root == nil {
		return
	}
	for file, t := range p.texts {
		b, err := p.root.ReadFile(file, bound(file))
		if err != nil {
			continue // which is most likely the fault itself
		}
		t.locate(b)
	}
}

func (t *text) locate(b []byte) {
	if syntax := syntaxError(b, t.pointers); syntax != nil {
		for _, at := range t.at {
			at.line, at.column = syntax.Line, codePoints(lineAt(b, syntax.Line), syntax.Column)
		}
		return
	}
	for i, found := range jsonplace.Find(b, t.pointers...) {
		if t.pointers[i] == "" || found.Line == 0 {
			continue // the file as a whole
		}
		t.at[i].line = found.Line
		t.at[i].column = codePoints(b[found.Begin-(found.Column-1):], found.Column)
	}
}

// syntaxError returns where a text stops being JSON. Where pointers lead into it somebody could read it.
func syntaxError(b []byte, pointers []string) *strictjson.Error {
	if slices.ContainsFunc(pointers, func(pointer string) bool { return pointer != "" }) {
		return nil
	}
	var syntax *strictjson.Error
	if _, err := strictjson.Parse(b, 0); errors.As(err, &syntax) {
		return syntax
	}
	return nil
}

// lineAt returns the text from the beginning of a line on.
func lineAt(b []byte, line int) []byte {
	for ; line > 1; line-- {
		_, after, found := bytes.Cut(b, []byte{'\n'})
		if !found {
			return nil
		}
		b = after
	}
	return b
}

// codePoints turns a column in bytes into one in code points; line begins with the line.
func codePoints(line []byte, column int) int {
	return 1 + utf8.RuneCount(line[:min(max(column-1, 0), len(line))])
}
