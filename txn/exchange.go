package txn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// carry does what the place asks for. The precondition is looked at once more; what comes out of the destination is looked
// at too, and put back where it is not the old file. The new file is in staging.
func (t *transaction) carry(ctx context.Context, i int, buf []byte) error {
	s := &t.places[i]
	if s.kind == planner.Create {
		return t.create(ctx, i, buf)
	}
	at, old, err := s.lookClosely(ctx, t.disk, string(s.destination), buf)
	if err != nil {
		return interrupted(ctx)
	}
	switch s.judge(at) {
	case done:
		t.found[i] = true
		return nil
	case blocked:
		return t.stop(s.blockedBy(at))
	}
	// From here to the look at what came out nothing waits for ctx: a consumer's bytes may be out of their place.
	ctx = context.WithoutCancel(ctx)
	if s.kind == planner.Remove {
		return t.remove(ctx, i, buf)
	}
	return t.replace(ctx, i, old, buf)
}

func (t *transaction) create(ctx context.Context, i int, buf []byte) error {
	s := &t.places[i]
	parent, _ := split(string(s.destination))
	if err := t.folder(parent); err != nil {
		return err
	}
	err := t.disk.Install(s.staging, string(s.destination))
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return entryFault(string(s.destination), "installing the file", err)
	}
	at, err := s.look(ctx, t.disk, string(s.destination), buf)
	switch {
	case err != nil:
		return interrupted(ctx)
	case s.judge(at) == done:
		t.found[i] = true
		return nil
	}
	return t.stop(s.blockedBy(at))
}

// replace exchanges the staged file and the destination, after it has given the new file what it keeps of the old one, as that is now: another program
// may have changed it since the staging, perhaps a crash ago.
func (t *transaction) replace(ctx context.Context, i int, old attributes, buf []byte) error {
	s := &t.places[i]
	new, err := t.give(s.staging, s.kept(old))
	if err != nil {
		return t.failed(ctx, i, "giving the new file the permissions of the old one", err, buf)
	}
	err = t.disk.Exchange(s.staging, string(s.destination))
	if errors.Is(err, errors.ErrUnsupported) {
		return t.renameOver(ctx, i, buf)
	}
	if err != nil {
		return t.failed(ctx, i, "replacing the file", err, buf)
	}
	out, was, err := s.lookClosely(ctx, t.disk, s.staging, buf)
	switch {
	case err != nil:
		return err
	case out.condition != holdOld:
		return t.putBack(ctx, s, out, buf)
	case was == old:
		return nil
	}
	if err := t.redress(s, was, new); err != nil {
		return entryFault(string(s.destination), "giving the new file the permissions of the old one", err)
	}
	return nil
}

// renameOver is all there is where the system can't exchange files: what another program writes between the look and the rename is lost.
func (t *transaction) renameOver(ctx context.Context, i int, buf []byte) error {
	s := &t.places[i]
	at, err := s.look(ctx, t.disk, string(s.destination), buf)
	switch {
	case err != nil:
		return err
	case s.judge(at) == done:
		t.found[i] = true
		return nil
	case s.judge(at) == blocked:
		return t.stop(s.blockedBy(at))
	}
	if err := t.disk.Replace(s.staging, string(s.destination)); err != nil {
		return t.failed(ctx, i, "replacing the file", err, buf)
	}
	return nil
}

// remove moves the destination into staging, where nothing has its name.
func (t *transaction) remove(ctx context.Context, i int, buf []byte) error {
	s := &t.places[i]
	if err := t.disk.Replace(string(s.destination), s.staging); err != nil {
		return t.failed(ctx, i, "removing the file", err, buf)
	}
	out, err := s.look(ctx, t.disk, s.staging, buf)
	if err != nil || out.condition == holdOld {
		return err
	}
	return t.putBack(ctx, s, out, buf)
}

// failed says why a change was not made: what stands at the destination by now, or else the error of the call. A place that another program
// has brought into its new state is done.
func (t *transaction) failed(ctx context.Context, i int, doing string, err error, buf []byte) error {
	s := &t.places[i]
	t.disk.Forget()
	at, looking := s.look(ctx, t.disk, string(s.destination), buf)
	switch {
	case looking != nil:
		return looking
	case s.judge(at) == done:
		t.found[i] = true
		return nil
	case s.judge(at) == blocked:
		return t.stop(s.blockedBy(at))
	}
	return entryFault(string(s.destination), doing, err)
}

// exchanges bounds how often putBack follows a program that writes all the time.
const exchanges = 100

// putBack gives back to the destination what came out of it, which is a consumer's, and stops. Whatever happens, the bytes
// are in staging or at the destination: a run that ends here is sorted out by the next one.
func (t *transaction) putBack(ctx context.Context, s *place, out seen, buf []byte) error {
	if s.kind != planner.Replace {
		return t.installBack(s, out)
	}
	// What the last exchange put at the destination comes out of it again, unless another program has put something else
	// there since: that is later than what is there now, and belongs there instead.
	put := seen{condition: holdNew, digest: s.to}
	for range exchanges {
		err := t.disk.Exchange(s.staging, string(s.destination))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return t.installBack(s, out)
		case err != nil && out.condition == unreadable:
			return entryFault(string(s.destination), "giving the file back", err)
		case err != nil:
			return t.stop(s.strayed(out))
		}
		back, err := s.look(ctx, t.disk, s.staging, buf)
		switch {
		case err != nil:
			return err
		case back.condition == holdNew, back.condition == unreadable:
			return t.stop(s.blockedBy(out))
		case back.err == nil && put.err == nil && back.digest == put.digest:
			return t.stop(s.strayed(back))
		}
		put, out = out, back
	}
	return t.stop(s.strayed(out))
}

// installBack is putBack where nothing stands at the destination.
func (t *transaction) installBack(s *place, out seen) error {
	parent, _ := split(string(s.destination))
	err := t.folder(parent)
	if err == nil {
		err = t.disk.Install(s.staging, string(s.destination))
	}
	if err != nil {
		return t.stop(s.strayed(out))
	}
	return t.stop(s.blockedBy(out))
}

// stop is the error of a transaction that can't go on: READ_FAILED where something can't be read, else PRECONDITION_CHANGED.
func (t *transaction) stop(all ...Blocked) error { return stopped(t.marker.Operation, all) }

func stopped(op planner.Operation, all []Blocked) error {
	for _, b := range all {
		if b.err != nil {
			return &Error{cause: b.err, Blocked: all, Unfinished: true, Base: unfinished(CodeReadFailed, string(b.Destination), b.Message, op)}
		}
	}
	text := all[0].Message
	if more := len(all) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more: %s)", more, listed(all[1:]))
	}
	return &Error{Blocked: all, Unfinished: true, Base: unfinished(CodePreconditionChanged, string(all[0].Destination), text, op)}
}

// listed names destinations, the first few.
func listed(all []Blocked) string {
	const most = 5
	text := ""
	for i, b := range all {
		if i == most {
			return text + ", ..."
		}
		if i > 0 {
			text += ", "
		}
		text += string(b.Destination)
	}
	return text
}

// isLock reports whether the place is the lock's.
func (s *place) isLock() bool { return s.destination == lockv2.LockPath }
