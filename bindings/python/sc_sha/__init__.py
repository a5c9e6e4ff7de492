"""Identities of texts and of resolved compositions of texts, sc-sha/manifest/v1.

Two operations: calculate_hash for a UTF-8 text, calculate_composition_hash for a manifest that the caller has resolved.
Both are computed by compose's own code, loaded as a shared library; nothing is computed here.
"""
from ._errors import (DuplicateSource, InvalidCanonicalSource, InvalidDigest, InvalidDomain, InvalidManifest, InvalidUtf8, ShaError,
                      UnknownEdgeEndpoint, UnsupportedManifestSchema)
from ._digests import CompositionSha256, TemplateSha256
from ._hash import calculate_composition_hash, calculate_hash

__version__ = "1.0.0"
TEXT_ALGORITHM = "sc-sha/text"
MANIFEST_ALGORITHM = "sc-sha/manifest/v1"

__all__ = [
    "calculate_hash", "calculate_composition_hash", "TemplateSha256", "CompositionSha256", "ShaError", "InvalidDomain", "InvalidUtf8",
    "InvalidManifest", "UnsupportedManifestSchema", "InvalidDigest", "InvalidCanonicalSource", "DuplicateSource", "UnknownEdgeEndpoint",
    "TEXT_ALGORITHM", "MANIFEST_ALGORITHM",
]
