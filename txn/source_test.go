package txn

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"strings"

	"example.org/compose/planner"
)

// textSource is a source that has its bytes from a function.
type textSource func(m *planner.Material) string

func (s textSource) Open(_ context.Context, m *planner.Material) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s(m))), nil
}

// Supply calls put from all cores, as that of a composition does.
func (s textSource) Supply(ctx context.Context, materials []*planner.Material, put func(i int, from io.WriterTo) error) error {
	return each(ctx, len(materials), runtime.GOMAXPROCS(0), 0, func(_ context.Context, i int, _ []byte) error {
		return put(i, bytes.NewReader([]byte(s(materials[i]))))
	})
}
