package gitwire

import (
	"net/url"
	"strings"

	"example.org/compose/internal/giturl"
)

const maxRedirects = 5

// redirected returns the repository that the redirect of a request for refs leads to. As git has it, only the part before
// /info/refs may be another; and nothing leads from https to http, nor to a repository that allow, where it is given, denies.
func redirected(name string, from *url.URL, location string, allow func(giturl.URL) bool) (*url.URL, error) {
	to, err := url.Parse(location)
	if err != nil || location == "" {
		return nil, fault(CodeRedirect, name, "the server redirects to what is no URL; name the repository by another one")
	}
	to = from.ResolveReference(to)
	shown := said(to.Scheme + "://" + to.Host)
	switch {
	case to.Scheme == "http" && from.Scheme == "https":
		return nil, fault(CodeRedirect, name, "the server redirects to %s, where nothing is encrypted; name the repository by an https URL that stays one", shown)
	case to.Scheme != "https" && to.Scheme != "http" || to.Hostname() == "" || to.Opaque != "":
		return nil, fault(CodeRedirect, name, "the server redirects to %s, which is neither https nor http; name the repository by another URL", shown)
	case to.User != nil:
		return nil, fault(CodeRedirect, name, "the server redirects to a URL with credentials; name the repository by another one")
	}
	path, isRefs := strings.CutSuffix(to.EscapedPath(), refsTail)
	plain, err := url.PathUnescape(path)
	if !isRefs || to.RawQuery != refsQuery || err != nil {
		return nil, fault(CodeRedirect, name, "the server redirects to another page of %s than that of a repository; check the URL, and whether it asks to log in", shown)
	}
	base := &url.URL{Scheme: to.Scheme, Host: to.Host, Path: plain, RawPath: path}
	if allow == nil {
		return base, nil
	}
	repository, remote, err := giturl.Parse(base.String())
	switch {
	case err != nil || !remote:
		return nil, fault(CodeRedirect, name, "the server redirects to %s, to what can't be the URL of a repository; name the repository by another URL", shown)
	case !allow(repository):
		return nil, fault(CodeRedirect, name, "the server redirects to %s, which the policy does not allow as a source; name another source, or let someone who may decide that add this one", said(repository.String()))
	}
	return base, nil
}
