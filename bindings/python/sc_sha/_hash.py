"""The two operations: arguments are checked for their form, everything else is the library's."""
import struct

from . import _native
from ._digests import CompositionSha256, TemplateSha256
from ._errors import InvalidDomain, InvalidManifest, InvalidUtf8


def calculate_hash(content):
    """The identity of a UTF-8 text, as a TemplateSha256.

    content is bytes, or a str, or {"kind": "text-file", "content": either}. CRLF and a lone CR count as LF; a BOM and the final
    line end count as they are. InvalidUtf8 for what is no UTF-8, InvalidDomain for another kind.
    """
    if isinstance(content, dict):
        if set(content) != {"kind", "content"} or content["kind"] != "text-file":
            raise InvalidDomain('want {"kind": "text-file", "content": a text}')
        content = content["content"]
    if isinstance(content, str):
        try:
            content = content.encode("utf-8")
        except UnicodeEncodeError as why:
            raise InvalidUtf8("character %d is half of a surrogate pair, which is no text" % (why.start + 1)) from why
    elif isinstance(content, (bytearray, memoryview)):
        content = bytes(content)
    elif not isinstance(content, bytes):
        raise InvalidDomain("want bytes or str, not %s" % type(content).__name__)
    return TemplateSha256(_native.call("sc_sha_calculate_hash", content))


def calculate_composition_hash(manifest):
    """The identity of a resolved manifest, as a CompositionSha256.

    manifest is {"schema", "nodes": [{"source": {"kind", "value"}, "sha256"}], "edges": [{"parent", "child", "occurrence"}]}, nodes and
    edges in the caller's order. Kinds are local_path (or local-path) and url. The digest of a node may be called content_hash and be a
    TemplateSha256. An endpoint is a source, or the value alone where just one node has it. Exceptions are those of this module.
    """
    fields = _object(manifest, "", ("schema", "nodes", "edges"))
    out = [_text(fields["schema"], "/schema")]
    nodes = _list(fields["nodes"], "/nodes")
    out.append(_number(len(nodes)))
    kinds = {}
    for i, node in enumerate(nodes):
        at = "/nodes/%d" % i
        name = "content_hash" if isinstance(node, dict) and "content_hash" in node else "sha256"
        node = _object(node, at, ("source", name))
        kind, value = _source(node["source"], at + "/source")
        digest = node[name]
        out += [_text(kind, at), _text(value, at), _text(digest.value if isinstance(digest, TemplateSha256) else digest, "%s/%s" % (at, name))]
        kinds.setdefault(value, set()).add(kind)
    edges = _list(fields["edges"], "/edges")
    out.append(_number(len(edges)))
    for i, edge in enumerate(edges):
        at = "/edges/%d" % i
        edge = _object(edge, at, ("parent", "child", "occurrence"))
        for end in ("parent", "child"):
            out += [_text(part, at) for part in _endpoint(edge[end], "%s/%s" % (at, end), kinds)]
        occurrence = edge["occurrence"]
        if not isinstance(occurrence, int) or isinstance(occurrence, bool) or not 0 <= occurrence < 1 << 32:
            raise InvalidManifest("%s/occurrence: is no integer from 0 to 4294967295" % at, at + "/occurrence")
        out.append(_number(occurrence))
    return CompositionSha256(_native.call("sc_sha_calculate_composition_hash", b"".join(out)))


def _object(value, at, names):
    if not isinstance(value, dict) or set(value) != set(names):
        raise InvalidManifest("%s: is no object of exactly %s" % (at or "the manifest", ", ".join(names)), at)
    return value


def _list(value, at):
    if not isinstance(value, (list, tuple)):
        raise InvalidManifest("%s: is no list: the order counts" % at, at)
    return value


def _source(value, at):
    value = _object(value, at, ("kind", "value"))
    if not isinstance(value["kind"], str) or not isinstance(value["value"], str):
        raise InvalidManifest("%s: kind and value are no texts" % at, at)
    return ("local_path" if value["kind"] == "local-path" else value["kind"]), value["value"]


def _endpoint(value, at, kinds):
    if not isinstance(value, str):
        return _source(value, at)
    found = kinds.get(value, ())
    if len(found) > 1:
        raise InvalidManifest("%s: %r is the value of two sources; give its kind too" % (at, value), at)
    return next(iter(found), "local_path"), value


def _number(n):
    if n >= 1 << 32:
        raise InvalidManifest("there are too many of something: at most 4294967295")
    return struct.pack(">I", n)


def _text(value, at):
    if not isinstance(value, str):
        raise InvalidManifest("%s: is no text" % at, at)
    # Half a surrogate pair is handed over as it is: the library says that it is no UTF-8.
    raw = value.encode("utf-8", "surrogatepass")
    return _number(len(raw)) + raw
