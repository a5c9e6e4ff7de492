"""The shared library that computes everything."""
import ctypes
import os
import sys
import threading

from ._errors import BY_CODE, ShaError

MANIFEST_ALGORITHM = "sc-sha/manifest/v1"
NAME = {"win32": "sc_sha_native.dll", "darwin": "libsc_sha_native.dylib"}.get(sys.platform, "libsc_sha_native.so")

_lock = threading.Lock()
_library = None
_forked = False


def _after_fork():
    global _forked
    _forked = _library is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def path():
    """Where the library is: $SC_SHA_LIBRARY, else beside this file."""
    return os.environ.get("SC_SHA_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)


def _load():
    global _library
    if _forked:
        raise RuntimeError("sc_sha was used before this process was forked, and its library does not survive a fork; start processes with the spawn method")
    with _lock:
        if _library is None:
            library = ctypes.CDLL(path())
            library.sc_sha_free.argtypes, library.sc_sha_free.restype = [ctypes.c_void_p], None
            library.sc_sha_manifest_algorithm.argtypes, library.sc_sha_manifest_algorithm.restype = [], ctypes.c_void_p
            for f in (library.sc_sha_calculate_hash, library.sc_sha_calculate_composition_hash):
                f.argtypes, f.restype = [ctypes.c_char_p, ctypes.c_uint64], ctypes.c_void_p
            if _text(library, library.sc_sha_manifest_algorithm()) != MANIFEST_ALGORITHM:
                raise RuntimeError("%s follows another rule than %s; build both from one source" % (path(), MANIFEST_ALGORITHM))
            _library = library
    return _library


def _text(library, pointer):
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        library.sc_sha_free(pointer)


def call(function, data):
    """The value that a function of the library gives for bytes, or the exception of its code."""
    library = _load()
    status, _, rest = _text(library, getattr(library, function)(data, len(data))).partition("\n")
    if status == "ok":
        return rest
    where, _, message = rest.partition("\n")
    if status in BY_CODE:
        raise BY_CODE[status](message, where)
    raise RuntimeError(message) from ShaError(status)
