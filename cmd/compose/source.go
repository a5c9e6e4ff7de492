package main

import (
	"os"
	"path/filepath"
	"strconv"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
)

type sourceCommand struct {
	Resolve sourceResolveCommand `cmd:"" help:"Print the commit id that a branch or a tag names now."`
	List    sourceListCommand    `cmd:"" help:"List the tags with their commit ids."`
}

// askedServer is a repository whose refs are asked for.
type askedServer struct {
	URL string `arg:"" placeholder:"URL" help:"The repository: a URL, or the path of a local one."`
}

// open returns the cache through which the repository is asked, and its URL.
func (a *askedServer) open(s *session) (*gitcache.Cache, giturl.URL, error) {
	if a.URL == "" {
		return nil, giturl.URL{}, &usageError{msg: "the URL is empty; name a repository"}
	}
	flags := remoteFlags{}
	flags.Offline, _ = strconv.ParseBool(os.Getenv("COMPOSE_OFFLINE"))
	opts, err := flags.cacheOptions(s)
	if err != nil {
		return nil, giturl.URL{}, err
	}
	cache := gitcache.New(opts)
	if a.URL == starter.Location {
		return nil, giturl.URL{}, &usageError{msg: starter.Location + " has no branches and no tags; its revisions are in docs/starter.md"}
	}
	u, remote, err := catalog.ParseLocation(a.URL)
	if err != nil || remote {
		return cache, u, err
	}
	path, err := filepath.Abs(a.URL)
	if err != nil {
		return nil, u, &commandError{diag.Wrap(codeReadFailed, a.URL, "the folder can't be found", plainfile.Cause(err))}
	}
	return cache, giturl.URL{Scheme: "file", Path: filepath.ToSlash(path)}, nil
}

type sourceResolveCommand struct {
	askedServer
	Ref string `default:"HEAD" placeholder:"NAME" help:"A branch, a tag, or a whole ref name (default: HEAD, the default branch)."`
}

func (c *sourceResolveCommand) Help() string {
	return `A branch and a tag can move, so no other command takes one: what is composed is named by a full commit id. This command asks the server, each time, and changes nothing.

  compose source resolve https://git.example.org/platform/templates.git --ref main
  ID=$(compose source resolve https://git.example.org/platform/templates.git --format human)
  compose plan --mode update --source https://git.example.org/platform/templates.git --revision "$ID"`
}

func (c *sourceResolveCommand) Run(s *session) error {
	cache, u, err := c.open(s)
	if err != nil {
		return err
	}
	ref, err := cache.Resolve(s.ctx, u, c.Ref)
	if err != nil {
		return err
	}
	doc := strictjson.Obj(
		strictjson.F("url", strictjson.Str(validText(catalog.Shown(c.URL)))),
		strictjson.F("ref", strictjson.Str(validText(ref.Name))),
		strictjson.F("revision", strictjson.Str(ref.Revision)),
	)
	return s.answer(doc, func(w *textWriter) { w.line("%s", ref.Revision) }, exitDone)
}

type sourceListCommand struct {
	askedServer
}

func (c *sourceListCommand) Help() string {
	return "Asks the server, each time. The id of an annotated tag is that of the commit which it names."
}

func (c *sourceListCommand) Run(s *session) error {
	cache, u, err := c.open(s)
	if err != nil {
		return err
	}
	tags, err := cache.Tags(s.ctx, u)
	if err != nil {
		return err
	}
	doc := strictjson.Obj(
		strictjson.F("url", strictjson.Str(validText(catalog.Shown(c.URL)))),
		strictjson.F("tags", strictjson.List(tags, func(r gitcache.Ref) strictjson.Value {
			return strictjson.Obj(
				strictjson.F("name", strictjson.Str(validText(r.Name))),
				strictjson.F("revision", strictjson.Str(r.Revision)),
			)
		})),
	)
	return s.answer(doc, func(w *textWriter) {
		for _, tag := range tags {
			w.line("%s  %s", tag.Revision, tag.Name)
		}
		if len(tags) == 0 {
			w.line("There are no tags.")
		}
	}, exitDone)
}
