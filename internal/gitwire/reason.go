package gitwire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// unreachable says why there is no connection, without the addresses and ports of this side, which change.
func unreachable(name string, err error) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // the rest repeats the URL
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.Is(err, errProxy):
		return fault(CodeUnreachable, name, "%s; correct it", err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fault(CodeUnreachable, name, "the proxy that the environment names can't be reached; check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY")
	case errors.As(err, &dns) && dns.IsNotFound:
		return fault(CodeUnreachable, name, "no host has this name; check the URL and the network")
	case errors.As(err, &dns):
		return fault(CodeUnreachable, name, "the host's name could not be looked up; check the network")
	case errors.Is(err, syscall.ECONNREFUSED):
		return fault(CodeUnreachable, name, "the connection was refused: nothing listens there; check host, port and network")
	case errors.As(err, &certificate):
		return fault(CodeUnreachable, name, "the server's certificate is not trusted (%s); check the host, or name the file of its authority in GIT_SSL_CAINFO", said(certificateReason(certificate)))
	case errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, new(tls.RecordHeaderError)):
		return fault(CodeUnreachable, name, "the server does not speak TLS; check scheme and port")
	case errors.As(err, &alert):
		return fault(CodeUnreachable, name, "the server ended the TLS handshake (%s); check host and port", said(alert.Error()))
	case strings.Contains(err.Error(), "malformed HTTP") || strings.Contains(err.Error(), "malformed MIME"):
		return fault(CodeResponseInvalid, name, "the server's answer is not HTTP; check scheme and port")
	case strings.Contains(err.Error(), "headers exceeded"):
		return fault(CodeResponseInvalid, name, "the head of the server's answer has more than %d KiB", maxHead>>10)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fault(CodeUnreachable, name, "the server did not answer within %s; check host, port and network, and run the command again", connectTimeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		containsAny(err.Error(), "stream error", "GOAWAY"): // of http 2
		return fault(CodeUnreachable, name, "the server closed the connection without an answer; run the command again")
	}
	if op != nil {
		err = op.Err // the rest is addresses
	}
	return fault(CodeUnreachable, name, "there is no connection (%s); check host, port and network, and run the command again", said(err.Error()))
}

// certificateReason leaves out the time of day.
func certificateReason(err *tls.CertificateVerificationError) string {
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		return "it has expired or is not yet valid"
	}
	return err.Err.Error()
}
