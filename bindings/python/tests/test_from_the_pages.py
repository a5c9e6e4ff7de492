"""docs/identities.md and docs/includes.md, written once more from the pages alone, against the same vectors.

It shares nothing with the Go code and the binding. Where it fails and the Go code doesn't, the page is at fault.
"""
import base64
import hashlib
import json
import math
import os
import re
import tempfile
import unittest

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "testdata", "vectors")
HEX = re.compile(r"[0-9a-fA-F]{64}\Z")


class Fault(Exception):
    def __init__(self, code, chain=None):
        super().__init__(code)
        self.code, self.chain = code, chain


def sha(*parts):
    return hashlib.sha256(b"".join(parts))


def u64(n):
    return n.to_bytes(8, "big")


def field(x):
    return u64(len(x)) + x


# Text and manifest


def text_value(raw):
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault("SC_SHA_INVALID_UTF8") from None
    return sha(raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")).hexdigest()


def source_bytes(source):
    value = source["value"]
    if value == "" or "\\" in value or re.search("[\x00-\x1f\x7f-\x9f]", value):
        raise Fault("SC_SHA_INVALID_CANONICAL_SOURCE")
    return bytes([["local_path", "url"].index(source["kind"])]) + field(value.encode("utf-8"))


def framed(domain, nodes, edges):
    """nodes: (source bytes, hexadecimal); edges: (parent, child, occurrence)."""
    return sha(
        field(domain), b"\x01",
        u64(len(nodes)), *(s + field(bytes.fromhex(d)) for s, d in nodes),
        u64(len(edges)), *(p + c + n.to_bytes(4, "big") for p, c, n in edges)).hexdigest()


def manifest_value(m):
    if m["schema"] not in ("v1", "sc-sha/manifest/v1"):
        raise Fault("SC_SHA_UNSUPPORTED_MANIFEST_SCHEMA" if m["schema"] else "SC_SHA_INVALID_MANIFEST")
    nodes = []
    for n in m["nodes"]:
        if not HEX.match(n["sha256"]):
            raise Fault("SC_SHA_INVALID_DIGEST")
        nodes.append((source_bytes(n["source"]), n["sha256"]))
    edges = [(source_bytes(e["parent"]), source_bytes(e["child"]), e["occurrence"]) for e in m["edges"]]
    known = {s for s, _ in nodes}
    if len(known) < len(nodes):
        raise Fault("SC_SHA_DUPLICATE_SOURCE")
    if not all(p in known and c in known for p, c, _ in edges):
        raise Fault("SC_SHA_UNKNOWN_EDGE_ENDPOINT")
    return framed(b"sc-sha/manifest/v1", nodes, edges)


# Includes, profile sc-compose, in a folder


def directive(line):
    """The target of a line, or None where the line is text."""
    line = line.strip()
    if not line.startswith("@<"):
        return None
    if not line.endswith(">") or len(line) == 3:
        raise Fault("ERR_INCLUDE_DYNAMIC_UNRESOLVED")
    return line[2:-1]


def front_matter_end(text):
    """Where the text begins, after the front matter."""
    at, first = 0, True
    while True:
        lines = re.findall("[^\n]*\n|[^\n]+", text[at:])
        if not lines or lines[0] not in ("---\n", "---\r\n", "---"):
            return at
        end = next((i for i, line in enumerate(lines) if i and line.rstrip("\r\n") in ("---", "...")), None)
        if end is None:
            raise Fault("ERR_CONFIG_PARSE", [])
        block = "".join(lines[1:end])
        if not first and any(mark in block for mark in ("{{", "{%", "{#")):
            return at
        at, first = at + sum(map(len, lines[: end + 1])), False


QUOTED = r"""("[^"]+"|'[^']+')"""


class Expansion:
    def __init__(self, root, start, max_depth=32):
        self.root, self.max_depth = os.path.realpath(root), max_depth
        self.nodes, self.edges, self.tree, self.counts, self.raw = {}, [], {}, {}, {}
        self.text = self.expand(self.find(start, [self.root], []), [])

    def find(self, target, folders, chain):
        for folder in folders:
            path = os.path.join(folder, target)
            try:
                path = os.path.realpath(path, strict=True)
            except FileNotFoundError:
                if not self.inside(os.path.normpath(path)):
                    raise Fault("ERR_INCLUDE_ESCAPE", chain) from None
                continue
            except OSError:
                raise Fault("ERR_INCLUDE_FILESYSTEM_LOOP", chain) from None
            if not self.inside(path):
                raise Fault("ERR_INCLUDE_ESCAPE", chain)
            return os.path.relpath(path, self.root)
        raise Fault("ERR_INCLUDE_NOT_FOUND", chain)

    def inside(self, path):
        return os.path.commonpath([path, self.root]) == self.root

    def expand(self, name, above):
        if len(above) > self.max_depth:
            raise Fault("ERR_INCLUDE_DEPTH", above)
        if name in above:
            raise Fault("ERR_INCLUDE_CYCLE", above + [name])
        stack = above + [name]
        if os.path.isdir(os.path.join(self.root, name)):
            raise Fault("ERR_INCLUDE_IS_A_DIRECTORY", stack)
        with open(os.path.join(self.root, name), "rb") as f:
            self.raw[name] = f.read()
        try:
            text = self.raw[name].decode("utf-8")
        except UnicodeDecodeError:
            raise Fault("ERR_CONFIG_READ", stack) from None
        self.nodes.setdefault(name, text_value(self.raw[name]))
        text = text.removeprefix("\ufeff")
        text = text[front_matter_end(text):]
        out, included = [], []
        for line in re.findall("[^\n]*\n|[^\n]+", text):
            try:
                target = directive(line)
            except Fault as fault:
                raise Fault(fault.code, stack) from None
            if target is None:
                out.append(line)
            else:
                out.append(self.include(target, stack, included))
        self.tree[name] = included
        return "".join(out)

    def include(self, target, stack, included):
        def child(target):
            folder = os.path.dirname(os.path.join(self.root, stack[-1]))
            name = self.find(target, [folder, self.root], stack)
            # Judged before the edge, which is the same: an expansion that fails has no edges.
            n = self.counts.get(stack[-1], 0)
            self.counts[stack[-1]] = n + 1
            self.edges.append((stack[-1], name, n))
            included.append(name)
            return self.expand(name, stack)

        if not any(mark in target for mark in ("{{", "{%", "${")):
            return child(target)
        choice = re.fullmatch(r"\{\{\s*" + QUOTED + r"(?: if (.+) else " + QUOTED + r")?\s*\}\}", target)
        if not choice:
            raise Fault("ERR_INCLUDE_DYNAMIC_UNRESOLVED", stack)
        a, condition, b = choice.groups()
        if condition is None:
            return child(a[1:-1])
        return "{% if " + condition + " %}" + child(a[1:-1]) + "{% else %}" + child(b[1:-1]) + "{% endif %}"

    def manifest(self):
        def source(value):
            return {"kind": "local_path", "value": value}

        return {"schema": "v1",
                "nodes": [{"source": source(s), "sha256": d} for s, d in self.nodes.items()],
                "edges": [{"parent": source(p), "child": source(c), "occurrence": n} for p, c, n in self.edges]}


# skillrx


def number(x):
    """As ECMAScript writes a double."""
    x = float(x)
    if not math.isfinite(x):
        raise ValueError(x)
    if x == 0:
        return "0"
    sign = "-" if x < 0 else ""
    digits, _, exponent = ("%r" % abs(x)).partition("e")
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return sign + mantissa + "e" + "%+d" % (point - 1)


def canonical(value):
    """RFC 8785."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def skillrx(expansion, name, context=None):
    """{path: (node, edges, composition)} of name and all below it."""
    done = {}

    def compose(name, context=None):
        if name not in done:
            node = sha(b"skillrx-node-v2\0", name.encode("utf-8"), b"\0", expansion.raw[name]).hexdigest()
            edges, seen = [], {}
            for child in expansion.tree[name]:
                edges.append({"include_path": child, "child_sha": compose(child), "occurrence": seen.get(child, 0)})
                seen[child] = seen.get(child, 0) + 1
            form = json.dumps(edges, ensure_ascii=False, separators=(",", ":"))
            parts = ["skillrx-composition-v2", name, node, form]
            if context is not None:
                parts.append(sha(canonical(context).encode("utf-8")).hexdigest())
            done[name] = node, edges, sha("\0".join(parts).encode("utf-8")).hexdigest()
        return done[name][2]

    compose(name, context)
    return done


# Folders


def entries(folder, path=b""):
    """The paths below folder, folder by folder, in byte order of the names; symlinks are refused."""
    for entry in sorted(os.scandir(os.path.join(folder, path)), key=lambda e: e.name):
        below = os.path.join(path, entry.name)
        if entry.is_symlink():
            raise Fault("TREE_SYMLINK")
        if entry.is_dir():
            yield from entries(folder, below)
        elif entry.is_file():
            yield below


def contents(folder, path):
    with open(os.path.join(folder, path), "rb") as f:
        return f.read()


def tree_value(folder):
    parts = [field(b"fastskill content digest v2")]
    for path in sorted(entries(folder)):
        try:
            path.decode("utf-8")
        except UnicodeDecodeError:
            raise Fault("TREE_NAME_NOT_UTF8") from None
        parts += [field(path), field(contents(folder, path))]
    return "sha256-tree-v2:" + sha(*parts).hexdigest()


def older_tree_value(folder):
    parts = []
    for path in entries(folder):
        said = path.replace(b"\\", b"/").decode("utf-8", "replace").encode("utf-8")
        parts += [field(said), contents(folder, path)]
    return sha(*parts).hexdigest()


# Skill folders


ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"


def skill_order(path):
    return [ORDER.index(c) for c in path.lower()], [c.isupper() for c in path]


def skill_values(folder):
    """Both forms, for names in ASCII."""
    files = {}

    def walk(below):
        for entry in os.scandir(os.path.join(folder, below)):
            path = os.path.join(below, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in (".git", "node_modules"):
                    walk(path)
            elif entry.is_file(follow_symlinks=False):
                files[path.replace("\\", "/")] = contents(folder, path)

    walk("")
    ordered = sorted(files, key=skill_order)
    return (sha(*(part for p in ordered for part in (p.encode(), files[p]))).hexdigest(),
            sha(*(part for p in ordered for part in (p.encode(), b"\0", files[p], b"\0"))).hexdigest())


# Composition


def lock_value(lock):
    intent = json.dumps(lock["intent"], ensure_ascii=False, indent=2) + "\n"
    recipe = "recipe/" + lock["intent"]["recipe"]
    nodes = [("intent", sha(intent.encode("utf-8")).hexdigest()), (recipe, lock["recipe_sha256"])]
    components = sorted(lock["resolved_components"], key=lambda c: c["id"].encode())
    files = sorted(lock["files"], key=lambda f: f["destination"].encode())
    nodes += [("component/" + c["id"], c["descriptor_sha256"]) for c in components]
    nodes += [("material/%(ownership)s/%(destination)s" % f, f["materialized_sha256"]) for f in files]
    edges = [("intent", recipe, 0)] + [(recipe, "component/" + c["id"], n) for n, c in enumerate(components)]
    for c in components:
        own = [f for f in files if f["component"] == c["id"]]
        edges += [("component/" + c["id"], "material/%(ownership)s/%(destination)s" % f, n) for n, f in enumerate(own)]

    def source(value):
        return source_bytes({"kind": "local_path", "value": value})

    return framed(b"compose/lock-manifest/v1", [(source(s), d) for s, d in nodes], [(source(p), source(c), n) for p, c, n in edges])


# Against the vectors


def cases(file, key):
    with open(os.path.join(VECTORS, file), encoding="utf-8") as f:
        found = json.load(f)[key]
    assert found
    return found


def lay(root, laid):
    for e in laid:
        path = os.path.join(os.fsencode(root), base64.b64decode(e["path_base64"]) if "path_base64" in e else os.fsencode(e["path"]))
        os.makedirs(path if e.get("dir") else os.path.dirname(path), exist_ok=True)
        if "symlink_to" in e:
            os.symlink(e["symlink_to"], path)
        elif not e.get("dir"):
            with open(path, "wb") as f:
                f.write(base64.b64decode(e["content_base64"]))


class FromThePages(unittest.TestCase):
    def each(self, check, file, key="cases", leave=lambda case: False):
        """Calls check for each case, with a folder of its own, and sees to it that there were some."""
        chosen = [case for case in cases(file, key) if not leave(case)]
        self.assertTrue(chosen)
        for case in chosen:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as scratch:
                root = os.path.join(scratch, "root")
                os.mkdir(root)
                lay(root, case.get("files", case.get("entries", [])) + case.get("files_outside_root", []))
                check(case, root)

    def same(self, case, value, key="sha256"):
        if "error" in case:
            return self.same_fault(case["error"], value)
        self.assertEqual(value(), case[key])

    def same_fault(self, want, calculate):
        with self.assertRaises(Fault) as caught:
            calculate()
        self.assertEqual(caught.exception.code, want)
        return caught.exception

    def test_text(self):
        self.each(lambda case, _: self.same(case, lambda: text_value(base64.b64decode(case["input_base64"]))), "sc-sha.json", "text_cases")

    def test_manifest(self):
        self.each(lambda case, _: self.same(case, lambda: manifest_value(case["manifest"])), "sc-sha.json", "composition_cases")

    def test_includes(self):
        def check(case, root):
            def expand():
                return Expansion(root, case["start"], case["max_depth"])

            if "error" in case:
                self.assertEqual(self.same_fault(case["error"], expand).chain, case["chain"])
                return
            got = expand()
            self.assertEqual(got.text.encode("utf-8"), base64.b64decode(case["text_base64"]))
            self.assertEqual([list(n) for n in got.nodes.items()], case["nodes"])
            self.assertEqual([list(e) for e in got.edges], case["edges"])
            self.assertEqual(manifest_value(got.manifest()), case["composition_sha256"])

        self.each(check, "sc-sha.json", "include_cases")

    def test_skillrx(self):
        def check(case, root):
            got = skillrx(Expansion(root, case["start"]), case["start"], case.get("context"))
            self.assertEqual(got[case["start"]][2], case["composition_sha256"])
            self.assertEqual({p: {"node_sha": node, "edges": edges} for p, (node, edges, _) in got.items()}, case["tree"])

        self.each(check, "skillrx.json")

    def test_tree(self):
        codes = {"symlink": "TREE_SYMLINK", "non_utf8_name": "TREE_NAME_NOT_UTF8"}

        def check(case, root):
            expect, root = case["expect"], os.fsencode(root)
            for form, value in (("v2", tree_value), ("legacy", older_tree_value)):
                if form in expect:
                    self.assertEqual(value(root), expect[form], form)
                else:
                    self.same_fault(codes[expect[form + "_error"]], lambda value=value: value(root))

        self.each(check, "tree-digests.json")

    def test_skills(self):
        def check(case, root):
            folder, snapshot = skill_values(root)
            self.assertEqual(folder, case["expect"]["folder"])
            self.assertEqual(snapshot, case["expect"].get("snapshot", snapshot))

        self.each(check, "skills-lock.json", leave=lambda c: not all(e["path"].isascii() for e in c["entries"]))

    def test_lock(self):
        self.each(lambda case, _: self.same(case, lambda: lock_value(case["lock"]), "composition"), "lock-manifest.json")


class Numbers(unittest.TestCase):
    def test_as_ecmascript_writes_them(self):
        for value, want in ((0, "0"), (-0.0, "0"), (2, "2"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (0.000001, "0.000001"), (1e-7, "1e-7"),
                            (-1.5, "-1.5"), (333333333.33333329, "333333333.3333333"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308")):
            self.assertEqual(number(value), want)


if __name__ == "__main__":
    unittest.main()
