package gitwire

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
)

// authority holds the credentials for the one place that they are for: scheme, host and port of the URL that was named.
type authority struct {
	url    giturl.URL
	place  *url.URL
	finder *credential.Finder

	looked bool
	left   []credential.Credential // to be tried
	now    *credential.Credential  // nil before the server asked
	tried  []string                // where those that were refused are from
	err    error                   // of looking
}

// newAuthority begins with the password of the URL, and with nothing where it has none.
func newAuthority(u giturl.URL, place *url.URL, finder *credential.Finder) *authority {
	a := &authority{url: u, place: place, finder: finder}
	if password, has := u.Password(); has && a.covers(place) {
		a.now = &credential.Credential{User: u.User, Password: password, From: "the URL"}
	}
	return a
}

// covers reports whether credentials may go to a place: to the one that was named, encrypted or on this machine.
func (a *authority) covers(place *url.URL) bool {
	return sameOrigin(place, a.place) && (place.Scheme == "https" || loopback(place.Hostname()))
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// authorize adds the credentials that are being tried.
func (a *authority) authorize(request *http.Request) {
	if a.now != nil && a.covers(request.URL) {
		request.SetBasicAuth(a.now.User, a.now.Password)
	}
}

// sent reports whether the server has seen credentials.
func (a *authority) sent() bool { return a.now != nil || len(a.tried) > 0 }

// next takes up other credentials, since place wants some or refused those it got.
func (a *authority) next(ctx context.Context, place *url.URL) error {
	switch {
	case !sameOrigin(place, a.place):
		return &Error{diag.New(CodeAuthentication, a.url.String(), "redirects to "+said(place.Scheme+"://"+place.Host)+", which asks for credentials; they are sent only to a host that is named, so name the repository by its URL there")}
	case !a.covers(place):
		return &Error{diag.New(CodeAuthentication, a.url.String(), "the server asks for credentials, which are not sent over http; name the repository by an https URL")}
	}
	if a.now != nil {
		a.tried = append(a.tried, a.now.From)
		a.now = nil
	}
	if !a.looked {
		a.looked = true
		if a.finder != nil {
			a.left, a.err = a.finder.Find(ctx, a.url)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, has := a.url.Password(); a.url.User != "" && !has {
			// Some hosts take a token for a user, without a password.
			a.left = append(a.left, credential.Credential{User: a.url.User, From: "the URL's user"})
		}
	}
	if len(a.left) == 0 {
		return a.failed("the server asks for credentials")
	}
	a.now, a.left = &a.left[0], a.left[1:]
	return nil
}

// failed says which credentials were tried.
func (a *authority) failed(what string) error {
	tried := a.tried
	if a.now != nil {
		tried = append(tried, a.now.From)
	}
	switch {
	case len(tried) > 0:
		what += "; what was tried and refused is from " + strings.Join(tried, ", ")
	case a.looked:
		what += ", and none were found"
	}
	what += "; give credentials that may read it by an environment variable, in netrc or by a credential helper of git"
	return &Error{diag.Wrap(CodeAuthentication, a.url.String(), what, a.err)}
}
