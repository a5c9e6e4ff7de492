package gitcache_test

import (
	"testing"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/giturl"
)

// servers returns the ways to serve a repository.
func servers() []server {
	return []server{
		{name: "a file URL", partial: true, anything: true, start: func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
			return r.url(), gitcache.Options{}
		}},
	}
}
