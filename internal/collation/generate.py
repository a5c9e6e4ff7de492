#!/usr/bin/env python3
"""Writes root.bin, the weights of package collation, from the collation data that a Node.js binary holds.

  generate.py /usr/bin/node

The data of ICU 78 (root collation of CLDR 48, UCA 17, and tailorings) is cut out of the binary, and read through the C
interface of ICU 72, whose format of collation data is the same: libicuuc.so.72 and libicui18n.so.72 have to be there.
Characters that ICU 72's own data has in another place are listed, so that nobody takes their order for settled.
"""
import bisect
import ctypes
import mmap
import os
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zlib

LOCALES = ["az", "bs", "cs", "cy", "da", "eo", "es", "et", "fi", "fil", "fo", "gl", "haw", "hr", "hu", "is", "kl", "lt", "lv", "mt",
           "no", "pl", "ro", "se", "sk", "sl", "sq", "sv", "tr", "vi"]


def cut(binary, folder):
    """Writes the collation files of the ICU package in binary below folder, named for ICU 72."""
    with open(binary, "rb") as f:
        b = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
    for m in re.finditer(rb"\xda\x27.{8}CmnD", b, re.DOTALL):
        head = m.start() - 2
        toc = head + struct.unpack("<H", b[head:head + 2])[0]
        count = struct.unpack("<I", b[toc:toc + 4])[0]
        items = [struct.unpack("<II", b[toc + 4 + 8 * k:toc + 12 + 8 * k]) for k in range(count)]
        for k, (name, data) in enumerate(items[:-1]):
            name = b[toc + name:b.find(b"\0", toc + name)].decode()
            if "/coll/" not in name:
                continue
            at = os.path.join(folder, "icudt72l", name.split("/", 1)[1])
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "wb") as f:
                f.write(b[toc + data:toc + items[k + 1][1]])


class Collator:
    def __init__(self, locale):
        self.locale = locale
        self.error = ctypes.c_int(0)
        self.c = ctypes.c_void_p(I18N.ucol_open_72(locale.encode(), ctypes.byref(self.error)))
        self.check()

    def check(self):
        if self.error.value > 0:
            raise SystemExit("%s: ICU error %d" % (self.locale, self.error.value))

    def version(self):
        v = (ctypes.c_uint8 * 4)()
        I18N.ucol_getUCAVersion_72(self.c, v)
        return list(v)

    def elements(self, text):
        """The collation elements of text: (primary, secondary, tertiary, case), 32, 16, 16 and 2 bits."""
        u = text.encode("utf-16-le")
        it = ctypes.c_void_p(I18N.ucol_openElements_72(self.c, ctypes.create_string_buffer(u + b"\0\0"), len(u) // 2, ctypes.byref(self.error)))
        self.check()
        out = []
        while True:
            x = I18N.ucol_next_72(it, ctypes.byref(self.error))
            if x == -1:
                break
            x &= 0xffffffff
            if x & 0xc0 == 0xc0 and out:  # the second half of the one before
                p, s, t, c = out[-1]
                out[-1] = (p | x >> 16, s | x >> 8 & 0xff, t | x & 0x3f, c)
            elif x:
                out.append((x & 0xffff0000, x & 0xff00, (x & 0x3f) << 8, x >> 6 & 3))
        I18N.ucol_closeElements_72(it)
        self.check()
        return [e for e in out if e[:3] != (0, 0, 0)]

    def strings(self, fill):
        """The strings of a set that fill puts them in."""
        s = ctypes.c_void_p(UC.uset_openEmpty_72())
        fill(s)
        self.check()
        for i in range(UC.uset_getItemCount_72(s)):
            start, end = ctypes.c_int32(), ctypes.c_int32()
            buf = ctypes.create_string_buffer(200)
            n = UC.uset_getItem_72(s, i, ctypes.byref(start), ctypes.byref(end), buf, 100, ctypes.byref(self.error))
            self.check()
            if n == 0:
                yield from (chr(c) for c in range(start.value, end.value + 1))
            else:
                yield buf.raw[:2 * n].decode("utf-16-le", "surrogatepass")

    def contractions(self):
        return self.strings(lambda s: I18N.ucol_getContractionsAndExpansions_72(self.c, s, None, 1, ctypes.byref(self.error)))

    def tailored(self):
        def fill(s):
            t = ctypes.c_void_p(I18N.ucol_getTailoredSet_72(self.c, ctypes.byref(self.error)))
            UC.uset_addAll_72(s, t)
        return self.strings(fill)

    def upper_first(self):
        return I18N.ucol_getAttribute_72(self.c, 2, ctypes.byref(self.error)) == 25


def bind(folder):
    """Loads ICU 72, with data from folder, or with its own for None."""
    global UC, I18N
    UC, I18N = ctypes.CDLL("libicuuc.so.72"), ctypes.CDLL("libicui18n.so.72")
    if folder:
        UC.u_setDataDirectory_72(folder.encode())
    for f in ("ucol_open", "ucol_openElements", "ucol_getTailoredSet"):
        getattr(I18N, f + "_72").restype = ctypes.c_void_p
    UC.uset_openEmpty_72.restype = ctypes.c_void_p


def characters():
    """The characters that were there in the Unicode of this Python (14), which ICU 72 knows all of."""
    return [cp for cp in range(0x110000) if unicodedata.category(chr(cp)) not in ("Cn", "Co", "Cs")]


def single_keys():
    """The weights of each single character."""
    root = Collator("root")
    return {cp: [[e[k] for e in root.elements(chr(cp))] for k in range(3)] for cp in characters()}


def moved(keys):
    """The characters that ICU 72's own data has in another place: all but a longest list that both have in one order."""
    text = subprocess.run([sys.executable, __file__, "keys"], check=True, stdout=subprocess.PIPE).stdout.decode()
    old = {cp: eval(k) for cp, k in zip(keys, text.splitlines())}  # its own output
    order = sorted(keys, key=lambda cp: (old[cp], cp))
    tails, at, before = [], [], [-1] * len(order)
    for i, cp in enumerate(order):
        j = bisect.bisect_right(tails, keys[cp])
        tails[j:j + 1], at[j:j + 1] = [keys[cp]], [i]
        before[i] = at[j - 1] if j else -1
    kept, i = set(), at[-1]
    while i >= 0:
        kept.add(order[i])
        i = before[i]
    return sorted(set(keys) - kept)


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def main(binary, target):
    with tempfile.TemporaryDirectory() as folder:
        cut(binary, folder)
        bind(folder)
        root = Collator("root")
        print("UCA", root.version())
        assert root.version()[0] == 17, "the data of the binary is not used"

        singles, unassigned = {}, 0
        first_unassigned = root.elements("\U0003FFFD")[0][0]
        lead = first_unassigned >> 24
        for cp in range(0x110000):
            ch = chr(cp)
            if 0xd800 <= cp < 0xe000 or unicodedata.normalize("NFD", ch) != ch:
                continue
            e = root.elements(ch)
            if len(e) == 1 and e[0][0] >> 24 == lead and cp != 0xfffd and cp != 0xffff and cp != 0xfffe:
                unassigned += 1  # unassigned: its order is that of the code points, after all that is known
                continue
            singles[cp] = e
        print(len(singles), "characters", unassigned, "unassigned")
        contractions = {}
        for s in root.contractions():
            if any(0xd800 <= ord(c) < 0xe000 for c in s):
                continue
            n = unicodedata.normalize("NFD", s)
            if len(n) > 1:
                contractions[n] = root.elements(s)
        print(len(contractions), "contractions")
        unsettled = moved(single_keys())
        print(len(unsettled), "characters have moved since ICU 72")
        locales = []
        for name in LOCALES:
            c = Collator(name)
            assert c.version()[0] == 17
            own = {}
            for s in list(c.tailored()) + [s for s in c.contractions()]:
                if any(0xd800 <= ord(x) < 0xe000 for x in s):
                    continue
                n = unicodedata.normalize("NFD", s)
                e = c.elements(s)
                if n not in own and e != (contractions.get(n) or sum((singles.get(ord(x), []) for x in n), [])):
                    own[n] = e
            locales.append((name, c.upper_first(), own))
            print(name, c.upper_first(), len(own))

    every = list(singles.values()) + list(contractions.values()) + [e for _, _, own in locales for e in own.values()]
    rank = [{w: i for i, w in enumerate(sorted({e[k] for l in every for e in l} | {0}))} for k in range(3)]
    print("weights", [len(r) for r in rank])
    assert len(rank[1]) < 1 << 16 and len(rank[2]) < 64

    def pack(elements, before):
        out = varint(len(elements))
        for p, s, t, c in elements:
            p = rank[0][p]
            out += zigzag(p - before) + varint(rank[1][s]) + varint(rank[2][t] << 2 | c)
            before = p
        return out, before

    def text(s):
        return varint(len(s)) + b"".join(varint(ord(c)) for c in s)

    def table(strings):
        out, before = varint(len(strings)), 0
        for s in sorted(strings):
            b, before = pack(strings[s], before)
            out += text(s) + b
        return out

    # Runs of characters with one element each, whose primaries follow each other.
    runs, rest = [], []
    for cp in sorted(singles):
        e = singles[cp]
        if len(e) == 1:
            p = rank[0][e[0][0]]
            if runs and runs[-1][0] + runs[-1][1] == cp and runs[-1][2] + runs[-1][1] == p and runs[-1][3] == e[0][1:] and p:
                runs[-1][1] += 1
                continue
            runs.append([cp, 1, p, e[0][1:]])
            continue
        rest.append(cp)
    short = [r for r in runs if r[1] < 4]
    runs = [r for r in runs if r[1] >= 4]
    rest = sorted(rest + [r[0] + i for r in short for i in range(r[1])])
    out, last = varint(len(rank[0])) + varint(len(runs)), 0
    for cp, n, p, (s, t, c) in runs:
        out += varint(cp - last) + varint(n) + varint(p) + varint(rank[1][s]) + varint(rank[2][t] << 2 | c)
        last = cp
    out += varint(len(rest))
    last = before = 0
    for cp in rest:
        b, before = pack(singles[cp], before)
        out += varint(cp - last) + b
        last = cp
    out += table(contractions) + varint(len(locales))
    for name, upper, own in locales:
        out += text(name) + varint(int(upper)) + table(own)
    ranges = []
    for cp in unsettled:
        if ranges and ranges[-1][1] == cp:
            ranges[-1][1] += 1
        else:
            ranges.append([cp, cp + 1])
    out += varint(len(ranges))
    last = 0
    for start, end in ranges:
        out += varint(start - last) + varint(end - start)
        last = end
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = z.compress(out) + z.flush()
    print(len(runs), "runs", len(rest), "rest", len(out), "bytes,", len(packed), "compressed")
    with open(target, "wb") as f:
        f.write(packed)


if __name__ == "__main__":
    if sys.argv[1] == "keys":
        bind(None)
        for k in single_keys().values():
            print(k)
        sys.exit()
    main(sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "root.bin"))
