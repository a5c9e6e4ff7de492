// Command contextcache is an example: a cache of rendered texts that restores one only when its variables, its options
// and its whole composition are what they were. It prints the text of a template with its includes expanded and
// {{ name }} replaced, and says on standard error whether that was restored or rendered.
//
//	go run ./docs/examples/contextcache -root DIR -cache DIR -variables FILE -options FILE TEMPLATE
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/compose/resolver/include"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "contextcache:", err)
		os.Exit(2)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("contextcache", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", ".", "the folder that includes stay in")
	cache := flags.String("cache", "", "the folder of the cache")
	variables := flags.String("variables", "", "a JSON object of texts")
	options := flags.String("options", "", "a JSON document: how the text is rendered")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *cache == "" || *variables == "" || *options == "" {
		return fmt.Errorf("want -cache, -variables, -options and one template")
	}
	vars, err := os.ReadFile(*variables)
	if err != nil {
		return err
	}
	opts, err := os.ReadFile(*options)
	if err != nil {
		return err
	}
	text, restored, err := restoreOrRender(context.Background(), Cache{Folder: *cache}, *root, flags.Arg(0), vars, opts)
	if err != nil {
		return err
	}
	fmt.Fprintln(stderr, map[bool]string{true: "restored", false: "rendered"}[restored])
	_, err = io.WriteString(stdout, text)
	return err
}

// restoreOrRender returns the text of a template, from the cache where it is good, and whether it was.
func restoreOrRender(ctx context.Context, cache Cache, root, start string, variables, options []byte) (string, bool, error) {
	folder, err := include.OpenFolder(include.FolderOptions{Root: root})
	if err != nil {
		return "", false, err
	}
	defer folder.Close()
	at, err := folder.Start(start)
	if err != nil {
		return "", false, err
	}
	// A graph that is missing a file, has a cycle or is too deep ends here: it has no identity, so nothing is restored.
	composition, err := include.Resolve(ctx, folder, at, include.Options{})
	if err != nil {
		return "", false, err
	}
	id, err := Identify(composition, variables, options)
	if err != nil {
		return "", false, err
	}
	if text, ok := cache.Restore(id); ok {
		return text, true, nil
	}
	text, err := render(composition, variables)
	if err != nil {
		return "", false, err
	}
	return text, false, cache.Store(id, text)
}

// render replaces {{ name }} in the expanded text.
func render(composition *include.Composition, variables []byte) (string, error) {
	var text strings.Builder
	if err := composition.Expand(&text); err != nil {
		return "", err
	}
	var values map[string]any
	if err := json.Unmarshal(variables, &values); err != nil {
		return "", err
	}
	var pairs []string
	for name, value := range values {
		if value, ok := value.(string); ok {
			pairs = append(pairs, "{{ "+name+" }}", value)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text.String()), nil
}
