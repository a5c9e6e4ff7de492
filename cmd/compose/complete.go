package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/manual"
	"example.org/compose/internal/scaffold"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/resolver"
)

// completeWord is the hidden command that the scripts of compose completion call.
const completeWord = "complete"

// completionPatience bounds what a key press may lead to; who waits for less long interrupts it.
const completionPatience = 10 * time.Second

// complete answers a shell: complete -- WORDS..., or of bash complete --bash BREAKS -- LINE. Whatever goes wrong, nothing is
// printed, since it would land in the middle of a command line.
func complete(args []string, out io.Writer) {
	ctx, stop := context.WithTimeout(context.Background(), completionPatience)
	defer stop()
	var line manual.Line
	bash := len(args) == 4 && args[0] == "--bash" && args[2] == "--"
	switch {
	case bash:
		read, ok := manual.ParseLine(args[3], args[1])
		if !ok {
			return
		}
		line = read
	case len(args) > 0 && args[0] == "--":
		line.Words = args[1:]
	default:
		return
	}
	program, err := described(line.Words)
	if err != nil {
		return
	}
	at := program.Locate(line.Words)
	list := at.Fitting(append(at.Known(), found(ctx, at)...))
	kind := at.Kind()
	if len(list) > 0 && strings.Contains(at.Typed, ":") {
		kind = manual.Words // no path has a colon there: it is a URL
	}
	if bash {
		_, _ = io.WriteString(out, line.Reply(kind, list))
		return
	}
	_, _ = io.WriteString(out, manual.Answer(kind, list))
}

// found returns the candidates that depend on what is there: the source, the cache, the target. Nothing is asked of a server.
func found(ctx context.Context, at *manual.Place) []manual.Candidate {
	if at.Command == nil {
		return nil
	}
	f := &finder{ctx: ctx, Place: at}
	name := at.Command.Name()
	if at.Arg != nil {
		switch at.Arg.Value {
		case "DESTINATION":
			return f.destinations()
		case "URL":
			return f.urls()
		case "TOPIC":
			return helpCandidates(at)
		}
	}
	if at.Flag == nil {
		return nil
	}
	switch at.Flag.Name {
	case "recipe":
		if name != "catalog init" { // there it is a new one
			return f.recipes()
		}
	case "include", "exclude", "parameter":
		return f.components()
	case "source":
		return append([]manual.Candidate{{Word: builtinSource, About: "the catalog inside of compose"}}, f.urls()...)
	case "revision":
		return f.revisions()
	}
	return nil
}

// finder looks at what a command line names.
type finder struct {
	*manual.Place
	ctx context.Context
}

// given is the last value of a flag, or what is meant without one.
func (f *finder) given(flag, without string) string {
	values := f.Flags[flag]
	if len(values) == 0 || values[len(values)-1] == "" {
		return without
	}
	value := values[len(values)-1]
	if below, ok := strings.CutPrefix(value, "~/"); ok { // the shell expands it later
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, below)
		}
	}
	return value
}

func (f *finder) cache() catalog.CacheOptions {
	flag := cacheFlag{Cache: f.given("cache", os.Getenv("COMPOSE_CACHE"))}
	opts := flag.options()
	opts.Offline = true
	return opts
}

// lock returns the target's; nil where it can't be had.
func (f *finder) lock() *lockv2.Lock {
	root, err := openTarget(f.given("target", "."))
	if err != nil {
		return nil
	}
	defer root.Close()
	managed, err := planner.ReadManaged(root)
	if err != nil {
		return nil
	}
	return managed.Lock
}

// catalog loads the source at the revision that is given, else at the one that is likeliest to be meant; nil where it
// can't be had. Close the source.
func (f *finder) catalog() (*catalog.Catalog, *catalog.Source) {
	source, err := f.open(f.given("source", usualSource()), f.given("revision", ""))
	if err != nil {
		return nil, nil
	}
	loaded, err := catalog.Load(f.ctx, source)
	if err != nil {
		source.Close()
		return nil, nil
	}
	return loaded, source
}

func (f *finder) open(location, revision string) (*catalog.Source, error) {
	u, remote, err := catalog.ParseLocation(location)
	if err != nil {
		return nil, err
	}
	opts := catalog.Options{Git: gitrepo.OptionsOf(os.Getenv), Cache: f.cache()}
	switch {
	case revision != "" || location == starter.Location:
	case remote:
		if lock := f.lock(); lock != nil {
			revision = string(lock.Source.Revision)
			if source, err := catalog.OpenWith(f.ctx, location, revision, opts); err == nil {
				return source, nil
			}
		}
		for _, r := range f.cached(u.String()) {
			revision = string(r)
		}
	default: // a work tree with changes will do here, and to compare it takes too long
		repo, err := gitrepo.OpenWith(location, opts.Git)
		if err != nil {
			return nil, err
		}
		head, err := repo.Head()
		if err == nil {
			var source *catalog.Source
			if source, err = catalog.Bind(f.ctx, repo, head); err == nil {
				return source, nil
			}
		}
		repo.Close()
		return nil, err
	}
	return catalog.OpenWith(f.ctx, location, revision, opts)
}

// cached returns the revisions of a URL in the cache.
func (f *finder) cached(url string) []lockv2.Revision {
	entries, err := gitcache.New(f.cache()).List(f.ctx)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.URL == url {
			return e.Revisions
		}
	}
	return nil
}

func (f *finder) urls() []manual.Candidate {
	var list []manual.Candidate
	entries, err := gitcache.New(f.cache()).List(f.ctx)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		list = append(list, manual.Candidate{Word: e.URL})
	}
	return list
}

func (f *finder) revisions() []manual.Candidate {
	location := f.given("source", usualSource())
	var all []lockv2.Revision
	if u, remote, err := catalog.ParseLocation(location); err == nil && remote {
		all = f.cached(u.String())
	} else if source, err := f.open(location, ""); err == nil {
		all = []lockv2.Revision{source.Revision()}
		source.Close()
		if location == starter.Location {
			all, _ = starter.Revisions()
		}
	}
	if lock := f.lock(); lock != nil {
		all = append(all, lock.Source.Revision)
	}
	var list []manual.Candidate
	for _, r := range all {
		list = append(list, manual.Candidate{Word: string(r)})
	}
	return list
}

func (f *finder) recipes() []manual.Candidate {
	loaded, source := f.catalog()
	if loaded == nil {
		return nil
	}
	defer source.Close()
	var list []manual.Candidate
	for _, r := range loaded.Recipes {
		list = append(list, manual.Candidate{Word: string(r.ID), About: r.Summary})
	}
	return list
}

// components returns what the recipe lets the flag name, or, where there is no recipe, all that one could.
func (f *finder) components() []manual.Candidate {
	loaded, source := f.catalog()
	if loaded == nil {
		return nil
	}
	defer source.Close()
	recipe := loaded.Recipe(lockv2.RecipeID(f.given("recipe", "")))
	var list []manual.Candidate
	for _, c := range loaded.Components {
		if f.Flag.Name == "parameter" {
			if c.ParametersSchema != nil {
				for _, p := range scaffold.Parameters(*c.ParametersSchema) {
					list = append(list, manual.Candidate{Word: string(c.ID) + "." + p.Name + "=", About: c.Summary})
				}
			}
			continue
		}
		offered := c.ID.Selectable()
		switch {
		case recipe != nil && f.Flag.Name == "include":
			offered = slices.Contains(recipe.Optional, c.ID)
		case recipe != nil:
			offered = slices.Contains(recipe.Default, c.ID)
		}
		if offered && !slices.Contains(f.Flags[f.Flag.Name], string(c.ID)) {
			list = append(list, manual.Candidate{Word: string(c.ID), About: c.Summary})
		}
	}
	return list
}

// destinations returns the files of the lock, and those that the recipe on the command line supplies.
func (f *finder) destinations() []manual.Candidate {
	var all []string
	if lock := f.lock(); lock != nil {
		for i := range lock.Files {
			all = append(all, string(lock.Files[i].Destination))
		}
	}
	if recipe := f.given("recipe", ""); recipe != "" {
		all = append(all, f.supplied(recipe)...)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(d string) bool { return slices.Contains(f.Args, d) })
	return manual.Folded(f.Typed, all)
}

func (f *finder) supplied(recipe string) []string {
	config, err := resolver.FromSelection(recipe, f.Flags["include"], f.Flags["exclude"])
	if err != nil {
		return nil
	}
	loaded, source := f.catalog()
	if loaded == nil {
		return nil
	}
	defer source.Close()
	ids, err := resolver.Resolve(loaded, config)
	if err != nil {
		return nil
	}
	var all []string
	for _, id := range ids {
		for _, m := range loaded.Component(id).Materials {
			all = append(all, string(m.Destination))
		}
	}
	return all
}
