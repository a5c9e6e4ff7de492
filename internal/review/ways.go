package review

import (
	"fmt"
	"path"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/starter"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
)

// Ways returns the ways out of a conflict of the plan, the usual one first; none where its message says all. Each is true of the very
// file: the commands lead to where the same plan has the conflict no longer, or the text says what they need besides.
func (r *Review) Ways(c *planner.Conflict, at Place) []Way {
	w := ways{Review: r, conflict: c, at: at}
	var list []Way
	switch {
	case c.Code == planner.CodeLocalModification && r.lockedFile(c.Destination) != nil:
		list = w.localModification()
	case c.Code == planner.CodeOldStateInvalid && r.lockedFile(c.Destination) != nil:
		list = w.oldState()
	case c.Code == planner.CodeDestinationConflict:
		list = w.taken()
	case c.Code == planner.CodeVersionUpgradeRequired:
		list = w.upgrade()
	}
	for i := range list {
		list[i].Steps = copyable(list[i].Steps)
	}
	return list
}

// copyable returns the steps, or none where a command holds what can't be shown as it is, and so can't be copied.
func copyable(steps []Step) []Step {
	for _, s := range steps {
		if !diag.IsPrintable(s.Command) {
			return nil
		}
	}
	return steps
}

// ways finds the ways out of one conflict.
type ways struct {
	*Review
	conflict *planner.Conflict
	at       Place
}

// detail returns a further member of the conflict's document; "" where it has none.
func (w *ways) detail(name string) string {
	for _, d := range w.conflict.Details {
		switch {
		case d.Name != name:
		case d.Value.Kind == strictjson.Bool:
			return fmt.Sprint(d.Value.Truth)
		default:
			return d.Value.Text
		}
	}
	return ""
}

// path names the file of the conflict for a command that runs in the folder where compose did.
func (w *ways) path() string { return inTarget(w.at.Target, string(w.conflict.Destination)) }

func inTarget(target, name string) string {
	if target == "" || target == "." {
		return name
	}
	return strings.TrimSuffix(target, "/") + "/" + name
}

const again = "then run the same command again"

func (w *ways) localModification() []Way {
	return []Way{w.restore(w.lost() + again + "."), {
		Title: "Keep the edit",
		Text:  "There is nothing to run. Nothing is written to the target while the file differs from the lock, and compose validate goes on reporting it.",
	}, w.upstream()}
}

// lost says what a restored file costs.
func (w *ways) lost() string {
	m := w.material(w.conflict.Destination)
	switch {
	case w.detail("line_endings_only") == "true":
		return "Only the line ends change by it; "
	case m != nil && w.detail("current_sha256") == m.Digest.String():
		return fmt.Sprintf("Nothing is lost by it, since the %s brings these bytes back; ", w.managed.Operation)
	}
	return "Your edit is lost by it, so copy what you want to keep first; "
}

// restore is the way back to what the lock records.
func (w *ways) restore(text string) Way {
	file, destination := quote(w.path()), quote(w.conflict.Destination)
	what := "edit"
	if w.conflict.Code == planner.CodeOldStateInvalid {
		what = "loss"
	}
	steps := []Step{{Note: fmt.Sprintf("where git has the file as it was, and the %s is not committed", what), Command: w.git() + " checkout -- " + destination}}
	if w.detail("line_endings_only") == "true" {
		steps = []Step{
			{Note: "git made the line ends CRLF at checkout: tell it not to, and check the file out anew", Command: w.git() + " config core.autocrlf false"},
			{Command: "rm " + file},
			{Command: w.git() + " checkout -- " + destination},
		}
	}
	return Way{Title: "Restore what the lock records", Text: text, Steps: append(steps,
		Step{Note: fmt.Sprintf("where the %s is committed", what), Command: w.git() + " checkout " + w.lockCommit() + " -- " + destination},
		Step{Note: "else compose the locked revision elsewhere" + w.configurationNote() + ", and copy the file", Command: "dir=$(mktemp -d)"},
		Step{Command: w.composeLocked()},
		Step{Command: w.folder() + `cp "$dir"/` + destination + " " + file},
	)}
}

// lockCommit is the commit that last changed the lock, for a shell: most often it has the files as the lock records them.
func (w *ways) lockCommit() string {
	return `"$(` + w.git() + " log -1 --format=%H -- " + lockv2.LockPath + `)"`
}

// folder makes the folder of a file that is gone, perhaps with it.
func (w *ways) folder() string {
	if dir := path.Dir(string(w.conflict.Destination)); w.conflict.Code == planner.CodeOldStateInvalid && dir != "." {
		return "mkdir -p " + quote(inTarget(w.at.Target, dir)) + " && "
	}
	return ""
}

func (w *ways) git() string {
	if w.at.Target == "" || w.at.Target == "." {
		return "git"
	}
	return "git -C " + quote(w.at.Target)
}

// composeLocked is the command that composes the lock's choice at its revision into the folder $dir.
func (w *ways) composeLocked() string {
	lock := w.managed.Old.Lock
	return strings.Join([]string{"compose apply", choice(&lock.Intent), w.source(lock.Source.Revision), `--target "$dir"`}, " ")
}

// choice is the flags that stand for an intent. Parameters need a file, whose name nobody recorded.
func choice(intent *lockv2.Intent) string {
	if len(intent.Parameters.Members) > 0 {
		return "--config CONFIG"
	}
	words := []string{"--recipe " + quote(intent.Recipe)}
	for _, id := range intent.Include {
		words = append(words, "--include "+quote(id))
	}
	for _, id := range intent.Exclude {
		words = append(words, "--exclude "+quote(id))
	}
	return strings.Join(words, " ")
}

// configurationNote explains a choice that flags can't express.
func (w *ways) configurationNote() string {
	if lock := w.managed.Old.Lock; len(lock.Intent.Parameters.Members) > 0 {
		return fmt.Sprintf(" (CONFIG: the configuration file whose SHA-256 the lock records, %s...)", lock.ConfigurationDigest.String()[:12])
	}
	return ""
}

// source names the source at a revision.
func (w *ways) source(revision lockv2.Revision) string {
	return strings.TrimPrefix(w.at.Source+" --revision "+quote(revision), " ")
}

// upstream is the way that takes what the consumer wants to where the bytes come from.
func (w *ways) upstream() Way {
	file, m := w.path(), w.material(w.conflict.Destination)
	way := Way{Title: "Change it in the catalog"}
	switch revision := w.composition.Lock.Source.Revision; {
	case m == nil:
		way.Title = "Keep it as a file of your own"
		way.Text = fmt.Sprintf("The catalog drops the file, and after the %s its name is yours. Move it aside, restore what the lock records, run the same command again and apply, and move it back.", w.managed.Operation)
		way.Steps = []Step{
			{Note: "first", Command: "mv -i " + quote(file) + " " + quote(file+".mine")},
			{Note: fmt.Sprintf("after the %s", w.managed.Operation), Command: "mv -i " + quote(file+".mine") + " " + quote(file)},
		}
	case w.composition.Lock.Source.Repository == starter.Identity:
		way.Text = "The built-in catalog is part of compose. One of your own, which compose catalog init starts, supplies what you want."
	case w.detail("line_endings_only") == "true":
		way.Text = fmt.Sprintf("Where the file has to have CRLF, write it so in %s of the catalog, restore it here, and update to the revision that has it.", from(m))
	case w.detail("current_sha256") == m.Digest.String():
		way.Title = "Let the catalog's change in"
		way.Text = fmt.Sprintf("The catalog has exactly these bytes at %s. Restore what the lock records, and the %s puts them in place.", revision, w.managed.Operation)
	case m.SourcePath() == "":
		way.Text = "The file is generated from the contract registrations of the components. Change those in the catalog, restore the file here, and take the revision that has the change."
	case w.lockedFile(w.conflict.Destination).Digest != m.Digest:
		way.Text = fmt.Sprintf("The catalog changed the file as well. Make your edit in %s of the catalog's own latest text, restore the file here, and update to the revision that has both.", from(m))
	default:
		way.Text = fmt.Sprintf("Make the edit in %s of the catalog, restore the file here, and update to the revision that has it.", from(m))
	}
	return way
}

// from names the source of a material, in a catalog.
func from(m *planner.Material) string {
	if m.Composed() {
		return m.SourcePath() + ", or in a file that it includes,"
	}
	return m.SourcePath()
}

func quote[S ~string](word S) string { return diag.Quote(string(word)) }
