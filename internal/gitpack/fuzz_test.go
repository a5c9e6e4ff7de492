package gitpack_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitpack"
)

// Whatever comes, it is refused without a trace, or is a pack that stands every check. The checksum is made right, so
// that what is before it counts.
func FuzzReceive(f *testing.F) {
	for _, pack := range [][]byte{packOf(0, nil), chain(3, false), chain(3, true)} {
		f.Add(pack[8 : len(pack)-20])
	}
	for seed := range int64(4) {
		pack, _ := forest(rand.New(rand.NewSource(seed)), 8, 20, seed%2 == 0, nil)
		f.Add(pack[8 : len(pack)-20])
	}
	limits := gitpack.Limits{Bytes: 1 << 20, Objects: 1000, Object: 1 << 20, Total: 4 << 20, Depth: 20, Memory: 1 << 20}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < 4 {
			return
		}
		pack := packOf(binary.BigEndian.Uint32(body), body[4:])
		folder := t.TempDir()
		result, err := gitpack.Receive(context.Background(), folder, bytes.NewReader(pack), limits, nil)
		switch {
		case err != nil || result.Objects == 0:
			wantEmpty(t, folder)
		default:
			if err := gitpack.Check(context.Background(), filepath.Join(folder, result.Name), limits); err != nil {
				t.Error(err)
			}
		}
	})
}
