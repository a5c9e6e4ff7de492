package collation_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"example.org/compose/internal/collation"
)

func order(t testing.TB, locale string) *collation.Order {
	t.Helper()
	o, err := collation.Root()
	if locale != "" {
		o, err = collation.Locale(locale)
	}
	if err != nil || o == nil {
		t.Fatal(locale, err)
	}
	return o
}

func compare(o *collation.Order, a, b string) int {
	ka, _ := o.Key(a)
	kb, _ := o.Key(b)
	return bytes.Compare(ka, kb)
}

// Each list is in order.
func TestOrder(t *testing.T) {
	for _, c := range []struct{ locale, list string }{
		{"", "_ - , ; : ! ? ' ( ) [ ] { } @ * & # % ^ + < = > | ~ $ 0 9 a A b"},
		{"", "a ä ab z"},
		{"", "sr ss ß st"},
		{"", "đ ḍ ł ḷ"},
		{"", "🎉 🧠 😀 0 a α ж 한 あ 中"},
		{"sv", "z å ä ö"},
		{"da", "A a ab B b z æ ø å aa"},
		{"cs", "c cz d h ch i"},
		{"et", "s š z t"},
	} {
		o, list := order(t, c.locale), strings.Fields(c.list)
		for i := range list[1:] {
			if compare(o, list[i], list[i+1]) >= 0 {
				t.Errorf("%s: %q is not before %q", c.locale, list[i], list[i+1])
			}
		}
	}
}

func TestTies(t *testing.T) {
	o := order(t, "")
	for _, pair := range [][2]string{{"caf\u00e9", "cafe\u0301"}, {"a\u200db", "ab"}, {"\u00ad", ""}, {"\u212b", "\u00c5"}} {
		if compare(o, pair[0], pair[1]) != 0 {
			t.Errorf("%+q and %+q differ", pair[0], pair[1])
		}
	}
}

func TestSettled(t *testing.T) {
	o := order(t, "")
	for text, want := range map[string]bool{"SKILL.md": true, "😀": true, "": true, "a\U0003FFFDb": false, "\ue000": false, "中文": true, "\u8ba0": false, "\u20a8": false, "\xff": true} {
		if _, settled := o.Key(text); settled != want {
			t.Errorf("%q: settled %v", text, settled)
		}
	}
	if o, err := collation.Locale("xx"); o != nil || err != nil {
		t.Errorf("a locale that is not there: %v, %v", o, err)
	}
}

// nodeProgram compares pairs of texts in several locales and answers with the signs.
const nodeProgram = `
const todo = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const signs = todo.map(({locale, pairs}) => { const c = new Intl.Collator(locale); return pairs.map(([a, b]) => Math.sign(c.compare(a, b))); });
console.log(JSON.stringify({icu: process.versions.icu, signs}));
`

type todo struct {
	Locale string      `json:"locale"`
	Pairs  [][2]string `json:"pairs"`
}

// Node.js compares as this package does, where it has the same data.
func TestAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	if testing.Short() {
		t.Skip("short")
	}
	locales, err := collation.Locales()
	if err != nil {
		t.Fatal(err)
	}
	var list []todo
	for i, locale := range append([]string{"en-US"}, locales...) {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		pairs := make([][2]string, 1000)
		if i == 0 {
			pairs = make([][2]string, 20000)
		}
		for i := range pairs {
			pairs[i] = [2]string{text(random, i), text(random, i)}
			if i%3 == 0 {
				pairs[i][1] = mutate(random, pairs[i][0])
			}
			if locale != "en-US" && strings.ContainsFunc(pairs[i][0]+pairs[i][1], moved) {
				pairs[i] = [2]string{}
			}
		}
		list = append(list, todo{locale, pairs})
	}
	input, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", nodeProgram)
	cmd.Stdin = bytes.NewReader(input)
	answer, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ICU   string
		Signs [][]int
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.ICU, "78.") {
		t.Skipf("node has ICU %s", got.ICU)
	}
	for i, l := range list {
		o := order(t, strings.TrimPrefix(l.Locale, "en-US"))
		wrong := 0
		for k, p := range l.Pairs {
			if sign := compare(o, p[0], p[1]); sign != got.Signs[i][k] {
				if wrong++; wrong <= 10 {
					t.Errorf("%s: %+q and %+q: got %d, node says %d", l.Locale, p[0], p[1], sign, got.Signs[i][k])
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of %d differ", l.Locale, wrong, len(l.Pairs))
		}
	}
}

// moved reports whether some locale has the script of r in another place.
func moved(r rune) bool { return unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Coptic) }

var alphabets = []string{
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./ ",
	"aAzZlLsSdDgGnNyYcChHtT-.",
	"aåäàǻæzđḍłḷıiİIöøőŒœüßſ\u0301\u0308\u030a\u0323\u0327\u0328",
	"0a😀🎉🧠中한あカーヽゝゞガ\u3099ｶｰ",
	"เแโไใกขคàᨀ\u0e31\u0e49ໂເກຂ",
	"\u0f71\u0f72\u0f80\u0fb2\u0fb3\u0f40\u0dd9\u0dca\u0dcf\u0bc6\u0bbe\u0b92\u0bd7\u1025\u102e\u09c7\u09be",
	"абвгґдеёжзиійкл\u0306\u0308ѐabc",
	"\u200d\u200b\u00ad\u0000\u0001\ufe0f\u2060ab.",
}

func text(random *rand.Rand, i int) string {
	if i%5 == 4 {
		return anyText(random)
	}
	runes := []rune(alphabets[random.IntN(len(alphabets))])
	var b strings.Builder
	for range 1 + random.IntN(6) {
		b.WriteRune(runes[random.IntN(len(runes))])
	}
	return b.String()
}

func anyText(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(4) {
		r := rune(random.IntN(0x3000))
		if random.IntN(3) == 0 {
			r = rune(random.IntN(0x32000))
		}
		if 0xd800 <= r && r < 0xe000 {
			r = 'x'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func mutate(random *rand.Rand, s string) string {
	runes := []rune(s)
	i := random.IntN(len(runes))
	switch random.IntN(3) {
	case 0:
		runes = append(runes[:i], runes[i+1:]...)
	case 1:
		runes[i] = []rune(text(random, 0))[0]
	case 2:
		return string(runes[:i]) + strings.ToUpper(string(runes[i:]))
	}
	return string(runes)
}

func BenchmarkKey(b *testing.B) {
	o := order(b, "")
	for b.Loop() {
		o.Key("references/some-guide.md")
	}
}

// TestASCII holds the page to the weights: whoever writes the rule anew for names in ASCII goes by its line.
func TestASCII(t *testing.T) {
	page, err := os.ReadFile("../../docs/identities.md")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(page), "a space before its first character:\n\n```\n")
	line, _, _ = strings.Cut(line, "\n")
	if len(line) != '~'-' '-26 { // each printable character but the space and upper-case letters
		t.Fatalf("the page has %q", line)
	}
	root := order(t, "")
	pairs := [][2]string{{"a", "A"}, {"A", "b"}, {"aB", "Ab"}, {"A", "a."}, {"Ab", "aC"}, {"a/B", "A/b"}}
	for i := range line {
		pairs = append(pairs, [2]string{(" " + line)[i:i+1] + "z", line[i : i+1]})
	}
	for _, pair := range pairs {
		if compare(root, pair[0], pair[1]) >= 0 {
			t.Errorf("%q is not before %q", pair[0], pair[1])
		}
	}
}
