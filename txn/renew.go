package txn

import (
	"context"
	"errors"
	"strings"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// renewed passes on the error of a flush, after it has written anew the files that the flush covered and that this run did not write: the
// system may have dropped their bytes and call them flushed the next time. Files that this run installed were durable
// before they got their names. What can't be written anew either is left as it is; the flush has failed in any case.
func (t *transaction) renewed(ctx context.Context, failed error) error {
	if failed == nil {
		return nil
	}
	ctx, buf := context.WithoutCancel(ctx), make([]byte, rootfs.BufferSize)
	for i := range t.places {
		if !t.found[i] || t.places[i].kind == planner.Remove {
			continue
		}
		var stop *Error
		if err := t.renew(ctx, i, buf); errors.As(err, &stop) && len(stop.Blocked) > 0 {
			return err // a consumer wrote meanwhile, which is what to look at first
		}
	}
	return failed
}

// renew writes the new bytes of a place into a new file, flushes it, and exchanges it for the one that stands there.
func (t *transaction) renew(ctx context.Context, i int, buf []byte) error {
	s := &t.places[i]
	if err := t.folder(lockv2.StagingFolder); err != nil {
		return err
	}
	if err := t.sweepOne(ctx, strings.TrimPrefix(s.staging, lockv2.StagingFolder+"/"), t.byStaging(), buf); err != nil {
		return err
	}
	keep, err := t.disk.Attributes(s.destination)
	if err != nil {
		return err
	}
	if s.isLock() {
		err = t.writeStaged(s.staging+part, t.lock, &keep, true)
	} else {
		err = t.stageAll(ctx, []staged{{material: s.material, path: s.staging + part, keep: &keep}}, false)
	}
	if err != nil {
		return err
	}
	if err := t.disk.Replace(s.staging+part, s.staging); err != nil {
		return err
	}
	if err := t.disk.Exchange(s.staging, string(s.destination)); err != nil {
		return err
	}
	out, err := s.look(ctx, t.disk, s.staging, buf)
	if err != nil || out.condition == holdNew {
		return err
	}
	return t.putBack(ctx, s, out, buf)
}
