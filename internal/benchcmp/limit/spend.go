package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"time"
)

// spent is what a program took.
type spent struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes of memory; 0 where the system does not tell
}

// spend runs a program without input and output, its complaints passed on.
func spend(to string, argv []string) error {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	began := time.Now()
	p, err := os.StartProcess(program, argv, &os.ProcAttr{Files: []*os.File{null, null, os.Stderr}})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	wall := time.Since(began)
	if err != nil {
		return err
	}
	if !state.Success() {
		return &exec.ExitError{ProcessState: state}
	}
	text, err := json.Marshal(spent{Wall: wall, CPU: state.UserTime() + state.SystemTime(), Peak: peak(state)})
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
