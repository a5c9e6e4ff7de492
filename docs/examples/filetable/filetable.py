#!/usr/bin/env python3
"""A table of the texts of a folder, path and sha256: filetable.py fill DIR > table.csv, filetable.py check DIR < table.csv."""
import csv
import hashlib
import sys
from pathlib import Path


def sha256(path):
    content = path.read_text(encoding="utf-8")
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


def fill(root, out):
    table = csv.writer(out)
    table.writerow(["path", "sha256"])
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        table.writerow([path.relative_to(root).as_posix(), sha256(path)])


def check(root, rows):
    for row in csv.DictReader(rows):
        got = sha256(root / row["path"])
        if got != row["sha256"]:
            sys.exit("%s: is %s, and the table has %s" % (row["path"], got, row["sha256"]))


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", newline="")
    if sys.argv[1] == "fill":
        fill(Path(sys.argv[2]), sys.stdout)
    else:
        check(Path(sys.argv[2]), sys.stdin)
