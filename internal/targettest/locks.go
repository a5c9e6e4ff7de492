package targettest

import (
	"strings"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

func encoded() string { return string(strictjson.Encode(Lock().Value())) }

// BadLocks returns lock texts that no reader may take, by what is wrong. A name that begins with "JSON: " is of
// one that is no strict JSON, and with "version: " of one in another version; the others break a rule.
func BadLocks() map[string]string {
	good := encoded()
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			panic("the lock has no " + old) // a fault of this table
		}
		return strings.Replace(good, old, new, 1)
	}
	edit := func(change func(*lockv2.Lock)) string {
		l := Lock()
		change(l)
		return string(strictjson.Encode(l.Value()))
	}
	locks := map[string]string{
		"JSON: empty file":        "",
		"JSON: white space":       " \n",
		"JSON: BOM":               "\ufeff" + good,
		"JSON: UTF-16":            utf16(good),
		"JSON: not UTF-8":         swap(`"app"`, "\"\xff\""),
		"JSON: duplicate source":  swap(`"source": {`, `"source": {}, "source": {`),
		"JSON: duplicate field":   swap(`"ownership": "managed"`, `"ownership": "managed", "ownership": "managed"`),
		"JSON: trailing data":     good + "x",
		"JSON: two documents":     good + good,
		"JSON: NaN":               swap(`"version": 1`, `"version": NaN`),
		"JSON: Infinity":          swap(`"version": 1`, `"version": Infinity`),
		"JSON: cut off":           good[:len(good)/2],
		"JSON: depth bomb":        swap(`"parameters": {}`, `"parameters": {"artifact.app-core": {"x": `+strings.Repeat("[", 100000)+strings.Repeat("]", 100000)+`}}`),
		"JSON: open depth bomb":   strings.Repeat("[", 1<<20),
		"JSON: lone surrogate":    swap(`"app"`, `"\ud800"`),
		"JSON: comment":           "// no\n" + good,
		"JSON: NUL":               swap(`"app"`, "\"a\x00\""),
		"JSON: conflict markers":  "<<<<<<< ours\n" + good + "=======\n" + good + ">>>>>>> theirs\n",
		"array":                   "[]",
		"null":                    "null",
		"text":                    `"lock"`,
		"empty object":            "{}",
		"unknown field":           swap("{\n", "{\n  \"extra\": 1,\n"),
		"unknown field in a file": swap(`"ownership": "managed"`, `"ownership": "managed", "mode": 420`),
		"another letter case":     swap(`"source"`, `"Source"`),
		"missing field":           edit(func(l *lockv2.Lock) {})[:1] + strings.Join(strings.Split(good, "\n")[2:], "\n"),
		"zero revision":           edit(func(l *lockv2.Lock) { l.Source.Revision = lockv2.Revision(strings.Repeat("0", 40)) }),
		"upper-case revision":     edit(func(l *lockv2.Lock) { l.Source.Revision = lockv2.Revision(strings.Repeat("A", 40)) }),
		"branch as revision":      edit(func(l *lockv2.Lock) { l.Source.Revision = "main" }),
		"files out of order":      edit(func(l *lockv2.Lock) { l.Files[0], l.Files[1] = l.Files[1], l.Files[0] }),
		"components out of order": edit(func(l *lockv2.Lock) { l.Components[0], l.Components[1] = l.Components[1], l.Components[0] }),
		"duplicate file":          edit(func(l *lockv2.Lock) { l.Files[1].Destination = l.Files[0].Destination }),
		"colliding files":         edit(func(l *lockv2.Lock) { l.Files[1].Destination = "A.txt" }),
		"file and its folder":     edit(func(l *lockv2.Lock) { l.Files[4].Destination = "contracts/manifest.json/x" }),
		"foreign owner":           edit(func(l *lockv2.Lock) { l.Files[0].Component = "capability.none" }),
		"no owner":                edit(func(l *lockv2.Lock) { l.Files = l.Files[1:] }),
		"no files":                edit(func(l *lockv2.Lock) { l.Files = nil }),
		"no artifact":             edit(func(l *lockv2.Lock) { l.Components = l.Components[1:] }),
		"unknown ownership":       edit(func(l *lockv2.Lock) { l.Files[1].Ownership = "owned" }),
		"short digest":            swap(Lock().RecipeDigest.String(), "00"),
		"upper-case digest":       swap(Lock().RecipeDigest.String(), strings.ToUpper(Lock().RecipeDigest.String())),
		"integer with a point":    swap(`"version": 1`, `"version": 1.0`),
		"integer with exponent":   swap(`"version": 1`, `"version": 1e0`),
		"huge integer":            swap(`"version": 1`, `"version": 99999999999999999999999`),
		"version 0":               swap(`"version": 1`, `"version": 0`),
		"boolean version":         swap(`"version": 1`, `"version": true`),
		"schema version as text":  swap(`"schema_version": 2`, `"schema_version": "2"`),
		"schema version 2.0":      swap(`"schema_version": 2`, `"schema_version": 2.0`),
		"version: 1":              swap(`"schema_version": 2`, `"schema_version": 1`),
		"version: 3":              swap(`"schema_version": 2`, `"schema_version": 3`),
	}
	for name, d := range map[string]lockv2.Destination{
		"escaping": "z/../../x", "absolute": "/etc/passwd", "drive": "C:/x", "git": "x/.GIT/config", "backslash": "x\\y", "device": "x/aux.py",
		"empty segment": "x//y", "dot": "x/./y", "space": "x y", "not ASCII": "é", "hyphen": "x/-y", "end in a dot": "x.", "control": "x\n", "empty": "",
		"bidi": "x\u202ey", "reserved lock": ".template-composition/lock.json", "reserved policy": ".template-composition/policy.json", "reserved staging": ".Template-Composition/Staging/x", "reserved folder": ".template-composition",
		"state folder misspelled": ".Template-Composition/notes.md",
		"long segment":            lockv2.Destination(strings.Repeat("x", 256)),
	} {
		locks["path, "+name] = edit(func(l *lockv2.Lock) {
			l.Files = append([]lockv2.File{}, l.Files...)
			at := 0
			for at < len(l.Files) && l.Files[at].Destination < d {
				at++
			}
			f := l.Files[2]
			f.Destination = d
			l.Files = append(l.Files[:at], append([]lockv2.File{f}, l.Files[at:]...)...)
		})
	}
	return locks
}

// utf16 writes ASCII text as UTF-16, least byte first, with its mark.
func utf16(text string) string {
	b := []byte{0xff, 0xfe}
	for i := range len(text) {
		b = append(b, text[i], 0)
	}
	return string(b)
}
