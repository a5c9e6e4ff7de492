import base64
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
VECTORS = os.path.join(PACKAGE, "..", "..", "testdata", "vectors", "sc-sha.json")
sys.path.insert(0, PACKAGE)

import backend  # noqa: E402
import sc_sha  # noqa: E402

A, B = "53175bcc0524f37b47062fafdda28e3f8eb91d519ca0a184ca71bbebe72f969a", "2fa14f53e6b15cac9ac77846c7be87862c2a7e9ec0c6cea319db939b5b126b1c"


def setUpModule():
    global scratch
    scratch = tempfile.TemporaryDirectory()
    os.environ["SC_SHA_LIBRARY"] = backend.build_library(scratch.name)


def tearDownModule():
    scratch.cleanup()


def cases(key):
    with open(VECTORS, encoding="utf-8") as f:
        found = json.load(f)[key]
    assert found
    return found


def other_form(manifest):
    """The manifest in the other spelling; endpoints stay sources where two kinds share a value."""
    values = [n["source"]["value"] for n in manifest["nodes"]]
    kinds = {n["source"]["value"]: n["source"]["kind"] for n in manifest["nodes"]}

    def source(s):
        return dict(s, kind=s["kind"].replace("local_path", "local-path"))

    def end(s):
        if values.count(s["value"]) == 1 and kinds[s["value"]] == s["kind"]:
            return s["value"]
        return source(s)

    return {
        "schema": manifest["schema"],
        "nodes": [{"source": source(n["source"]), "content_hash": n["sha256"]} for n in manifest["nodes"]],
        "edges": [dict(e, parent=end(e["parent"]), child=end(e["child"])) for e in manifest["edges"]],
    }


class Vectors(unittest.TestCase):
    def check(self, case, calculate):
        if "error" in case:
            with self.assertRaises(sc_sha.ShaError) as caught:
                calculate()
            self.assertEqual(caught.exception.code, case["error"])
            self.assertIs(type(caught.exception), {e.code: e for e in sc_sha.ShaError.__subclasses__()}[case["error"]])
        else:
            self.assertEqual(str(calculate()), case["sha256"])

    def test_text(self):
        for case in cases("text_cases"):
            with self.subTest(case["name"]):
                raw = base64.b64decode(case["input_base64"])
                self.check(case, lambda: sc_sha.calculate_hash(raw))
                self.check(case, lambda: sc_sha.calculate_hash({"kind": "text-file", "content": bytearray(raw)}))
                if "error" not in case:
                    self.check(case, lambda: sc_sha.calculate_hash(raw.decode("utf-8")))

    def test_composition(self):
        for case in cases("composition_cases"):
            with self.subTest(case["name"]):
                self.check(case, lambda: sc_sha.calculate_composition_hash(case["manifest"]))
                self.check(case, lambda: sc_sha.calculate_composition_hash(other_form(case["manifest"])))


class Manifests(unittest.TestCase):
    def manifest(self, **changes):
        m = {
            "schema": "v1",
            "nodes": [{"source": {"kind": "local_path", "value": "a"}, "sha256": A}, {"source": {"kind": "url", "value": "b"}, "sha256": B}],
            "edges": [{"parent": "a", "child": "b", "occurrence": 0}],
        }
        m.update(changes)
        return m

    def test_forms(self):
        want = sc_sha.calculate_composition_hash(self.manifest())
        source = [{"kind": "local_path", "value": "a"}, {"kind": "url", "value": "b"}]
        self.assertEqual(sc_sha.calculate_composition_hash(self.manifest(edges=({"parent": source[0], "child": source[1], "occurrence": 0},))), want)
        typed = [{"source": s, "content_hash": sc_sha.TemplateSha256(d)} for s, d in zip(source, (A, B.upper()))]
        self.assertEqual(sc_sha.calculate_composition_hash(self.manifest(nodes=typed)), want)

    def test_refused(self):
        node, edge = self.manifest()["nodes"][0], self.manifest()["edges"][0]
        two = [dict(node, source={"kind": k, "value": "a"}) for k in ("url", "local_path")]
        for bad in (None, [], {}, self.manifest(schema=1), self.manifest(extra=1), self.manifest(nodes={1: node}), self.manifest(nodes={"a"}), self.manifest(nodes=[1]),
                    self.manifest(nodes=[dict(node, sha256=5)]), self.manifest(nodes=[dict(node, content_hash=A)]), self.manifest(nodes=[dict(node, source="a")]),
                    self.manifest(edges=[dict(edge, occurrence=-1)]), self.manifest(edges=[dict(edge, occurrence=1 << 32)]), self.manifest(edges=[dict(edge, occurrence=True)]),
                    self.manifest(edges=[dict(edge, occurrence=1.0)]), self.manifest(nodes=two, edges=[dict(edge, child="a")]),
                    self.manifest(nodes=[dict(node, sha256=sc_sha.CompositionSha256(A))])):
            with self.subTest(repr(bad)[:100]), self.assertRaises(sc_sha.InvalidManifest):
                sc_sha.calculate_composition_hash(bad)
        with self.assertRaises(sc_sha.InvalidCanonicalSource):
            sc_sha.calculate_composition_hash(self.manifest(nodes=[{"source": {"kind": "url", "value": "\ud800"}, "sha256": A}]))
        with self.assertRaises(sc_sha.UnknownEdgeEndpoint) as caught:
            sc_sha.calculate_composition_hash(self.manifest(edges=[dict(edge, child="c")]))
        self.assertEqual(caught.exception.path, "/edges/0/child")

    def test_arguments_are_not_changed(self):
        m = self.manifest()
        before = json.dumps(m)
        sc_sha.calculate_composition_hash(m)
        self.assertEqual(json.dumps(m), before)


class Texts(unittest.TestCase):
    def test_refused(self):
        for bad in (1, None, ["a"], {"kind": "command", "content": "a"}, {"content": "a"}, {"kind": "text-file", "content": 1}):
            with self.subTest(repr(bad)), self.assertRaises(sc_sha.InvalidDomain):
                sc_sha.calculate_hash(bad)
        with self.assertRaises(sc_sha.InvalidUtf8):
            sc_sha.calculate_hash("\ud800")

    def test_values(self):
        a = sc_sha.calculate_hash(b"a")
        self.assertEqual((a.kind, a.value, a.to_hex(), a.as_bytes().hex()), ("template", str(a), str(a), str(a)))
        self.assertNotEqual(a, sc_sha.CompositionSha256(a.value))
        self.assertNotEqual(a, a.value)
        self.assertEqual({a: 1}[pickle.loads(pickle.dumps(a))], 1)
        for bad in ("", "a", A[:-1], A + "0", A[:62] + " 1"[::-1] + " ", b"x"):
            with self.subTest(repr(bad)), self.assertRaises(ValueError):
                sc_sha.TemplateSha256(bad)
        with self.assertRaises(AttributeError):
            a.value = "x"
        again = pickle.loads(pickle.dumps(sc_sha.InvalidDigest("m", "/p")))
        self.assertEqual((type(again), again.path, str(again)), (sc_sha.InvalidDigest, "/p", "m"))

    def test_threads(self):
        want, got = str(sc_sha.calculate_hash(b"x" * 100000)), []
        threads = [threading.Thread(target=lambda: got.extend(str(sc_sha.calculate_hash(b"x" * 100000)) for _ in range(20))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, [want] * 80)

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "no fork")
    def test_fork(self):
        sc_sha.calculate_hash(b"")
        pid = os.fork()
        if pid == 0:
            try:
                sc_sha.calculate_hash(b"")
                os._exit(1)
            except RuntimeError:
                os._exit(0)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)


class Wheel(unittest.TestCase):
    def test_install(self):
        """A clean consumer installs the wheel, with nothing from an index, and uses it from elsewhere."""
        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest("no pip")
        with tempfile.TemporaryDirectory() as folder:
            quiet = dict(os.environ, PIP_ROOT_USER_ACTION="ignore")
            pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
            subprocess.run(pip + ["wheel", "--no-index", "--no-deps", "--wheel-dir", folder, PACKAGE], check=True, env=quiet)
            wheels = [f for f in os.listdir(folder) if f.endswith(".whl")]
            self.assertEqual(len(wheels), 1)
            target = os.path.join(folder, "site")
            subprocess.run(pip + ["install", "--no-index", "--no-deps", "--target", target, os.path.join(folder, wheels[0])], check=True, env=quiet)
            env = {k: v for k, v in os.environ.items() if k not in ("SC_SHA_LIBRARY", "PYTHONPATH")}
            env["PYTHONPATH"] = target
            done = subprocess.run([sys.executable, "-c", "import sc_sha; print(sc_sha.__file__); print(sc_sha.calculate_hash('root\\n'))"],
                                  check=True, env=env, cwd=folder, stdout=subprocess.PIPE)
            at, value = done.stdout.decode().split()
            self.assertTrue(at.startswith(target), at)
            self.assertEqual(value, str(sc_sha.calculate_hash(b"root\n")))


if __name__ == "__main__":
    unittest.main()
