//go:build !linux || android || mips || mipsle || mips64 || mips64le

package rootfs

import (
	"context"
	"io/fs"
)

// quick is what reads faster where the system can. It answers nothing here.
type quick struct{}

func (*quick) open(string, fs.FileInfo) {}

func (*quick) close() {}

func (*quick) forget() {}

func (*quick) digest(context.Context, string, []byte, Second) (sum Sum, ok bool) { return Sum{}, false }

func (*quick) read(string, int64) (b []byte, ok bool) { return nil, false }

func (*quick) equal(string, []byte, []byte) (same, ok bool) { return false, false }

func (*quick) names(string) (names []string, ok bool) { return nil, false }
