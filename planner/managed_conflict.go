package planner

import (
	"fmt"
	"sort"
	"strings"

	"example.org/compose/fingerprint"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// twoReleases is how a file gets to where no update or upgrade takes it in one step.
const twoReleases = "let the catalog drop it in one revision and supply it anew in a later one, and take each in turn"

// conflict is a conflict at the place, with what every one tells: the digests that are known.
func (p *place) conflict(code, reason, msg string, details ...strictjson.Member) *Conflict {
	c := &Conflict{Code: code, Destination: p.destination, Reason: reason, Message: msg, Details: details}
	add := func(name string, d fingerprint.Material) {
		c.Details = append(c.Details, strictjson.F(name, digest(d)))
	}
	if p.old != nil {
		c.Component = p.old.Component
		add("lock_sha256", p.old.Digest)
		if p.fault == nil {
			add("current_sha256", p.sum.Digest)
		}
	}
	if p.new != nil {
		c.Component = p.new.Component
		add("to_sha256", p.new.Digest)
	}
	return c
}

func componentTransition(op Operation, p *place) *Conflict {
	code, twice := CodeOwnerTransitionUpgrade, ""
	if op == Upgrade {
		code, twice = CodeOwnerTransitionUnsupported, ", or, where the recipe allows it, upgrade twice: first without both components, then with the new one"
	}
	from, to := p.old.Component, p.new.Component
	return p.conflict(code, "", fmt.Sprintf("belongs to component %q in the lock, and component %q supplies it now; no update or upgrade hands a file over: %s%s%s",
		from, to, twoReleases, twice, p.moveSeed()),
		strictjson.F("from_component", strictjson.Str(from)), strictjson.F("to_component", strictjson.Str(to)),
		strictjson.F("from_ownership", strictjson.Str(p.old.Ownership)), strictjson.F("to_ownership", strictjson.Str(p.new.Ownership)))
}

func ownershipTransition(op Operation, p *place) *Conflict {
	code := CodeOwnershipTransitionUpgrade
	if op == Upgrade {
		code = CodeOwnershipTransitionUnsupported
	}
	return p.conflict(code, "", fmt.Sprintf("is %s in the lock and %s in the catalog now; no update or upgrade changes whose the bytes are: %s%s",
		p.old.Ownership, p.new.Ownership, twoReleases, p.moveSeed()),
		strictjson.F("from_ownership", strictjson.Str(p.old.Ownership)), strictjson.F("to_ownership", strictjson.Str(p.new.Ownership)))
}

// moveSeed is what two releases need besides where the file is a seed, which no release takes away.
func (p *place) moveSeed() string {
	if p.old.Ownership != lockv2.Seed {
		return ""
	}
	return "; the first step leaves the file as your own, so move it away before the second"
}

func oldStateInvalid(_ Operation, p *place) *Conflict {
	restore := "restore it (git checkout -- " + string(p.destination) + ", or from an earlier commit where its removal is committed)"
	if p.old.Ownership == lockv2.Seed {
		restore += " or write it anew: its bytes are yours, but while the lock lists it, it must be there"
	}
	at := fmt.Sprintf("the folder %q on the way", p.fault.At)
	if p.fault.At == string(p.destination) {
		at = "what is there"
	}
	reason, msg := ReasonUnreadable, at+" "+p.fault.Message()
	switch p.fault.Reason {
	case rootfs.Missing:
		reason, msg = ReasonMissing, "the lock lists the file, and it is gone; "+restore
	case rootfs.Symlink:
		reason, msg = ReasonSymlink, at+" is a symlink, which compose never follows; put the file or folder itself in its place"
	case rootfs.ParentNotDirectory:
		reason, msg = ReasonParentNotDirectory, fmt.Sprintf("the file is gone, and %q, where its folder was, is none; move that away, then %s", p.fault.At, restore)
	case rootfs.IsDirectory:
		reason, msg = ReasonIsDirectory, "a folder is there instead of the file; move it away, then "+restore
	case rootfs.NotRegular:
		reason, msg = ReasonNotRegular, "a FIFO, socket or device is there instead of the file; move it away, then "+restore
	}
	c := p.conflict(CodeOldStateInvalid, reason, msg,
		strictjson.F("ownership", strictjson.Str(p.old.Ownership)), strictjson.F("at", strictjson.Str(p.fault.At)))
	c.fault = p.fault
	return c
}

func localModification(op Operation, p *place) *Conflict {
	restore := "restore what the lock records (git checkout -- " + string(p.destination) + ", or from an earlier commit where the edit is committed)"
	var msg string
	onlyLineEnds := p.sum.LF == p.old.Digest
	switch {
	case onlyLineEnds:
		msg = fmt.Sprintf("has CRLF line ends where the lock records LF, and no other difference; run git config core.autocrlf false, delete the file, and run git checkout -- %s; where it comes back with CRLF, put the line \"%s -text\" into .git/info/attributes and do that again",
			p.destination, p.destination)
	case p.isGone():
		msg = fmt.Sprintf("was edited, and the %s would remove it; copy what you need to another name, then %s", op, restore)
	case p.sum.Digest == p.new.Digest:
		msg = fmt.Sprintf("has the new bytes already, but compose did not write them, and the lock records others; %s, and the %s puts the new ones in place", restore, op)
	case p.old.Ownership == lockv2.Generated:
		msg = fmt.Sprintf("was edited, but compose generates it; %s, and change what component %q makes it from", restore, p.old.Component)
	default:
		msg = fmt.Sprintf("was edited, but the catalog owns its bytes; %s, and take the change to component %q of the catalog", restore, p.old.Component)
	}
	c := p.conflict(CodeLocalModification, "", msg, strictjson.F("ownership", strictjson.Str(p.old.Ownership)))
	if onlyLineEnds {
		c.Details = append(c.Details, strictjson.F("line_endings_only", strictjson.Boolean(true)))
	}
	return c
}

// exists is the conflict with a regular file where a new one belongs; found is nil for one that is too long to be read.
func exists(m *Material, found *rootfs.Sum) *Conflict {
	c := conflictAt(m.Destination, m.Component, ReasonExists, string(m.Destination),
		"a file is there that the lock does not list; move it away, or choose without the component")
	c.Details = append(c.Details, strictjson.F("to_sha256", digest(m.Digest)))
	if found == nil {
		return c
	}
	c.Details = append(c.Details, strictjson.F("current_sha256", digest(found.Digest)))
	if found.Digest == m.Digest {
		c.Message = "exactly these bytes are there already, but only a first composition adopts a file; move it away"
	}
	return c
}

// explainFreed tells, of each new destination that is taken by what the same run would take away, how it gets free.
func explainFreed(op Operation, places []place) {
	freed := make(map[string]lockv2.Destination) // by the path in the way; "" for one that nothing frees
	for i := range places {
		c := places[i].obstacle
		if c == nil {
			continue
		}
		at := c.at()
		leaving, known := freed[at]
		if !known {
			leaving = leavingAt(places, at)
			freed[at] = leaving
		}
		if leaving == "" {
			continue
		}
		c.Message = fmt.Sprintf("%q is in the way, and only this %s would remove it; a path that an %s frees counts as taken until the next one: let the catalog drop %q in one revision and supply %q in a later one, and take each in turn",
			at, op, op, leaving, c.Destination)
		if op == Upgrade {
			c.Message += fmt.Sprintf(", or, where the recipe allows it, upgrade twice: first without component %q, then with it", c.Component)
		}
		c.Details = append(c.Details, strictjson.F("frees", strictjson.Str(leaving)))
	}
}

// leavingAt returns the first destination at or below the path that is removed, "" for none.
func leavingAt(places []place, path string) lockv2.Destination {
	from := func(prefix string) int {
		return sort.Search(len(places), func(i int) bool { return string(places[i].destination) >= prefix })
	}
	leaves := func(i int) bool { return places[i].isGone() && !places[i].isSeed() }
	if i := from(path); i < len(places) && string(places[i].destination) == path && leaves(i) {
		return places[i].destination
	}
	below := path + "/"
	for i := from(below); i < len(places) && strings.HasPrefix(string(places[i].destination), below); i++ {
		if leaves(i) {
			return places[i].destination
		}
	}
	return ""
}

// at returns the path at which a conflict made by conflictAt stands.
func (c *Conflict) at() string {
	for _, d := range c.Details {
		if d.Name == "at" {
			return d.Value.Text
		}
	}
	return string(c.Destination)
}
