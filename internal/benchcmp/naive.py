"""What a first version in Python would do: one file after the other, and each step made durable before the next.

    naive.py MANIFEST|- NEW-MANIFEST SOURCE CHANGED REMOVED ROOT
"""
import hashlib
import os
import sys


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(manifest, root):
    with open(manifest) as file:
        for line in file:
            want, path = line.rstrip("\n").split("  ", 1)
            if digest(os.path.join(root, path)) != want:
                sys.exit(path + " differs")


def flush_folder(path):
    number = os.open(path, os.O_RDONLY)
    os.fsync(number)
    os.close(number)


def names(listing):
    with open(listing) as file:
        return [line.rstrip("\n").split(" ")[-1] for line in file]


old, new, source, changed, removed, root = sys.argv[1:]
if old != "-":
    check(old, root)
for name in names(changed):
    to = os.path.join(root, name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(os.path.join(source, name), "rb") as file:
        content = file.read()
    with open(to + ".new", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if digest(to + ".new") != hashlib.sha256(content).hexdigest():
        sys.exit(name + " was not written as it is")
    os.replace(to + ".new", to)
    flush_folder(os.path.dirname(to))
for name in names(removed):
    os.unlink(os.path.join(root, name))
    flush_folder(os.path.dirname(os.path.join(root, name)))
check(new, root)
