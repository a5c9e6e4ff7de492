package strictjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"example.org/compose/internal/strictjson"
)

// table returns a document with n rows, and the same one with Items.
func table(n int) (rows, items strictjson.Value) {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	members := func(i int) []strictjson.Member {
		m := []strictjson.Member{strictjson.F("name", strictjson.Str(fmt.Sprintf("n\"%d", i)))}
		if i%2 == 0 {
			m = append(m, strictjson.F("even", strictjson.Arr(strictjson.Int(int64(i)))))
		}
		return m
	}
	frame := func(v strictjson.Value) strictjson.Value {
		return strictjson.Obj(strictjson.F("z", strictjson.Arr(v, strictjson.Str("x"))), strictjson.F("a", strictjson.Arr()))
	}
	return frame(strictjson.Rows(list, func(m []strictjson.Member, i *int) []strictjson.Member { return append(m, members(*i)...) })),
		frame(strictjson.List(list, func(i int) strictjson.Value { return strictjson.Obj(members(i)...) }))
}

// Rows are what a list with the same items is, for all that takes a Value.
func TestRows(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3000} {
		rows, items := table(n)
		want := strictjson.Encode(items)
		var written bytes.Buffer
		if err := strictjson.Write(&written, rows); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string][]byte{
			"Encode":        strictjson.Encode(rows),
			"Append":        strictjson.Append([]byte("x"), rows)[1:],
			"Write":         written.Bytes(),
			"Whole":         strictjson.Encode(rows.Whole()),
			"AppendCompact": reread(t, strictjson.AppendCompact(nil, rows)),
		} {
			if !bytes.Equal(got, want) {
				t.Errorf("%d rows, %s: got %.200s", n, name, got)
			}
		}
		if got, want := strictjson.Encode(rows.Sorted()), strictjson.Encode(items.Sorted()); !bytes.Equal(got, want) {
			t.Errorf("%d rows, Sorted: got %.200s", n, got)
		}
		if whole := rows.Whole(); n > 0 && !reflect.DeepEqual(whole, items) {
			t.Errorf("%d rows: Whole is %+v", n, whole)
		}
		if fault := strictjson.Check(rows, strictjson.MaxDepth); fault != nil {
			t.Errorf("%d rows: %v", n, fault)
		}
	}
	bad := strictjson.Rows([]string{"a", "\xff"}, func(m []strictjson.Member, s *string) []strictjson.Member {
		return append(m, strictjson.F("s", strictjson.Str(*s)))
	})
	if fault := strictjson.Check(bad, 2); fault == nil || fault.Pointer != "/1/s" {
		t.Errorf("Check does not look into rows: %v", fault)
	}
}

func reread(t *testing.T, text []byte) []byte {
	t.Helper()
	v, err := strictjson.Parse(text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return strictjson.Encode(v)
}

// failing takes some bytes and fails from then on.
type failing struct {
	room, calls, largest int
}

var errFull = errors.New("full")

func (f *failing) Write(b []byte) (int, error) {
	f.calls++
	f.largest = max(f.largest, len(b))
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// Write holds a piece of the document, and stops at the first error.
func TestWritePieces(t *testing.T) {
	rows, _ := table(100_000)
	whole := &failing{room: 1 << 30}
	if err := strictjson.Write(whole, rows); err != nil || whole.largest > 100<<10 || whole.calls < 10 {
		t.Errorf("error %v; %d calls, at most %d bytes each", err, whole.calls, whole.largest)
	}
	full := &failing{room: 200_000}
	if err := strictjson.Write(full, rows); err != errFull || full.calls > 4 {
		t.Errorf("error %v after %d calls", err, full.calls)
	}
}

// Nothing is allocated for a row but what its function makes.
func TestRowsAllocate(t *testing.T) {
	list := make([]string, 10_000)
	v := strictjson.Rows(list, func(m []strictjson.Member, s *string) []strictjson.Member {
		return append(m, strictjson.F("a", strictjson.Str(*s)), strictjson.F("b", strictjson.Str(*s)))
	})
	b := strictjson.Encode(v)
	if got := testing.AllocsPerRun(5, func() { b = strictjson.Append(b[:0], v) }); got > 10 {
		t.Errorf("%v allocations for 10,000 rows; want 10 at most", got)
	}
}
