package fingerprint_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/compose/fingerprint"
)

const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestOf(t *testing.T) {
	if got := fingerprint.Of[fingerprint.Material](nil).String(); got != empty {
		t.Errorf("got %s, want %s", got, empty)
	}
	h := sha256.New()
	h.Write([]byte("abc"))
	if got, want := fingerprint.From[fingerprint.Recipe](h), fingerprint.Of[fingerprint.Recipe]([]byte("abc")); got != want {
		t.Errorf("From gives %s, Of %s", got, want)
	}
}

func TestParse(t *testing.T) {
	d, err := fingerprint.Parse[fingerprint.LockFile](empty)
	if err != nil || d.String() != empty {
		t.Errorf("got %s, error %v", d, err)
	}
	for _, text := range []string{"", empty[1:], empty + "0", strings.ToUpper(empty), "g" + empty[1:], " " + empty[1:], "\x00" + empty[1:], "F" + empty[1:]} {
		if d, err := fingerprint.Parse[fingerprint.LockFile](text); err != fingerprint.ErrSyntax || d != (fingerprint.LockFile{}) {
			t.Errorf("%q: got %s, error %v", text, d, err)
		}
	}
}

func TestFraming(t *testing.T) {
	f := fingerprint.NewFraming()
	f.Text("domain")
	f.Byte(1)
	f.Uint32(2)
	f.Uint64(3)
	f.Bytes([]byte{4, 5})
	f.Write([]byte{6})
	var want []byte
	want = binary.BigEndian.AppendUint64(want, 6)
	want = append(want, "domain\x01\x00\x00\x00\x02"...)
	want = binary.BigEndian.AppendUint64(want, 3)
	want = binary.BigEndian.AppendUint64(want, 2)
	want = append(want, 4, 5, 6)
	for range 2 { // Sum may be asked twice
		if got := fingerprint.Sum[fingerprint.Composition](f); got != fingerprint.Of[fingerprint.Composition](want) {
			t.Errorf("got %s", got)
		}
	}
}

func Example() {
	d := fingerprint.Of[fingerprint.Material]([]byte("hello\n"))
	again, err := fingerprint.Parse[fingerprint.Material](d.String())
	fmt.Println(d)
	fmt.Println(again == d, err)
	// Output:
	// 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03
	// true <nil>
}
