package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"example.org/compose/catalog"
	"example.org/compose/lockv2"
	"example.org/compose/txn"
)

// cacheOptions say where fetched sources are kept and how servers are reached.
func (c *remoteFlags) cacheOptions(s *session) (catalog.CacheOptions, error) {
	opts := c.cacheFlag.options()
	opts.Offline = c.Offline
	opts.Getenv, opts.Environ = os.Getenv, os.Environ
	opts.Home, _ = os.UserHomeDir() // without one there are no files of the user to look at
	opts.Progress = s.fetchProgress()
	opts.Warn = s.warn
	remedy := commandLineOf{"compose cache check --remove"}
	if c.Cache != os.Getenv("COMPOSE_CACHE") {
		remedy.flag("--cache", c.Cache)
	}
	opts.Remedy = remedy.String()
	if text := os.Getenv("COMPOSE_IDLE_TIMEOUT"); text != "" {
		idle, err := time.ParseDuration(text)
		if err != nil || idle <= 0 || idle > 24*time.Hour {
			return opts, &usageError{msg: fmt.Sprintf("COMPOSE_IDLE_TIMEOUT is %q, which is no duration such as 30s, of a day at most", text)}
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

// checkCachePlace refuses a cache where the composer's own files belong, or in a target that is not there yet: to fetch would make it.
func (c *choiceFlags) checkCachePlace() error {
	cache := c.options().Folder
	if _, remote, err := catalog.ParseLocation(c.Source); err != nil || !remote || cache == "" {
		return nil
	}
	taken := filepath.Join(c.Target, lockv2.StateFolder)
	if _, err := os.Lstat(c.Target); errors.Is(err, fs.ErrNotExist) {
		taken = c.Target
	}
	if inside(taken, cache) {
		return &usageError{msg: "--cache names a place in " + taken + ", which is not for it; name a folder outside of the target"}
	}
	return nil
}

// inside reports whether a path is a folder or something in it.
func inside(folder, path string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
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
