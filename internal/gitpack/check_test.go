package gitpack_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"os"
	"path/filepath"
	"testing"

	"example.org/compose/internal/gitpack"
)

func TestCheck(t *testing.T) {
	pack, other := chain(5, true), chain(6, true)
	installed := mustReceive(t, pack, gitpack.Limits{})
	index := mustRead(t, installed+".idx")
	otherIndex := mustRead(t, mustReceive(t, other, gitpack.Limits{})+".idx")
	summed := func(content []byte) []byte {
		sum := sha1.Sum(content[:len(content)-20])
		return append(bytes.Clone(content[:len(content)-20]), sum[:]...)
	}
	flipped := func(content []byte, at int) []byte {
		content = bytes.Clone(content)
		content[at] ^= 1
		return content
	}
	tests := []struct {
		name        string
		pack, index []byte
		sums, whole string // what the error says; "" for none
	}{
		{"sound", pack, index, "", ""},
		{"no pack", nil, index, "can't be read", "can't be read"},
		{"no index", pack, nil, "can't be read", "can't be read"},
		{"a pack cut off", pack[:30], index, "ends too early", "ends too early"},
		{"a pack with a changed byte", flipped(pack, 40), index, "checksum does not fit", "checksum does not fit"},
		{"a pack that goes on", append(bytes.Clone(pack), 0), index, "checksum does not fit", "checksum does not fit"},
		{"another pack", other, index, "its name", "its name"},
		{"an index with a changed byte", pack, flipped(index, 1040), "checksum does not fit", "checksum does not fit"},
		{"an index of another pack", pack, otherIndex, "another pack", "another pack"},
		{"an index that lies", pack, summed(flipped(index, 1040)), "", "says other things"},
		{"an index that is longer", pack, summed(append(append(bytes.Clone(index[:len(index)-40]), 0, 0, 0, 0), index[len(index)-40:]...)), "", "says other things"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), filepath.Base(installed))
			for extension, content := range map[string][]byte{".pack": tt.pack, ".idx": tt.index} {
				if content == nil {
					continue
				}
				if err := os.WriteFile(base+extension, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			wantError := func(err error, says string) {
				t.Helper()
				if says == "" && err != nil {
					t.Error(err)
				}
				if says != "" {
					wantCode(t, err, gitpack.CodeReadFailed, says)
				}
			}
			wantError(gitpack.CheckSums(context.Background(), base), tt.sums)
			wantError(gitpack.Check(context.Background(), base, gitpack.Limits{}), tt.whole)
		})
	}
}

// A pack with a right checksum may still hold what is no pack.
func TestCheckContents(t *testing.T) {
	installed := mustReceive(t, chain(5, true), gitpack.Limits{})
	index := mustRead(t, installed+".idx")
	for says, pack := range map[string][]byte{
		"checksum": packOf(0, chain(1, false)[12:len(chain(1, false))-20]),
		"no pack of version 2": func() []byte {
			p := []byte("PUCK00000000--------------------")
			s := sha1.Sum(p)
			return append(p, s[:]...)
		}(),
		"no base in it":                func() []byte { var b builder; b.onID(blobID(nil), []byte{0, 1, 1, 'x'}); return b.pack() }(),
		"fewer bytes than its header":  func() []byte { var b builder; b.raw(header(3, 9), deflate([]byte("x"))); return b.pack() }(),
		"the pack is damaged: object ": func() []byte { var b builder; b.raw([]byte{0x70, 0, 0, 0, 0, 0, 0, 0, 0}); return b.pack() }(),
	} {
		base := filepath.Join(t.TempDir(), "pack-"+hexOf(pack[len(pack)-20:]))
		own := append(bytes.Clone(index[:len(index)-40]), pack[len(pack)-20:]...)
		sum := sha1.Sum(own)
		own = append(own, sum[:]...)
		if err := os.WriteFile(base+".pack", pack, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(base+".idx", own, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := gitpack.CheckSums(context.Background(), base); err != nil {
			t.Errorf("%s: %v", says, err)
		}
		wantCode(t, gitpack.Check(context.Background(), base, gitpack.Limits{}), gitpack.CodeReadFailed, says)
	}
}

func TestCheckEndsWithContext(t *testing.T) {
	base := mustReceive(t, chain(5, true), gitpack.Limits{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := gitpack.CheckSums(ctx, base); err != context.Canceled {
		t.Error(err)
	}
	if err := gitpack.Check(ctx, base, gitpack.Limits{}); err != context.Canceled {
		t.Error(err)
	}
}
