package review

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/planner"
)

// side is a Side with the bytes of it that are compared, at most one past MaxText.
type side struct {
	Side
	text    []byte
	omitted Omission // why there is no text though the side is present; "" for none
	why     string
}

// nothing is the side of a file that is not there.
func nothing() side { return side{Side: Side{Name: "/dev/null"}} }

// compare fills in the comparisons of a place where something differs.
func (w *run) compare(p *place) error {
	wanted, err := w.wanted(p)
	if err != nil {
		return err
	}
	code := ""
	if p.Conflict != nil {
		code = p.Conflict.Code
	}
	switch code {
	case planner.CodeLocalModification:
		locked := w.lockedSide(p)
		if err := p.add(Edit, locked, w.disk(p, "disk/")); err != nil {
			return err
		}
		return p.add(Upstream, locked, wanted.named("catalog/", p))
	case planner.CodeOldStateInvalid: // there is no file to compare with
		if p.material != nil && p.material.Digest == p.locked.Digest {
			return nil
		}
		return p.add(Upstream, w.lockedSide(p), wanted.named("catalog/", p))
	}
	before := nothing()
	if p.Action != planner.Create {
		before = w.disk(p, "a/")
	}
	return p.add(Change, before, wanted)
}

// named returns s with another prefix of its name.
func (s side) named(prefix string, p *place) side {
	if s.Present {
		s.Name = prefix + Visible(string(p.Destination))
	}
	return s
}

// add compares two sides. The error is one of this program alone.
func (p *place) add(kind Kind, old, new side) error {
	c := Comparison{Kind: kind, Old: old.Side, New: new.Side}
	switch {
	case kind == Edit:
	case !old.Present && new.Present && new.Executable:
		c.note("the file is executable")
	case !old.Present || !new.Present || old.Executable == new.Executable || old.omitted != "" || runtime.GOOS == "windows":
	case new.Executable:
		c.note("the file becomes executable")
	default:
		c.note("the file is executable no longer")
	}
	if kind != Upstream && old.omitted == "" && new.omitted == "" {
		p.noteRace(&c)
	}
	switch {
	case old.omitted != "":
		c.Omitted, c.Why = old.omitted, old.why
	case new.omitted != "":
		c.Omitted, c.Why = new.omitted, new.why
	default:
		if err := c.compare(old.text, new.text); err != nil {
			return err
		}
	}
	p.Comparisons = append(p.Comparisons, c)
	return nil
}

// noteRace says where the file on disk is not the one that was planned for.
func (p *place) noteRace(c *Comparison) {
	disk := c.Old
	if c.Kind == Edit {
		disk = c.New
	}
	if p.seen != "" && (!disk.Present || disk.Digest != (fingerprint.Material{}) && disk.Digest.String() != p.seen) {
		c.note("the file changed after the plan was made; plan again")
	}
}

// wanted is what the bound revision supplies.
func (w *run) wanted(p *place) (side, error) {
	m := p.material
	if m == nil {
		return nothing(), nil
	}
	s := side{Side: Side{Present: true, Size: m.Size, Digest: m.Digest, Executable: m.Executable}}.named("b/", p)
	if m.Size > MaxText {
		s.omitted = TooLong
		return s, nil
	}
	r, err := w.composition.Open(w.ctx, m)
	if err != nil {
		return s, err
	}
	defer r.Close()
	s.text, err = io.ReadAll(io.LimitReader(r, MaxText+1))
	return s, err
}

// disk is what stands in the target.
func (w *run) disk(p *place, prefix string) side {
	f, info, err := w.root.OpenFile(p.Destination)
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
		return nothing()
	case errors.As(err, &fault) && fault.At == string(p.Destination):
		return side{omitted: Unreadable, why: Visible(fault.Message())}.present(prefix, p)
	case err != nil:
		return side{omitted: Unreadable, why: Visible(err.Error())}.present(prefix, p)
	}
	defer f.Close()
	s := side{Side: Side{Size: info.Size(), Executable: info.Mode()&0o111 != 0}}.present(prefix, p)
	if info.Size() > MaxText {
		s.omitted = TooLong
		return s
	}
	if s.text, err = io.ReadAll(io.LimitReader(f, MaxText+1)); err != nil {
		s.omitted, s.why = Unreadable, "can't be read to its end"
		return s
	}
	if s.Size = int64(len(s.text)); s.Size <= MaxText {
		s.Digest = sha256.Sum256(s.text)
	}
	return s
}

func (s side) present(prefix string, p *place) side {
	s.Present = true
	return s.named(prefix, p)
}

// lockedSide is what the lock records, from the catalog's history.
func (w *run) lockedSide(p *place) side {
	s := side{Side: Side{Digest: p.locked.Digest}}.present("locked/", p)
	unavailable := func(why string) side {
		s.text, s.omitted, s.why = nil, LockedUnavailable, Visible(why)
		return s
	}
	locked, err := w.locked()
	if err != nil {
		return unavailable(err.Error())
	}
	r, err := locked.Open(w.ctx, p.Destination)
	if err != nil {
		return unavailable(err.Error())
	}
	defer r.Close()
	s.Executable = r.Executable
	if s.text, err = io.ReadAll(io.LimitReader(r, MaxText+1)); err != nil {
		return unavailable(err.Error())
	}
	if len(s.text) > MaxText {
		s.text, s.omitted = nil, TooLong
		return s
	}
	s.Size = int64(len(s.text))
	if sha256.Sum256(s.text) != p.locked.Digest {
		return unavailable(fmt.Sprintf("the catalog at the lock's revision %s gives other bytes than the lock records", w.managed.Old.Lock.Source.Revision))
	}
	return s
}
