package skills

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"example.org/compose/fingerprint/treedigest"
	"example.org/compose/internal/collation"
	"example.org/compose/lockv2"
	"example.org/compose/validator"
)

// verify holds one folder against the records of name.
func verify(ctx context.Context, records Records, name string, f Folder) (Result, error) {
	r := Result{Name: name, Folder: f.Path, Verdict: Match}
	computed, pinned, inLock, inPins := records.recorded(name)
	if err := r.weigh(ctx, f); err != nil {
		return Result{}, err
	}
	switch {
	case inLock:
		r.Recorded = computed
		if err := r.compute(ctx, f); err != nil {
			return Result{}, err
		}
	case inPins:
		r.Recorded = pinned
	}
	if inPins {
		switch {
		case r.Digest != pinned:
			r.fail(Reason{Reason: ReasonPinMismatch, Message: fmt.Sprintf("the pin file has %s", pinned)})
		case !inLock:
			r.Form = FormTree
		}
	}
	composed, err := r.composed(ctx, f)
	if err != nil {
		return Result{}, err
	}
	if inLock || inPins {
		return r, nil
	}
	switch {
	case composed:
		r.Form = FormComposition
	default:
		r.fail(Reason{Reason: ReasonNotInLock, Message: "it is installed, and no record names it; pin it with `compose skills pin`, or remove it"})
	}
	return r, nil
}

func (r *Result) fail(reasons ...Reason) {
	r.Verdict = Mismatch
	r.Reasons = append(r.Reasons, reasons...)
}

// weigh computes the portable value of the folder.
func (r *Result) weigh(ctx context.Context, f Folder) error {
	tree, err := treedigest.Open(f.at)
	if err == nil {
		defer tree.Close()
		var digest treedigest.Digest
		if digest, err = tree.Digest(ctx); err == nil {
			r.Digest = digest.String()
			return nil
		}
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	r.Reasons = append(r.Reasons, Reason{Reason: ReasonNoTreeDigest, Message: "there is no sha256-tree-v2: " + err.Error()})
	return nil
}

// compute holds the folder against its computedHash.
func (r *Result) compute(ctx context.Context, f Folder) error {
	if !hexadecimal(r.Recorded) {
		r.fail(Reason{Reason: ReasonInvalidRecord, Message: "the computedHash is not 64 lower-case hexadecimal digits; install the skill again"})
		return nil
	}
	form, reasons, err := computedHash(ctx, f.at, r.Recorded)
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if err != nil {
		r.fail(Reason{Reason: ReasonUnreadable, Message: "there is no computedHash: " + err.Error()})
		return nil
	}
	if form == "" {
		r.fail(reasons...)
		return nil
	}
	r.Form = form
	r.Reasons = append(r.Reasons, reasons...)
	return nil
}

// composed looks for a lock of compose's own in the folder, and reports whether it holds.
func (r *Result) composed(ctx context.Context, f Folder) (bool, error) {
	real, err := filepath.EvalSymlinks(f.at)
	if err != nil {
		return false, nil
	}
	report, err := validator.Validate(ctx, real)
	if err != nil {
		return false, err
	}
	switch report.State {
	case validator.Absent, validator.Unmanaged, validator.InvalidRoot:
		return false, nil
	case validator.Valid:
		r.Reasons = append(r.Reasons, Reason{Reason: ReasonComposed,
			Message: "compose made this folder, and " + lockv2.LockPath + " in it verifies it without any other record: compose validate --target " + f.Path})
		return true, nil
	}
	r.fail(Reason{Reason: ReasonComposedOther,
		Message: "compose made this folder, and it differs from " + lockv2.LockPath + " in it: compose validate --target " + f.Path + " lists how"})
	return false, nil
}

// computedHash returns the form that gives the recorded value, and what there is to know about it; without a form, why
// the value differs. An error, other than that of ctx, says that the folder has no value.
func computedHash(ctx context.Context, name, recorded string) (Form, []Reason, error) {
	root, err := collation.Root()
	if err != nil {
		return "", nil, err
	}
	f, err := openFolder(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	sorted := collate(root, f.files)
	reasons := sorted.doubts()
	if f.bytes > maxHeld {
		got, err := sum(ctx, sorted.files, f.read)
		if form := got.form(recorded); err != nil || form != "" {
			return form, reasons, err
		}
		return "", append(reasons, Reason{Reason: ReasonUndecided, Message: fmt.Sprintf(
			"only the root order was tried, because the folder holds more than %d MiB; otherwise it has other files or bytes than those recorded", maxHeld>>20)}), nil
	}
	s := &search{ctx: ctx, want: recorded}
	if s.held, err = f.hold(ctx, f.files); err != nil {
		return "", nil, err
	}
	form, err := s.arrangement(sorted, nil)
	if err != nil || form != "" {
		return form, reasons, err
	}
	others, err := localeOrders(f.files, sorted)
	if err != nil {
		return "", nil, err
	}
	for _, o := range others {
		if form, err := s.arrangement(o.order, nil); err != nil || form != "" {
			slices.Sort(o.locales)
			return form, append(reasons, Reason{Reason: ReasonOtherLocale, Locales: o.locales,
				Message: "the value was made in another locale, whose order of these names is not the root's: " + strings.Join(o.locales, ", ") + "; the same folder has another value elsewhere"}), err
		}
	}
	linked, err := f.linked(ctx)
	if errors.Is(err, errTooManyLinked) {
		s.spent, err = true, nil
	}
	if err != nil {
		return "", nil, err
	}
	if more, err := f.hold(ctx, linked); err == nil {
		for name, b := range more {
			s.held[name] = b
		}
	} else {
		linked = nil
	}
	undecided := s.spent
	why, err := s.explain(root, sorted, others, linked)
	if undecided && !slices.ContainsFunc(why, func(r Reason) bool { return r.Reason == ReasonUndecided }) {
		why = append(why, Reason{Reason: ReasonUndecided, Message: "not every order that the names leave open was tried: there are too many"})
	}
	return "", append(reasons, why...), err
}

// doubts says what leaves the order of the files open.
func (o order) doubts() []Reason {
	var reasons []Reason
	if tied := o.tied(); len(tied) > 0 {
		reasons = append(reasons, Reason{Reason: ReasonTiedNames, Paths: tied,
			Message: "the order tells these names not apart, so that more than one value is right; rename all but one"})
	}
	if len(o.unsettled) > 0 {
		slices.Sort(o.unsettled)
		reasons = append(reasons, Reason{Reason: ReasonUnsettled, Paths: o.unsettled,
			Message: "the place of some characters in these names depends on the version of ICU; the order of ICU 78 was tried"})
	}
	return reasons
}

var errTooLarge = errors.New("too large to hold")

// hold reads files into memory, by their real names.
func (f *folder) hold(ctx context.Context, files []file) (map[string][]byte, error) {
	held := make(map[string][]byte, len(files))
	left := int64(maxHeld)
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if left -= file.size; left < 0 {
			return nil, errTooLarge
		}
		b := bytes.NewBuffer(make([]byte, 0, file.size))
		if err := f.read(file, b); err != nil {
			return nil, err
		}
		held[file.real] = b.Bytes()
	}
	return held, nil
}

// hexadecimal reports whether s is the text of a SHA-256.
func hexadecimal(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
