package planner_test

import (
	"errors"
	"io"
	"testing"

	"example.org/compose/planner"
)

// What a visitor returns comes back as it is, of a material of whatever kind, and that of the lowest index.
func TestSupplyReturnsWhatPutReturns(t *testing.T) {
	comp := materialize(t, app())
	materials := make([]*planner.Material, len(comp.Materials))
	for i := range materials {
		materials[i] = &comp.Materials[i]
	}
	for i, m := range materials {
		mine := errors.New("refused")
		err := comp.Supply(t.Context(), materials, func(k int, from io.WriterTo) error {
			if k >= i {
				return mine
			}
			_, err := from.WriteTo(io.Discard)
			return err
		})
		if err != mine {
			t.Errorf("%s: got %v", m.Destination, err)
		}
	}
}
