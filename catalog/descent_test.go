package catalog_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
)

// refusal returns the code, the message and the hint of an error.
func refusal(t *testing.T, err error) (code, text string) {
	t.Helper()
	var coded diag.Coded
	if !errors.As(err, &coded) {
		t.Fatalf("got %v", err)
	}
	return coded.Code(), coded.Error() + "\n" + coded.Hint()
}

func TestCheckDescends(t *testing.T) {
	ctx := context.Background()
	folder, git := checkout(t, sound().Files())
	next := func(message string) string {
		git("commit", "-q", "--allow-empty", "-m", message)
		return git("rev-parse", "HEAD")
	}
	first, second := git("rev-parse", "HEAD"), next("second")
	git("switch", "-q", "-c", "side", first)
	side := next("side")
	git("switch", "-q", "-")
	tests := []struct {
		name, revision, old string
		code                string // "" for none
		says                []string
	}{
		{"equal", second, second, "", nil},
		{"a descendant", second, first, "", nil},
		{"behind", first, second, catalog.CodeSourceRevisionNotDescendant, []string{first, "earlier revision than the lock, " + second, "--revision " + second}},
		{"another branch", side, second, catalog.CodeSourceRevisionNotDescendant, []string{side, "does not descend from the lock's revision " + second, "git -C " + folder + " log"}},
		{"not there", second, strings.Repeat("ab", 20), catalog.CodeOldSourceRevisionUnavailable, []string{"not here", "fetch --all"}},
		{"a tree", second, git("rev-parse", "HEAD^{tree}"), catalog.CodeOldSourceRevisionUnavailable, []string{"of a tree"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := catalog.Open(ctx, folder, test.revision)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.CheckDescends(ctx, lockv2.Revision(test.old))
			if test.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			got, text := refusal(t, err)
			if got != test.code {
				t.Errorf("got code %s", got)
			}
			for _, part := range test.says {
				if !strings.Contains(text, part) {
					t.Errorf("%s\ndoes not say %q", text, part)
				}
			}
		})
	}

	clone := t.TempDir()
	git("clone", "-q", "--depth=1", "file://"+folder, clone)
	s, err := catalog.Open(ctx, clone, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, text := refusal(t, s.CheckDescends(ctx, lockv2.Revision(first))); got != catalog.CodeOldSourceRevisionUnavailable || !strings.Contains(text, "shallow clone") || !strings.Contains(text, "fetch --unshallow") {
		t.Errorf("%s: %s", got, text)
	}
	git("-C", clone, "fetch", "-q", "--unshallow")
	if err := s.CheckDescends(ctx, lockv2.Revision(first)); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.CheckDescends(ended, lockv2.Revision(first)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheckDescendsStarter(t *testing.T) {
	ctx := context.Background()
	revisions, err := starter.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	for i, of := range revisions {
		s, err := catalog.Open(ctx, starter.Location, string(of))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for k, old := range revisions {
			err := s.CheckDescends(ctx, old)
			if k <= i && err != nil {
				t.Errorf("%d to %d: %v", k, i, err)
			}
			if k > i {
				if got, _ := refusal(t, err); got != catalog.CodeSourceRevisionNotDescendant {
					t.Errorf("%d to %d: %v", k, i, err)
				}
			}
		}
		if got, text := refusal(t, s.CheckDescends(ctx, lockv2.Revision(strings.Repeat("ab", 20)))); got != catalog.CodeOldSourceRevisionUnavailable || strings.Contains(text, "git -C") {
			t.Errorf("%s: %s", got, text)
		}
	}
}
