package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// unknownFile is a destination that nothing supplies.
type unknownFile struct {
	destination lockv2.Destination
	message     string
	folder      bool                 // near are the first files below it
	suppliers   []lockv2.ComponentID // components of the catalog that would, and are not in the composition; by id
	near        []lockv2.Destination // what may have been meant, the likeliest first
}

// stranger finds out about a destination that nothing supplies.
func (x *explainer) stranger(ctx context.Context, d lockv2.Destination) error {
	u := unknownFile{destination: d}
	all := x.destinations()
	below := slices.DeleteFunc(slices.Clone(all), func(o lockv2.Destination) bool { return !strings.HasPrefix(string(o), string(d)+"/") && d != "." })
	if x.work != nil {
		for _, c := range x.work.catalog.Components {
			for i := range c.Materials {
				if c.Materials[i].Destination == d {
					u.suppliers = append(u.suppliers, c.ID)
				}
			}
		}
	}
	switch {
	case d.Reserved():
		u.message = "it is compose's own, and no component supplies it"
	case len(below) > 0:
		u.message = fmt.Sprintf("it is a folder, with %s that the composition supplies; name a file", diag.Count(len(below), "file"))
		u.folder, u.near = true, below[:min(len(below), mostNear)]
	case len(u.suppliers) == 1:
		u.message = fmt.Sprintf("nothing in this composition supplies it; component %s of the catalog would, %s", u.suppliers[0], x.offered(u.suppliers[0]))
	case len(u.suppliers) > 1:
		u.message = fmt.Sprintf("nothing in this composition supplies it; %s of the catalog would, and none of them is in it", diag.Count(len(u.suppliers), "component"))
	default:
		u.message = "nothing supplies it"
		_, err := x.root.Stat(d)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var fault *rootfs.Error
		switch {
		case err == nil:
			u.message += "; what stands there is your own"
		case errors.As(err, &fault) && fault.Reason == rootfs.Missing:
			u.near = nearest(d, all)
		}
	}
	x.unknown = append(x.unknown, u)
	return nil
}

// offered says whether the recipe has a component that is not in the composition.
func (x *explainer) offered(id lockv2.ComponentID) string {
	recipe := x.work.catalog.Recipe(x.recipe)
	switch {
	case recipe == nil:
		return "and is not in it"
	case slices.Contains(recipe.Default, id):
		return "but the configuration excludes it"
	case slices.Contains(recipe.Optional, id):
		return fmt.Sprintf("and recipe %q offers it: include it to have the file", x.recipe)
	}
	return fmt.Sprintf("but recipe %q does not offer it", x.recipe)
}

// destinations are all that the lock lists and the catalog supplies, by bytes.
func (x *explainer) destinations() []lockv2.Destination {
	var all []lockv2.Destination
	if x.old != nil {
		for i := range x.old.Lock.Files {
			all = append(all, x.old.Lock.Files[i].Destination)
		}
	}
	if x.now != nil {
		for d := range x.now.files {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const mostNear = 3 // names that are suggested

// nearest returns up to three of the names that someone may have meant who wrote d: those with a slip or two in them, else
// those of the same or nearly the same last part in another folder.
func nearest(d lockv2.Destination, names []lockv2.Destination) []lockv2.Destination {
	like := func(part func(string) string, most int) []lockv2.Destination {
		type candidate struct {
			name  lockv2.Destination
			slips int
		}
		wanted := part(d.Fold())
		var found []candidate
		for _, name := range names {
			if n, near := distance(wanted, part(name.Fold()), min(most, max(len(wanted)/3, 1))); near {
				found = append(found, candidate{name, n})
			}
		}
		slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.slips, b.slips) })
		var list []lockv2.Destination
		for _, c := range found[:min(len(found), mostNear)] {
			list = append(list, c.name)
		}
		return list
	}
	if whole := like(func(name string) string { return name }, 4); whole != nil {
		return whole
	}
	return like(path.Base, 2)
}

// distance returns how many bytes have to be put in, taken out or changed to make b of a, where that is at most most.
func distance(a, b string, most int) (n int, near bool) {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > most {
		return 0, false
	}
	far := most + 1
	row := make([]int, len(a)+1) // of the first i bytes of a and what was read of b
	for i := range row {
		row[i] = min(i, far)
	}
	for k := 1; k <= len(b); k++ {
		from, to := max(1, k-most), min(len(a), k+most)
		diagonal := row[from-1]
		row[from-1] = far
		if from == 1 {
			row[0] = min(k, far)
		}
		least := row[from-1]
		for i := from; i <= to; i++ {
			change := diagonal
			if a[i-1] != b[k-1] {
				change++
			}
			diagonal = row[i]
			row[i] = min(change, row[i]+1, row[i-1]+1, far)
			least = min(least, row[i])
		}
		if least > most {
			return 0, false
		}
	}
	return row[len(a)], row[len(a)] <= most
}
