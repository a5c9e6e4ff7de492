package main

import (
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitserver"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata/remote have real servers: what lies below $WORK/srv is served at $HTTPS, at $PRIVATE for who knows the
// password of $USER_OF_PRIVATE, and at $SSH.
func TestRemoteScripts(t *testing.T) {
	params := scripts(t, filepath.Join("testdata", "remote"))
	setup := params.Setup
	params.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		root := filepath.Join(e.WorkDir, "srv")
		filter := []string{"uploadpack.allowFilter=true"}
		public := gitserver.ServeHTTP(t, root, gitserver.HTTPOptions{TLS: true, Config: filter})
		private := gitserver.ServeHTTP(t, root, gitserver.HTTPOptions{TLS: true, Config: filter, User: "me", Password: "s3cret"})
		ssh := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
		e.Setenv("HOME", ssh.Home)
		e.Setenv("USER", ssh.User)
		e.Setenv("COMPOSE_CACHE", filepath.Join(e.WorkDir, "cache"))
		e.Setenv("GIT_SSL_CAINFO", public.CAFile)
		e.Setenv("HTTPS", public.URL)
		e.Setenv("PRIVATE", private.URL)
		e.Setenv("PRIVATE_HOST", private.Host)
		e.Setenv("SSH", ssh.URL(root))
		return nil
	}
	testscript.Run(t, params)
}
