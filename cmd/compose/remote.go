package main

import (
	"fmt"
	"os"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/internal/gitcache"
)

// cacheOptions say where fetched sources are kept and how servers are reached.
func (c *remoteFlags) cacheOptions(s *session) catalog.CacheOptions {
	opts := c.cacheFlag.options()
	opts.Offline = c.Offline
	opts.Getenv = os.Getenv
	opts.Home, _ = os.UserHomeDir() // without one there are no files of the user to look at
	opts.Idle, _ = time.ParseDuration(os.Getenv("COMPOSE_IDLE_TIMEOUT"))
	opts.Progress = s.fetchProgress()
	return opts
}

func (c *cacheFlag) options() catalog.CacheOptions {
	opts := catalog.CacheOptions{Folder: c.Cache}
	if opts.Folder == "" {
		opts.Folder = gitcache.DefaultFolder()
	}
	return opts
}

// refetched runs a command. Where an object in the cache turns out missing or damaged, the source is fetched anew, and the
// command runs once more.
func refetched[T any](s *session, c *sourceFlags, run func() (T, error)) (T, error) {
	got, err := run()
	if err == nil || c.opened == nil || c.Offline {
		return got, err
	}
	refetch := c.opened.Refetch(err)
	if refetch == nil {
		return got, err
	}
	s.warn(fmt.Sprintf("the cache of %s is damaged and is fetched anew: %v", catalog.Shown(c.Source), err))
	if err := refetch(s.ctx); err != nil {
		return got, err
	}
	return run()
}
