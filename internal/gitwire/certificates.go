package gitwire

import (
	"crypto/x509"
	"strings"

	"example.org/compose/internal/gitconfig"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/plainfile"
)

// authorities returns those who may vouch for the server at u, as git is told: GIT_SSL_CAINFO, else http.URL.sslCAInfo or http.sslCAInfo of
// the system's and the user's configuration; nil for those of the system. That certificates are not to be checked at all is not listened to.
func authorities(u giturl.URL, opts Options) (*x509.CertPool, error) {
	file, from := opts.Getenv("GIT_SSL_CAINFO"), "GIT_SSL_CAINFO"
	if file == "" {
		file, from = configured(u, opts), "http.sslCAInfo of git's configuration"
	}
	if file == "" {
		return nil, nil
	}
	pem, err := plainfile.Read(file, maxCertificates)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		return nil, fault(CodeUnreachable, u.String(), "%s names no file with certificates that can be read; correct it, or unset it", from)
	}
	return pool, nil
}

// configured returns the file of certificates that git's configuration names for u; "" for none, or where it can't be read. Of several
// subsections that are about u the longest counts, and of equal ones the last.
func configured(u giturl.URL, opts Options) string {
	cfg, _, err := gitconfig.Load(opts.Getenv, opts.Home)
	if err != nil {
		return ""
	}
	file, longest := "", -1
	for _, e := range cfg.Entries() {
		rest, isHTTP := strings.CutPrefix(e.Name, "http.")
		subsection, isFile := strings.CutSuffix(rest, "sslcainfo")
		subsection = strings.TrimSuffix(subsection, ".")
		if isHTTP && isFile && len(subsection) >= longest && (subsection == "" || u.InSubsection(subsection)) {
			file, longest = gitconfig.ExpandHome(e.Value, opts.Home), len(subsection)
		}
	}
	return file
}
