package gitcache_test

import (
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitcache"
	"example.org/compose/internal/gitserver"
	"example.org/compose/internal/giturl"
)

// servers returns the ways to serve a repository.
func servers() []server {
	filter := []string{"uploadpack.allowFilter=true"}
	all := []server{
		{"a file URL", true, true, func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
			return r.url(), gitcache.Options{}
		}},
		{"https", true, true, overHTTPS(gitserver.HTTPOptions{Config: filter})},
		{"https that can't leave out", false, true, overHTTPS(gitserver.HTTPOptions{})},
		{"https of version 0", false, false, overHTTPS(gitserver.HTTPOptions{Protocol: "0", Config: filter})},
		{"https of version 0 for any commit", false, false, overHTTPS(gitserver.HTTPOptions{Protocol: "0",
			Config: append(filter, "uploadpack.allowReachableSHA1InWant=true")})},
		{"ssh", true, true, func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
			r.git("config", "uploadpack.allowFilter", "true")
			d := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
			return parse(t, d.URL(r.path)), gitcache.Options{Getenv: d.Getenv, Home: d.Home}
		}},
		{"git", true, true, func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
			d := gitserver.ServeDaemon(t, filepath.Dir(r.path), gitserver.DaemonOptions{Config: filter})
			return parse(t, d.URL+"/"+filepath.Base(r.path)), gitcache.Options{}
		}},
		{"git of version 0", false, false, func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
			d := gitserver.ServeDaemon(t, filepath.Dir(r.path), gitserver.DaemonOptions{Protocol: "0"})
			return parse(t, d.URL+"/"+filepath.Base(r.path)), gitcache.Options{}
		}},
	}
	if testing.Short() {
		return all[:3]
	}
	return all
}

func overHTTPS(opts gitserver.HTTPOptions) func(*testing.T, *repository) (giturl.URL, gitcache.Options) {
	return func(t *testing.T, r *repository) (giturl.URL, gitcache.Options) {
		opts := opts
		opts.TLS = true
		h := gitserver.ServeHTTP(t, filepath.Dir(r.path), opts)
		return parse(t, h.URL+"/"+filepath.Base(r.path)), gitcache.Options{Getenv: trusting(h)}
	}
}

// trusting is an environment that trusts the server's certificate.
func trusting(h *gitserver.HTTP) func(string) string {
	return func(name string) string {
		if name == "GIT_SSL_CAINFO" {
			return h.CAFile
		}
		return ""
	}
}
