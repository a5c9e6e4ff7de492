package gitwire

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"example.org/compose/internal/giturl"
)

// proxies returns what http.ProxyFromEnvironment would for an environment that is given, which knows HTTPS_PROXY, HTTP_PROXY and
// NO_PROXY, in small letters too, and ALL_PROXY besides. This machine is asked without a proxy.
func proxies(getenv func(string) string) func(*http.Request) (*url.URL, error) {
	variable := func(names ...string) string {
		for _, name := range names {
			if value := getenv(name); value != "" {
				return value
			}
		}
		return ""
	}
	return func(request *http.Request) (*url.URL, error) {
		proxy := variable("http_proxy", "HTTP_PROXY")
		switch {
		case request.URL.Scheme == "https":
			proxy = variable("HTTPS_PROXY", "https_proxy")
		case getenv("REQUEST_METHOD") != "": // of CGI, where a request's field Proxy becomes HTTP_PROXY
			proxy = variable("http_proxy")
		}
		if proxy == "" {
			proxy = variable("ALL_PROXY", "all_proxy")
		}
		if proxy == "" || giturl.IsLoopback(request.URL.Hostname()) || spared(variable("NO_PROXY", "no_proxy"), request.URL) {
			return nil, nil
		}
		if !strings.Contains(proxy, "://") {
			proxy = "http://" + proxy
		}
		u, err := url.Parse(proxy)
		if err != nil || u.Hostname() == "" {
			return nil, errProxy
		}
		switch u.Scheme {
		case "http", "https", "socks5", "socks5h":
			return u, nil
		}
		return nil, errProxy
	}
}

// errProxy does not show the value: it may hold a password.
var errProxy = errors.New("the proxy that the environment names is no http, https, socks5 or socks5h URL")

// spared reports whether NO_PROXY lists a host: "*", a name with all below it, ".name" for what is below alone, an address or a
// range of them, each with a port or without.
func spared(list string, place *url.URL) bool {
	host := strings.ToLower(strings.TrimSuffix(place.Hostname(), "."))
	addr, addrErr := netip.ParseAddr(host)
	port := portOf(place)
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "*" {
			return true
		}
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			if addrErr == nil && prefix.Contains(addr.Unmap()) {
				return true
			}
			continue
		}
		if single, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
			if addrErr == nil && single.Unmap() == addr.Unmap() {
				return true
			}
			continue
		}
		if before, wanted, found := cutLast(entry, ":"); found {
			if wanted != port {
				continue
			}
			entry = strings.Trim(before, "[]")
		}
		name := strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
		if name != "" && (host == name && !strings.HasPrefix(entry, ".") || strings.HasSuffix(host, "."+name)) {
			return true
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
