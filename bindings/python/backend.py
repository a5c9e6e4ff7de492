"""Builds the wheel, by the standard library and a Go toolchain with cgo alone: no setuptools, nothing from an index.

  pip wheel --no-deps bindings/python      by pip, or any other front end of PEP 517
  python3 backend.py library               the shared library alone, into sc_sha/, for work in the checkout
"""
import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME, VERSION = "sc_sha", "1.0.0"
# A wheel of the same sources is the same bytes.
TIME = (2026, 1, 1, 0, 0, 0)

METADATA = """Metadata-Version: 2.1
Name: sc-sha
Version: %s
Summary: Identities of UTF-8 texts and of resolved compositions of texts (sc-sha/manifest/v1)
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

""" % VERSION


def library_name():
    sys.path.insert(0, HERE)
    try:
        from sc_sha import _native
        return _native.NAME
    finally:
        sys.path.remove(HERE)


def build_library(folder):
    """Builds the shared library into folder and returns its path."""
    target = os.path.join(os.path.abspath(folder), library_name())
    subprocess.run(["go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", target, "./native"],
                   check=True, cwd=HERE, env=dict(os.environ, CGO_ENABLED="1"))
    header = os.path.splitext(target)[0] + ".h"
    if os.path.exists(header):
        os.remove(header)
    return target


def tag():
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    import tempfile
    name = "%s-%s-%s.whl" % (NAME, VERSION, tag())
    info = "%s-%s.dist-info/" % (NAME, VERSION)
    files = {}
    for file in sorted(os.listdir(os.path.join(HERE, NAME))):
        if file.endswith(".py"):
            with open(os.path.join(HERE, NAME, file), "rb") as f:
                files[NAME + "/" + file] = f.read()
    with tempfile.TemporaryDirectory() as scratch:
        library = build_library(scratch)
        with open(library, "rb") as f:
            files[NAME + "/" + os.path.basename(library)] = f.read()
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        files[info + "METADATA"] = (METADATA + f.read()).encode()
    with open(os.path.join(HERE, "..", "..", "LICENSE"), "rb") as f:
        files[info + "LICENSE"] = f.read()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: compose\nRoot-Is-Purelib: false\nTag: %s\n" % tag()).encode()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(content))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = (0o755 if path.endswith((".so", ".dylib", ".dll")) else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("there is no sdist: the library is built from compose's own Go module; build the wheel in a checkout")


if __name__ == "__main__":
    if sys.argv[1:] != ["library"]:
        sys.exit(__doc__)
    print(build_library(os.path.join(HERE, NAME)))
