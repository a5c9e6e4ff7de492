package gitwire

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"example.org/compose/internal/credential"
	"example.org/compose/internal/giturl"
)

// authority holds the credentials for the one place that they are for: scheme, host and port of the URL that was named.
type authority struct {
	url    giturl.URL
	place  *url.URL
	finder *credential.Finder

	own    *credential.Credential // the URL's, until it is tried
	looked bool
	left   []credential.Credential // to be tried
	now    *credential.Credential  // nil before the server asked
	tried  []string                // where those that were refused are from
	err    error                   // of looking
}

// newAuthority begins with nothing: no server gets credentials before it asks.
func newAuthority(u giturl.URL, place *url.URL, finder *credential.Finder) *authority {
	a := &authority{url: u, place: place, finder: finder}
	if user, password, has := u.Login(); has {
		a.own = &credential.Credential{User: user, Password: password, From: "the URL"}
	}
	return a
}

// covers reports whether credentials may go to a place: to the one that was named, encrypted or on this machine.
func (a *authority) covers(place *url.URL) bool {
	return sameOrigin(place, a.place) && (place.Scheme == "https" || giturl.IsLoopback(place.Hostname()))
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

// authorize adds the credentials that are being tried.
func (a *authority) authorize(request *http.Request) {
	if a.now != nil && a.covers(request.URL) {
		request.SetBasicAuth(a.now.User, a.now.Password)
	}
}

// sent reports whether the server has seen credentials.
func (a *authority) sent() bool { return a.now != nil || len(a.tried) > 0 }

// next takes up other credentials, since place wants some or refused those it got; status is its answer.
func (a *authority) next(ctx context.Context, place *url.URL, status int) error {
	name := a.url.String()
	switch {
	case !sameOrigin(place, a.place):
		return fault(CodeAuthentication, name, "the server redirects to %s, which asks for credentials (%d); they are sent only to a host that is named, so name the repository by its URL there", said(place.Scheme+"://"+place.Host), status)
	case !a.covers(place):
		return fault(CodeAuthentication, name, "the server asks for credentials (%d), which are not sent over http; name the repository by an https URL", status)
	}
	if a.now != nil {
		a.tried = append(a.tried, a.now.From)
		a.now = nil
	}
	if a.reveal(place) {
		return nil
	}
	if !a.looked {
		if a.finder != nil {
			a.left, a.err = a.finder.Find(ctx, a.url)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if user, _, has := a.url.Login(); user != "" && !has {
			// Some hosts take a token for a user, without a password.
			a.left = append(a.left, credential.Credential{User: user, From: "the URL's user"})
		}
		a.looked = true
	}
	if len(a.left) == 0 {
		return a.failed(status)
	}
	a.now, a.left = &a.left[0], a.left[1:]
	return nil
}

// reveal takes up the URL's own credentials, once, where they may go to a place. Who wrote them there wants them to be used, also
// where a server hides from strangers that it has the repository.
func (a *authority) reveal(place *url.URL) bool {
	if a.own == nil || !a.covers(place) {
		return false
	}
	a.now, a.own = a.own, nil
	return true
}

// failed says which credentials were tried.
func (a *authority) failed(status int) error {
	what := "the server asks for credentials (401)"
	if status == http.StatusForbidden {
		what = "the server does not let you read the repository (403)"
	}
	if len(a.tried) > 0 {
		what += "; what was tried and refused is from " + strings.Join(a.tried, ", ")
	} else {
		what += ", and none were found"
	}
	what += "; give credentials that may read it by an environment variable, in netrc or by a credential helper of git"
	if a.err != nil {
		what += " (" + strings.TrimPrefix(a.err.Error(), a.url.String()+": ") + ")"
	}
	return fault(CodeAuthentication, a.url.String(), "%s", what)
}
