package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// answers reads what git cat-file --batch writes: a line of id, type and size, the bytes, a line feed.
type answers struct{ *bufio.Reader }

func newAnswers(r io.Reader) answers { return answers{bufio.NewReaderSize(r, 64<<10)} }

func (a answers) next() ([]byte, error) {
	head, err := a.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(string(bytes.TrimSpace(head[bytes.LastIndexByte(head, ' ')+1:])))
	if err != nil {
		return nil, fmt.Errorf("git answers %q", head)
	}
	content := make([]byte, size+1)
	_, err = io.ReadFull(a, content)
	return content[:size], err
}
