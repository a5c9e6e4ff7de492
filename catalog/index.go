package catalog

import (
	"cmp"
	"slices"
	"strings"

	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// readIndex reads catalog.json.
func (l *loader) readIndex() error {
	_, doc, faults, err := l.document(IndexPath, schemas.Catalog)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		l.faults = faults
		if _, problem, err := l.trees.find(l.ctx, IndexPath); err == nil && problem != "" {
			l.faults = []*Error{fault(CodeInvalidSourceAuthority, IndexPath, "", "%s, so the source holds no catalog at %s; name another source or revision, or start a catalog", problem, l.catalog.source.revision)}
		}
		return nil
	}
	bad := doc.Decode(func(root strictjson.Node) {
		root.Object(func(f *strictjson.Fields) {
			f.Get("schema_version")
			if n, found := f.Lookup("repository"); found {
				l.catalog.Repository = n.Text()
			}
			l.ids = texts[lockv2.ComponentID](f.Get("components"))
			l.recipeIDs = texts[lockv2.RecipeID](f.Get("recipes"))
		})
	})
	if bad != nil {
		l.faults = append(l.faults, lacksForm(IndexPath, bad))
		return nil
	}
	if name := l.catalog.Repository; name != "" {
		if err := lockv2.CheckRepository(name); err != nil {
			l.fault(CodeInvalidCatalog, IndexPath, "/repository", "%v", err)
		}
	}
	checkSorted(l, "components", l.ids)
	checkSorted(l, "recipes", l.recipeIDs)
	l.place = make(map[lockv2.ComponentID]int, len(l.ids))
	for i, id := range l.ids {
		l.place[id] = i
	}
	return nil
}

// texts returns the strings of an array, never nil.
func texts[S ~string](n strictjson.Node) []S {
	list := make([]S, 0, n.Len())
	n.Items(func(_ int, item strictjson.Node) { list = append(list, S(item.Text())) })
	return list
}

// checkSorted reports a list that is not sorted, and sorts it, so that all that follows is by id.
func checkSorted[S cmp.Ordered](l *loader, name string, list []S) {
	for i := 1; i < len(list); i++ {
		if list[i-1] > list[i] {
			l.fault(CodeInvalidCatalog, IndexPath, item(name, i), "%q stands after %q; sort the list by bytes", any(list[i]), any(list[i-1]))
			slices.Sort(list)
			return
		}
	}
}

// checkClosed compares the two lists with the folders below components/ and the *.json files directly below recipes/.
func (l *loader) checkClosed() error {
	l.noComponent, l.noRecipe = map[lockv2.ComponentID]bool{}, map[lockv2.RecipeID]bool{}
	there, ok, err := l.entries(componentsFolder)
	if err != nil {
		return err
	}
	var folders []lockv2.ComponentID
	for _, e := range there {
		// A symlink in the place of a folder is not missing: reading it says what is wrong with it.
		id := lockv2.ComponentID(e.Name)
		if _, listed := l.place[id]; e.Mode == gitrepo.Tree || e.Mode == gitrepo.Submodule || listed && e.Mode == gitrepo.Symlink {
			folders = append(folders, id)
		}
	}
	closed(l, ok, "components", "folder components/", "", l.ids, folders, l.noComponent)

	if there, ok, err = l.entries(recipesFolder); err != nil {
		return err
	}
	var files []lockv2.RecipeID
	for _, e := range there {
		if id, found := strings.CutSuffix(e.Name, ".json"); found {
			files = append(files, lockv2.RecipeID(id))
		}
	}
	closed(l, ok, "recipes", "file recipes/", ".json", l.recipeIDs, files, l.noRecipe)
	return nil
}

// entries returns what a folder at the top holds; nothing where there is no such folder. Where it can't be read, a
// fault says why and ok is false.
func (l *loader) entries(name string) (there folder, ok bool, err error) {
	entry, problem, err := l.trees.find(l.ctx, name)
	switch {
	case err != nil:
	case problem != "":
		return nil, true, nil
	case entry.Mode != gitrepo.Tree:
		err = fault(CodeInvalidSourceAuthority, name, "", "is %s; commit a folder in its place", kindOf(entry.Mode))
	default:
		if there, err = l.trees.folder(l.ctx, entry.ID); err == nil {
			return there, true, nil
		}
		err = unreadable(name, err)
	}
	return nil, false, l.add(err)
}

// closed reports, in one fault, what is listed and not there, or there and not listed. What is not there is put into
// none. Where ok is false nothing could be read, which is a fault already.
func closed[S ~string](l *loader, ok bool, list, what, suffix string, listed, there []S, none map[S]bool) {
	slices.Sort(there)
	missing, extra := without(listed, there), without(there, listed)
	for _, id := range missing {
		none[id] = true
	}
	var parts []string
	if len(extra) > 0 {
		parts = append(parts, "does not list "+quoteAll(extra)+", for which there is a "+what+"ID"+suffix+"; list each, or remove what is there")
	}
	if len(missing) > 0 {
		parts = append(parts, "lists "+quoteAll(missing)+", for which there is no "+what+"ID"+suffix+"; add it, or take the id out of the list")
	}
	if ok && len(parts) > 0 {
		l.fault(CodeCatalogNotClosed, IndexPath, "/"+list, "%s", strings.Join(parts, "; it "))
	}
}

// without returns what is in a and not in b; both are sorted.
func without[S ~string](a, b []S) []S {
	var left []S
	for _, s := range a {
		if _, found := slices.BinarySearch(b, s); !found {
			left = append(left, s)
		}
	}
	return left
}
