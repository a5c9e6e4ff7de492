package lockv2

import (
	"strconv"
	"strings"

	"example.org/compose/internal/strictjson"
)

// check returns the first rule of docs/lock.md that l breaks. Its pointers are those of the document. files is what is
// known of the files already.
func (l *Lock) check(files *fileChecks) *Error {
	if err := CheckRepository(l.Source.Repository); err != nil {
		return invalid("/source/repository", "%v", err)
	}
	if !l.Source.Revision.Valid() {
		return invalid("/source/revision", "is %q; want a full git commit id, 40 lower-case hexadecimal digits and not all zero", short(l.Source.Revision))
	}
	resolved, fault := l.checkComponents()
	if fault != nil {
		return fault
	}
	if fault := l.Intent.check(resolved); fault != nil {
		return fault
	}
	return l.checkFiles(resolved, files)
}

// MaxRepository is the most bytes that the identity of a repository may have.
const MaxRepository = 255

// CheckRepository returns nil for the identity of a catalog, such as example-org/templates: one or more
// names of [A-Za-z0-9._-], separated by "/", none of them "." or "..", at most 255 bytes in all.
func CheckRepository(identity string) error {
	const want = "; want names of A-Z a-z 0-9 . _ - separated by \"/\", such as example-org/templates"
	switch {
	case identity == "":
		return repositoryError("is empty" + want)
	case len(identity) > MaxRepository:
		return repositoryError("has more than 255 bytes; shorten the identity")
	}
	for _, name := range strings.Split(identity, "/") {
		if name == "" || name == "." || name == ".." || strings.ContainsFunc(name, notIdentity) {
			return repositoryError("is " + strconv.Quote(identity) + want)
		}
	}
	return nil
}

// repositoryError is what CheckRepository finds: what the identity is, and what it should be.
type repositoryError string

func (e repositoryError) Error() string { return string(e) }

func notIdentity(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-')
}

// checkComponents returns the place of each resolved component in the list.
func (l *Lock) checkComponents() (map[ComponentID]int, *Error) {
	place := make(map[ComponentID]int, len(l.Components))
	count := make(map[Role]int)
	for i, c := range l.Components {
		at := "/resolved_components/" + itoa(i)
		if !c.ID.Valid() {
			return nil, invalid(at+"/id", "is %q; want a role, a dot and a name, such as capability.cli", short(c.ID))
		}
		if i > 0 {
			if last := l.Components[i-1].ID; c.ID <= last {
				return nil, invalid(at+"/id", "%q stands after %q; components stand in byte order of their ids, each once", short(c.ID), short(last))
			}
		}
		if c.Version < 1 {
			return nil, invalid(at+"/version", "is %d; want 1 or more", c.Version)
		}
		place[c.ID] = i
		role := c.ID.Role()
		count[role]++
		if count[role] > 1 && (role == Artifact || role == Topology || role == Workspace) {
			return nil, invalid(at+"/id", "%q is the second %s; a composition has at most one", short(c.ID), role)
		}
	}
	if count[Artifact] == 0 {
		return nil, invalid("/resolved_components", "holds no artifact; a composition has exactly one")
	}
	return place, nil
}

func (i *Intent) check(resolved map[ComponentID]int) *Error {
	if !i.Recipe.Valid() {
		return invalid("/intent/recipe", "is %q; want a recipe's id, such as skill", short(i.Recipe))
	}
	if fault := checkSelection("/intent/components/include", i.Include, nil); fault != nil {
		return fault
	}
	if fault := checkSelection("/intent/components/exclude", i.Exclude, i.Include); fault != nil {
		return fault
	}
	fault := strictjson.Decode(i.Parameters, func(root strictjson.Node) {
		root.Each(func(name string, value strictjson.Node) {
			if _, found := resolved[ComponentID(name)]; !found {
				value.Fail("belongs to no resolved component; remove the parameters of %q", short(name))
			}
			value.Each(func(string, strictjson.Node) {}) // an object, or a fault
		})
		root.CheckSorted()
	})
	if fault != nil {
		return invalid("/intent/parameters"+fault.Pointer, "%s", fault.Reason)
	}
	return nil
}

// checkSelection checks a list that the consumer chose; others is a checked one that it may not meet.
func checkSelection(pointer string, ids, others []ComponentID) *Error {
	other := 0
	for i, id := range ids {
		at := pointer + "/" + itoa(i)
		if !id.Selectable() {
			return invalid(at, "is %q; want the id of a capability, lifecycle, topology or workspace component", short(id))
		}
		if i > 0 && id <= ids[i-1] {
			return invalid(at, "%q stands after %q; the list is in byte order, each id once", short(id), short(ids[i-1]))
		}
		for other < len(others) && others[other] < id {
			other++
		}
		if other < len(others) && others[other] == id {
			return invalid(at, "%q is included too; remove it from one of the two lists", short(id))
		}
	}
	return nil
}

func (l *Lock) checkFiles(resolved map[ComponentID]int, checks *fileChecks) *Error {
	owns := make([]bool, len(l.Components))
	var tree folders
	owner, last := -1, ComponentID("")
	for i := range l.Files {
		f := &l.Files[i]
		if i >= checks.done && !checks.next(l.Files) {
			return checks.fault
		}
		if owner < 0 || f.Component != last {
			place, found := resolved[f.Component]
			if !found {
				return invalid(filePointer(i)+"/component", "%q is no resolved component", short(f.Component))
			}
			owner, last = place, f.Component
		}
		owns[owner] = true
		tree.add(f.Destination)
	}
	if !tree.apart() {
		places := make([]Destination, len(l.Files))
		for i := range l.Files {
			places[i] = l.Files[i].Destination
		}
		if found := FirstCollision(places); found != nil {
			return invalid(filePointer(found.Second)+"/destination", "%s", found.Describe(places))
		}
	}
	for i, some := range owns {
		if !some {
			return invalid("/resolved_components/"+itoa(i), "%q owns no file; every component supplies at least one", short(l.Components[i].ID))
		}
	}
	return nil
}

// fileChecks is how far the files of a lock were checked, each by itself and against the one before.
type fileChecks struct {
	done  int    // files that keep the rules
	fault *Error // of the file after those
}

// next checks the first file that was not checked yet. After a fault there is none.
func (c *fileChecks) next(files []File) bool {
	if c.fault == nil {
		c.fault = checkFile(files, c.done)
	}
	if c.fault != nil {
		return false
	}
	c.done++
	return true
}

// checkFile checks what file i says by itself, and its place in the order.
func checkFile(files []File, i int) *Error {
	f := &files[i]
	if err := f.Destination.Check(); err != nil {
		return invalid(filePointer(i)+"/destination", "%q: %v", short(f.Destination), err)
	}
	if f.Destination.Misspelled() {
		return invalid(filePointer(i)+"/destination", "%q spells the composer's own folder in another way; that is %q", f.Destination, StateFolder)
	}
	if f.Destination.Reserved() {
		return invalid(filePointer(i)+"/destination", "%q is the composer's own; no component may supply it", f.Destination)
	}
	if i > 0 {
		if last := files[i-1].Destination; f.Destination <= last {
			return invalid(filePointer(i)+"/destination", "%q stands after %q; files stand in byte order of their destinations, each once", f.Destination, last)
		}
	}
	switch f.Ownership {
	case Managed, Generated, Seed:
		return nil
	}
	return invalid(filePointer(i)+"/ownership", "is %q; want managed, generated or seed", short(f.Ownership))
}

func filePointer(i int) string { return "/files/" + itoa(i) }

func itoa(n int) string { return strconv.Itoa(n) }

// short cuts a text of any length to what a message can hold.
func short[S ~string](s S) string {
	const most = 200
	if len(s) <= most {
		return string(s)
	}
	return strings.ToValidUTF8(string(s[:most]), "") + "..."
}
