"""The exceptions, one for each code."""


class ShaError(ValueError):
    """Why there is no value. code is stable; path is a JSON pointer into the manifest, "" for a text."""

    code = ""

    def __init__(self, message, path=""):
        super().__init__(message)
        self.path = path

    def __reduce__(self):
        return type(self), (self.args[0], self.path)


class InvalidDomain(ShaError):
    """calculate_hash was asked for something that is no text file."""

    code = "SC_SHA_INVALID_DOMAIN"


class InvalidUtf8(ShaError):
    """The text is not strict UTF-8."""

    code = "SC_SHA_INVALID_UTF8"


class InvalidManifest(ShaError):
    """The manifest has not the form of one, or an empty schema."""

    code = "SC_SHA_INVALID_MANIFEST"


class UnsupportedManifestSchema(ShaError):
    """The schema is another than sc-sha/manifest/v1."""

    code = "SC_SHA_UNSUPPORTED_MANIFEST_SCHEMA"


class InvalidDigest(ShaError):
    """A node's digest is not 64 hexadecimal digits."""

    code = "SC_SHA_INVALID_DIGEST"


class InvalidCanonicalSource(ShaError):
    """A source is empty, or holds a backslash or a control character."""

    code = "SC_SHA_INVALID_CANONICAL_SOURCE"


class DuplicateSource(ShaError):
    """Two nodes have one source."""

    code = "SC_SHA_DUPLICATE_SOURCE"


class UnknownEdgeEndpoint(ShaError):
    """An edge leads to or from no node."""

    code = "SC_SHA_UNKNOWN_EDGE_ENDPOINT"


BY_CODE = {e.code: e for e in ShaError.__subclasses__()}
