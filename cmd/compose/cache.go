package main

import (
	"fmt"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/strictjson"
)

type cacheCommand struct {
	Show  cacheShowCommand  `cmd:"" default:"1" help:"List the fetched catalogs and their revisions."`
	Check cacheCheckCommand `cmd:"" help:"Read every object of every fetched catalog."`
	Prune cachePruneCommand `cmd:"" help:"Remove what was not used for a while."`
}

type cacheShowCommand struct {
	cacheFlag
}

func (c *cacheShowCommand) Help() string {
	return "What is there can be composed with --offline."
}

func (c *cacheShowCommand) Run(s *session) error {
	entries, err := gitcache.New(c.options()).List(s.ctx)
	if err != nil {
		return err
	}
	return answerEntries(s, entries, exitDone)
}

type cacheCheckCommand struct {
	cacheFlag
	Remove bool `help:"Remove what is damaged; it is fetched anew when it is needed."`
}

func (c *cacheCheckCommand) Help() string {
	return "Every object is hashed, and all that a revision needs is looked for. Exit 2 where something is damaged. plan and apply find out themselves, and fetch anew; this command is for a look ahead, such as before a day without a network."
}

func (c *cacheCheckCommand) Run(s *session) error {
	s.working("reading the cache")
	entries, err := gitcache.New(c.options()).Check(s.ctx, catalog.Folders(), c.Remove)
	if err != nil {
		return err
	}
	exit := exitDone
	for _, e := range entries {
		if e.Fault != nil {
			exit = exitRefused
		}
	}
	return answerEntries(s, entries, exit)
}

type cachePruneCommand struct {
	cacheFlag
	Unused time.Duration `default:"720h" placeholder:"DURATION" help:"Keep what was used in this time (default: 720h, 30 days)."`
	All    bool          `help:"Remove everything that is not in use."`
}

func (c *cachePruneCommand) Help() string {
	return "Nothing is lost: what is needed again is fetched again. A catalog that another compose is reading stays."
}

func (c *cachePruneCommand) Run(s *session) error {
	unused := c.Unused
	switch {
	case unused <= 0 && !c.All:
		return &usageError{msg: "--unused needs a time above zero, such as 720h; to remove everything, use --all"}
	case c.All:
		unused = 0
	}
	entries, err := gitcache.New(c.options()).Prune(s.ctx, unused)
	if err != nil {
		return err
	}
	return answerEntries(s, entries, exitDone)
}

// answerEntries prints entries of the cache.
func answerEntries(s *session, entries []*gitcache.Entry, exit int) error {
	doc := strictjson.Obj(strictjson.F("entries", strictjson.List(entries, entryDocument)))
	return s.answer(doc, func(w *textWriter) {
		for _, e := range entries {
			note := ""
			if e.Removed() {
				note = ", removed"
			}
			w.line("%s: %s, %s%s", entryName(e), diag.Count(len(e.Revisions), "revision"), sizeText(e.Bytes), note)
			if e.Fault != nil {
				w.hanging(2, spans("%s ", bad("!")), "%v", e.Fault)
			}
			if w.verbose {
				for _, revision := range e.Revisions {
					w.line("  %s", revision)
				}
			}
		}
		if len(entries) == 0 {
			w.line("The cache is empty.")
		}
	}, exit)
}

func entryName(e *gitcache.Entry) string {
	if e.URL == "" {
		return "(unreadable)"
	}
	return e.URL
}

func entryDocument(e *gitcache.Entry) strictjson.Value {
	url := strictjson.Value{Kind: strictjson.Null}
	if e.URL != "" {
		url = strictjson.Str(validText(e.URL))
	}
	members := []strictjson.Member{
		strictjson.F("url", url),
		strictjson.F("revisions", strictjson.Strs(e.Revisions)),
		strictjson.F("bytes", strictjson.Int(e.Bytes)),
		strictjson.F("removed", strictjson.Boolean(e.Removed())),
	}
	if e.Fault != nil {
		members = append(members, strictjson.F("fault", strictjson.Str(validText(e.Fault.Error()))))
	}
	return strictjson.Obj(members...)
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return diag.Count(int(n), "byte")
}
