package credential

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	maxAnswerBytes = 64 << 10
	// pipeDelay is how long the end of the answer is waited for once the helper has ended: it may have left something running.
	pipeDelay = 2 * time.Second
)

// settled are the variables that a helper gets from the finder's environment, so that it reads the same configuration.
var settled = []string{"HOME", "PATH", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"}

// unasked are the variables that keep git and the helpers that are in use from asking a person.
var unasked = []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never"}

// ask runs a helper with the operation get. What it says on standard error is dropped: it may be the secret.
func (f *Finder) ask(ctx context.Context, helper, request string) (answer, error) {
	args, err := f.commandOf(helper)
	if err != nil {
		return answer{}, err
	}
	timeout := cmp.Or(f.timeout, defaultTimeout)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = f.environment()
	cmd.Dir = f.Home // not a folder that somebody else may have filled; "" is the current one
	if info, err := os.Stat(f.Home); err != nil || !info.IsDir() {
		cmd.Dir = ""
	}
	cmd.Stdin = strings.NewReader(request)
	out := &bounded{limit: maxAnswerBytes, over: cancel}
	cmd.Stdout = out
	cmd.WaitDelay = pipeDelay
	detach(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case out.isOver:
		return answer{}, fmt.Errorf("says more than %d bytes", maxAnswerBytes)
	case ctx.Err() != nil:
		return answer{}, fmt.Errorf("does not answer within %s", timeout)
	case errors.As(err, &exit):
		err = fmt.Errorf("ends with %s", exit.ProcessState)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil
	case err != nil:
		return answer{}, errors.New("can't be run")
	}
	// As in git, an answer counts whatever the status.
	a, problem := parseAnswer(out.text.String(), f.clock().Unix())
	return a, cmp.Or(err, problem)
}

// commandOf is the command line of a helper: through a shell, as git runs it.
func (f *Finder) commandOf(helper string) ([]string, error) {
	line, isShell := strings.CutPrefix(helper, "!")
	if !isShell && !filepath.IsAbs(helper) {
		var err error
		if line, err = f.gitCommand(helper); err != nil {
			return nil, err
		}
	}
	line += " get"
	if shell, ok := f.lookPath("sh"); ok {
		return []string{shell, "-c", line}, nil
	}
	if words := strings.Fields(line); runtime.GOOS == "windows" && !isShell && !strings.ContainsAny(line, "\"'`$&|;<>()*?\\~") {
		if program, ok := f.lookPath(words[0]); ok {
			return append([]string{program}, words[1:]...), nil
		}
	}
	return nil, errors.New("needs sh, which is not in PATH")
}

// gitCommand finds the program of a helper that has a name alone.
func (f *Finder) gitCommand(helper string) (string, error) {
	name, args, _ := strings.Cut(helper, " ")
	if strings.ContainsAny(name, "/\\") {
		return "", errors.New("has a relative path; name it in full")
	}
	if _, ok := f.lookPath("git-credential-" + name); ok {
		return "git-credential-" + helper, nil
	}
	if _, ok := f.lookPath("git"); ok {
		return "git credential-" + helper, nil
	}
	for _, folder := range []string{f.env("GIT_EXEC_PATH"), "/usr/lib/git-core", "/usr/libexec/git-core", "/usr/local/libexec/git-core", "/opt/homebrew/opt/git/libexec/git-core"} {
		path := filepath.Join(folder, "git-credential-"+name)
		if folder != "" && isProgram(path) {
			return strings.TrimSpace("'" + strings.ReplaceAll(path, "'", `'\''`) + "' " + args), nil
		}
	}
	return "", errors.New("is not installed")
}

// lookPath finds a program in the PATH of the finder's environment; folders that are not absolute are passed by.
func (f *Finder) lookPath(name string) (string, bool) {
	if runtime.GOOS == "windows" && filepath.Ext(name) == "" {
		name += ".exe"
	}
	for _, folder := range filepath.SplitList(f.env("PATH")) {
		if path := filepath.Join(folder, name); filepath.IsAbs(folder) && isProgram(path) {
			return path, true
		}
	}
	return "", false
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// environment is that of a helper: all of it, with what is settled and unasked in its place.
func (f *Finder) environment() []string {
	var env []string
	if f.Environ != nil {
		env = slices.Clone(f.Environ())
	}
	env = slices.DeleteFunc(env, func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return slices.Contains(settled, name) || slices.ContainsFunc(unasked, func(u string) bool { return strings.HasPrefix(u, name+"=") })
	})
	for _, name := range settled {
		if value := f.env(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return append(env, unasked...)
}

// bounded keeps what is written, up to a limit; past it, over is called.
type bounded struct {
	text   bytes.Buffer
	limit  int
	isOver bool
	over   func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.limit {
		b.isOver = true
		b.over()
		return 0, errors.New("too much")
	}
	return b.text.Write(p)
}
