package txn

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.org/compose/lockv2"
)

// Which way is gone says how the staged files, and the folders in the end, are flushed; one folder alone is always fsynced.
func TestFlushWays(t *testing.T) {
	many := map[string]string{}
	for i := range bulkFrom {
		many[fmt.Sprintf("d%d/f", i)] = "x"
	}
	for _, tt := range []struct {
		name    string
		way     Flush
		files   map[string]string
		trusted bool
		bulk    bool
	}{
		{"auto, few", FlushAuto, sample, true, false},
		{"auto, many", FlushAuto, many, true, true},
		{"auto, many, where syncfs promises less", FlushAuto, many, false, false},
		{"nothing said, many", "", many, true, true},
		{"fsync, many", FlushFsync, many, true, false},
		{"syncfs, few", FlushSyncfs, sample, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			watch := &faultDisk{diskKind: diskKind{dry: true}}
			n := stand(t, dir, tt.files, func(d disk) disk { watch.disk = bulkDisk{d, tt.trusted}; return watch })
			n.opt.Flush = tt.way
			if err := n.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, each := 0, 0
			for _, call := range watch.calls {
				switch {
				case call == "syncall ":
					all++
				case slices.Contains([]string{"fsync " + stagingName(0), "syncfolder "}, call):
					each++
				}
			}
			if tt.bulk && (all != 2 || each != 0) || !tt.bulk && (all != 0 || each != 2) {
				t.Errorf("%d flushes of everything, and %d of one file and the root", all, each)
			}
			if !slices.Contains(watch.calls, "syncfolder "+lockv2.StateFolder) {
				t.Error("the folder of the lock was not flushed by itself")
			}
		})
	}
}

func TestFlushUnsupported(t *testing.T) {
	for _, tt := range []struct {
		way     Flush
		trusted bool
		code    string
	}{{FlushSyncfs, false, CodeFlushUnsupported}, {FlushSyncfs, true, ""}, {FlushAuto, false, ""}, {FlushFsync, false, ""}} {
		err := checkFlush(bulkDisk{bulk: tt.trusted}, tt.way)
		var fault *Error
		switch {
		case tt.code == "" && err != nil, tt.code != "" && (!errors.As(err, &fault) || fault.Code() != tt.code || fault.Hint() == ""):
			t.Errorf("%s, trusted %v: %v", tt.way, tt.trusted, err)
		}
	}
}
