package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// showLine is the key that shows the line as it stands.
const showLine = "\x18\x10" // Ctrl-X Ctrl-P

// startup are the files that a shell begins with: the completion as printed, and a key that shows the line.
var startup = map[string]string{
	"bash": `. ./script
PS1='ready> '
bind 'set enable-bracketed-paste off' 'set bell-style none'
shown() { printf 'LINE<%s>\n' "$READLINE_LINE"; }
bind -x '"\C-x\C-p": shown'
`,
	"zsh":                      zshBegins + ". ./script\n" + zshShows,
	"zsh with a function path": "mkdir functions; cp script functions/_compose; fpath=($PWD/functions $fpath)\n" + zshBegins + zshShows,
}

const (
	zshBegins = `autoload -Uz compinit && compinit -D -u
`
	zshShows = `PS1='ready> ' PROMPT_EOL_MARK=
unsetopt beep list_beep zle_bracketed_paste
unset zle_bracketed_paste
setopt no_auto_menu
shown() { print -r -- "LINE<$BUFFER>" }
zle -N shown
bindkey '^I' complete-word
bindkey '^X^P' shown
`
)

// shell starts one on a terminal, in a folder with a composed target t and a catalog's script.
func shell(t *testing.T, kind string) *terminal {
	t.Helper()
	name, _, _ := strings.Cut(kind, " ")
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name, "is not installed")
	}
	dir := completed(t, name)
	rc := filepath.Join(dir, "."+name+"rc")
	if err := os.WriteFile(rc, []byte(startup[kind]), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &terminal{t: t}
	switch name {
	case "bash":
		p.command = exec.Command(path, "--noprofile", "--rcfile", rc, "-i")
	case "zsh":
		p.command = exec.Command(path, "-d", "-i")
	}
	p.command.Dir = dir
	p.command.Env = completionEnv(dir)
	p.start()
	p.expect("ready> ")
	return p
}

// completed makes the folder of these tests.
func completed(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"apply", "--recipe", "skill", "--target", "t"},
		{"apply", "--recipe", "skill", "--target", "with space"},
	} {
		if out, err := ran(dir, "compose", args...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, file := range []string{"composition.json", "it's.json"} {
		if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script, err := ran(dir, "compose", "completion", name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func ran(dir, program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Dir, command.Env = dir, completionEnv(dir)
	out, err := command.Output()
	return string(out), err
}

func completionEnv(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "COMPOSE_") || strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "HISTFILE=")
	})
	return append(env, "TERM=dumb", "COLUMNS=200", "HOME="+dir, "ZDOTDIR="+dir, "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "INPUTRC=/dev/null")
}

// In real shells, what is typed and then completed is the line that was meant.
func TestCompletionInShells(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program some hundred times")
	}
	for _, name := range []string{"bash", "zsh", "zsh with a function path"} {
		t.Run(name, func(t *testing.T) {
			p := shell(t, name)
			for _, test := range []struct{ typed, want string }{
				{"compose pl", "compose plan "},
				{"FOO=1 compose pl", "FOO=1 compose plan "},
				{"true; compose pl", "true; compose plan "},
				{"true | compose pl", "true | compose plan "},
				{"(compose pl", "(compose plan "},
				{"compose plan --mod", "compose plan --mode "},
				{"compose plan --mode upd", "compose plan --mode update "},
				{"compose plan --mode=upd", "compose plan --mode=update "},
				{"compose plan --mode up", "compose plan --mode up"}, // update and upgrade
				{"compose --color ne", "compose --color never "},
				{"compose plan --recipe sk", "compose plan --recipe skill "},
				{"compose graph --recipe=service --exclude capability.cont", "compose graph --recipe=service --exclude capability.container "},
				{"compose graph --as s", "compose graph --as svg "},
				{"compose catalog new rec", "compose catalog new recipe "},
				{"compose help recov", "compose help recovery "},
				{"compose help LOCAL_", "compose help LOCAL_MODIFICATION "},
				{"compose plan --source builtin:", "compose plan --source builtin:starter "},
				{"compose explain --target t do", "compose explain --target t docs/"},
				{"compose explain --target t docs/rel", "compose explain --target t docs/releasing.md "},
				{"compose explain --target 'with space' docs/rel", "compose explain --target 'with space' docs/releasing.md "},
				{`compose explain --target with\ space "docs/rel`, `compose explain --target with\ space "docs/releasing.md" `},
				{"compose explain --target t 'docs/rel", "compose explain --target t 'docs/releasing.md' "},
				{"compose plan --config compos", "compose plan --config composition.json "},
				{"compose plan --config=compos", "compose plan --config=composition.json "},
				{"compose plan --config it", `compose plan --config it\'s.json `},
				{"compose plan --target wi", `compose plan --target with\ space/`},
				{"compose plan --nothing-like-it", "compose plan --nothing-like-it"},
				{"compose plan --recipe nothing-like-it", "compose plan --recipe nothing-like-it"},
				{"compose explain --target t '$(touch pwned)", "compose explain --target t '$(touch pwned)"},
				{"compose explain --target \"$(touch pwned)\" do", "compose explain --target \"$(touch pwned)\" do"},
				{"compose explain --target ';touch pwned;' do", "compose explain --target ';touch pwned;' do"},
			} {
				p.typed(test.typed + "\t" + showLine)
				p.expect("LINE<")
				p.expect(">\r\n")
				shown := p.seen[:p.at-len(">\r\n")]
				if got := shown[strings.LastIndex(shown, "LINE<")+len("LINE<"):]; got != test.want {
					t.Errorf("%s\ngot  %s\nwant %s", test.typed, got, test.want)
				}
				p.typed("\x15") // Ctrl-U: an empty line
			}
			if _, err := os.Stat(filepath.Join(p.command.Dir, "pwned")); err == nil {
				t.Error("a word was run")
			}
		})
	}
}

// fish says itself what it would offer.
func TestCompletionInFish(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program some ten times")
	}
	if _, err := exec.LookPath("fish"); err != nil {
		t.Skip("fish is not installed")
	}
	dir := completed(t, "fish")
	for _, test := range []struct{ typed, want string }{
		{"compose pl", "plan"},
		{"compose plan --mod", "--mode"},
		{"compose plan --mode up", "update upgrade"},
		{"compose plan --mode=upd", "--mode=update"},
		{"compose plan --recipe sk", "skill"},
		{"compose explain --target t do", "docs/"},
		{"compose explain --target 'with space' docs/rel", "docs/releasing.md"},
		{"compose explain --target t \"docs/rel", "docs/releasing.md"},
		{"compose plan --config compos", "composition.json"},
		{"compose plan --config=compos", "--config=composition.json"},
		{"compose plan --target wi", "with space/"},
		{"compose plan --target=wi", "--target=with space/"},
		{"compose explain --target '(touch pwned)' do", ""},
		{"compose plan --recipe nothing-like-it", ""},
	} {
		out, err := ran(dir, "fish", "--no-config", "-c", "source ./script; complete -C $argv[1]", test.typed)
		if err != nil {
			t.Fatal(err, out)
		}
		var words []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			words = append(words, word)
		}
		if got := strings.Join(words, " "); got != test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.typed, got, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("a word was run")
	}
}
