package strictjson_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
)

func BenchmarkParse(b *testing.B) {
	texts := map[string]string{
		"zeros":       "[" + strings.Repeat("0,", 1<<20) + "0]",
		"one string":  `"` + strings.Repeat("x", 1<<20) + `"`,
		"escapes":     `"` + strings.Repeat(`\n`, 1<<19) + `"`,
		"empty lists": "[" + strings.Repeat("[],", 1<<18) + "0]",
	}
	for _, n := range []int{10_000, 100_000} {
		var names strings.Builder
		for i := range n {
			fmt.Fprintf(&names, `"n%d":0,`, i*7919%1_000_003)
		}
		texts[fmt.Sprint(n, " scattered names")] = "{" + names.String() + `"z":0}`
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := strictjson.Parse([]byte(text), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
