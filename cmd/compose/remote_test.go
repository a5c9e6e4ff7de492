package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitserver"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata/remote have real servers: what lies below $WORK/srv is served at $HTTPS, at $PRIVATE with a password, and
// at $SSH; $MOVED sends to $HTTPS.
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
		moved := gitserver.ServeHTTP(t, root, gitserver.HTTPOptions{})
		moved.Redirect(http.MethodGet, http.StatusFound, public.URL)
		ssh := gitserver.StartSSHD(t, gitserver.SSHDOptions{})
		e.Setenv("HOME", ssh.Home)
		e.Setenv("USER", ssh.User)
		e.Setenv("COMPOSE_CACHE", filepath.Join(e.WorkDir, "cache"))
		e.Setenv("GIT_SSL_CAINFO", public.CAFile)
		e.Setenv("HTTPS", public.URL)
		e.Setenv("PRIVATE", private.URL)
		e.Setenv("PRIVATE_HOST", private.Host)
		e.Setenv("MOVED", moved.URL)
		e.Setenv("SSH", ssh.URL(root))
		return nil
	}
	testscript.Run(t, params)
}
