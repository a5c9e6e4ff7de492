package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/txn"
)

// cacheOptions say where fetched sources are kept and how servers are reached.
func (c *remoteFlags) cacheOptions(s *session) (catalog.CacheOptions, error) {
	opts := c.cacheFlag.options()
	opts.Offline = c.Offline
	opts.Getenv = os.Getenv
	opts.Home, _ = os.UserHomeDir() // without one there are no files of the user to look at
	opts.Progress = s.fetchProgress()
	if text := os.Getenv("COMPOSE_IDLE_TIMEOUT"); text != "" {
		idle, err := time.ParseDuration(text)
		if err != nil || idle <= 0 {
			return opts, &usageError{msg: fmt.Sprintf("COMPOSE_IDLE_TIMEOUT is %q, which is no duration such as 30s", text)}
		}
		opts.Idle = idle
	}
	return opts, nil
}

// options name the folder of the cache: the one that was given, else compose's own among the user's caches; "" where there is none.
func (c *cacheFlag) options() catalog.CacheOptions {
	opts := catalog.CacheOptions{Folder: c.Cache}
	if opts.Folder == "" {
		if base, err := os.UserCacheDir(); err == nil {
			opts.Folder = filepath.Join(base, "compose")
		}
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
	var stopped *txn.Error
	unfinished := errors.As(err, &stopped) && stopped.Unfinished // then another command finishes it
	s.warn(fmt.Sprintf("the cache of %s is damaged and is fetched anew: %v", catalog.Shown(c.Source), err))
	if failed := refetch(s.ctx); failed != nil || unfinished {
		return got, err
	}
	return run()
}
