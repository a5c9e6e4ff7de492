package main

import (
	"io"
	"os/exec"
	"strings"
)

// plan hashes the target while git says what both revisions hold and what the changed blobs are.
func plan(manifest, root, repository, blobs string) error {
	asked := make(chan error, 1)
	go func() {
		for _, revision := range []string{"A", "B"} {
			if _, err := exec.Command("git", "-C", repository, "ls-tree", "-r", "-z", revision).Output(); err != nil {
				asked <- err
				return
			}
		}
		asked <- readBlobs(repository, blobs, func(string, []byte) {})
	}()
	if err := check(manifest, root); err != nil {
		return err
	}
	return <-asked
}

// readBlobs gives path and bytes of each line of a file, as git cat-file sends them. The bytes are new for each call.
func readBlobs(repository, blobs string, each func(path string, content []byte)) error {
	list, err := lines(blobs)
	if err != nil {
		return err
	}
	git := exec.Command("git", "-C", repository, "cat-file", "--batch")
	var ids strings.Builder
	for _, line := range list {
		ids.WriteString(line[:strings.IndexByte(line, ' ')+1])
	}
	git.Stdin = strings.NewReader(strings.ReplaceAll(ids.String(), " ", "\n"))
	pipe, err := git.StdoutPipe()
	if err == nil {
		err = git.Start()
	}
	if err != nil {
		return err
	}
	answers := newAnswers(pipe)
	for _, line := range list {
		content, err := answers.next()
		if err != nil {
			_, _ = io.Copy(io.Discard, pipe)
			_ = git.Wait() // the error is told
			return err
		}
		each(line[strings.IndexByte(line, ' ')+1:], content)
	}
	return git.Wait()
}
