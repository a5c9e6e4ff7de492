package gitconfig_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/compose/internal/gitconfig"
)

func TestAddFile(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	top := write("top", "[a]\nk = 1\n[include]\npath = more\npath = ~/none\npath = ~/home\n[a]\nk = 3\n[includeIf \"yes\"]\npath = if\n[includeIf \"no\"]\npath = loop\n")
	write("more", "[a]\nk = 2\nlist\n")
	write("home", "[a]\nhome = true\n")
	write("if", "[b \"X.y\"]\nk = off\n")
	write("loop", "[include]\npath = loop\n")
	write("twice", "[include]\npath = more\npath = twice\n")

	var none, all gitconfig.Config
	if err := none.AddFile(top, gitconfig.Includes{}); err != nil {
		t.Fatal(err)
	}
	follow := gitconfig.Includes{Follow: true, Home: folder, Holds: func(condition, _ string) bool { return condition == "yes" }}
	if err := all.AddFile(top, follow); err != nil {
		t.Fatal(err)
	}
	if k, _ := none.Last("a.k"); k != "3" || none.Bool("a.list", false) {
		t.Errorf("without includes: %v", none.Entries())
	}
	if k, _ := all.Last("a.k"); k != "3" || !all.Bool("a.list", false) || !all.Bool("a.home", false) || all.Bool("b.X.y.k", true) {
		t.Errorf("with includes: %v", all.Entries())
	}
	if got := all.Names("b."); !reflect.DeepEqual(got, []string{"X.y.k"}) {
		t.Errorf("names: %q", got)
	}
	if all.AnyTrue("b.", ".k") || !all.AnyTrue("a.", "list") {
		t.Errorf("any: %v", all.Entries())
	}
	for _, name := range []string{"loop", "twice"} {
		if err := new(gitconfig.Config).AddFile(filepath.Join(folder, name), follow); err == nil || !strings.Contains(err.Error(), "nest deeper") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := new(gitconfig.Config).AddFile(write("large", strings.Repeat("#", gitconfig.MaxBytes+1)), follow); err == nil {
		t.Error("a large file is read")
	}
	if err := new(gitconfig.Config).AddFile(write("many", "[a]\n"+strings.Repeat("k\n", 200_001)), follow); err == nil || !strings.Contains(err.Error(), "settings") {
		t.Errorf("many settings: %v", err)
	}
	if err := new(gitconfig.Config).AddFile(filepath.Join(top, "none"), follow); err != nil {
		t.Errorf("below a file: %v", err)
	}
}

func TestParseBool(t *testing.T) {
	for text, want := range map[string][2]bool{
		"true": {true, true}, "YES": {true, true}, "on": {true, true}, "1": {true, true}, "-1": {true, true}, "0x10": {true, true},
		"false": {false, true}, "No": {false, true}, "off": {false, true}, "0": {false, true}, "": {false, true}, "maybe": {false, false},
	} {
		if got, ok := gitconfig.ParseBool(text); got != want[0] || ok != want[1] {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
