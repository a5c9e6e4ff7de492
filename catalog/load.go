package catalog

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
	"example.org/compose/schemas"
)

// Load reads and checks the catalog whole and returns the first fault, an *Error, in the order of docs/catalog.md.
// Trees and blobs are read once each, on all cores. When ctx ends, its error comes back.
func Load(ctx context.Context, s *Source) (*Catalog, error) {
	l := newLoader(ctx, s)
	if err := l.run(); err != nil {
		return nil, err
	}
	if len(l.faults) > 0 {
		return nil, l.faults[0]
	}
	return l.catalog, nil
}

// Check reads the catalog and returns every fault, in the order of docs/catalog.md; none for a good one. Where a file
// can't be read, what depends on it is not judged. Beyond Load it reads every material whole, on all cores (READ_FAILED,
// SOURCE_LFS_POINTER, SOURCE_TOO_LARGE, and the codes of package include for composed ones), and finds destinations that no
// composition can hold (RESERVED_DESTINATION, and DESTINATION_COLLISION within one component). Which recipes can't be composed
// planner.CheckRecipes tells.
//
// The error is for a context that ended.
func Check(ctx context.Context, s *Source) ([]*Error, error) {
	l := newLoader(ctx, s)
	l.all = true
	if err := l.run(); err != nil {
		return nil, err
	}
	return l.faults, nil
}

// loader is one reading of a catalog. Each of its steps looks for one group of faults; Load stops after the
// first step that found any.
type loader struct {
	ctx     context.Context
	trees   *trees
	all     bool // look for all faults
	faults  []*Error
	catalog *Catalog

	components []*Component // one for each listed id, in that order; nil where its descriptor can't be read
	recipes    []*Recipe    // likewise
	ids        []lockv2.ComponentID
	recipeIDs  []lockv2.RecipeID
	place      map[lockv2.ComponentID]int // of each listed id

	noComponent map[lockv2.ComponentID]bool // listed and not there, which is a fault already
	noRecipe    map[lockv2.RecipeID]bool
}

func newLoader(ctx context.Context, s *Source) *loader {
	t := newTrees(s)
	return &loader{ctx: ctx, trees: t, catalog: &Catalog{source: s, trees: t}}
}

// run returns an error only when the context ended.
func (l *loader) run() error {
	steps := []func() error{
		l.readIndex, l.checkClosed, l.readFiles,
		l.checkOwnReferences, l.checkReferences, l.checkCycles, l.checkGenericDependencies, l.checkTopologyDependencies,
		l.checkReach, l.checkRecipes, l.findMaterials,
	}
	if l.all {
		steps = append(steps, l.checkDestinations, l.lookIntoMaterials)
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return err
		}
		// Without a list of what there is, nothing else can be judged.
		if len(l.faults) > 0 && (!l.all || i == 0 && l.ids == nil && l.recipeIDs == nil) {
			return nil
		}
	}
	l.catalog.Components, l.catalog.Recipes = l.components, l.recipes
	return nil
}

// add keeps a fault. It returns err where that is none, but the end of the context.
func (l *loader) add(err error) error {
	if err == nil {
		return nil
	}
	if fault, ok := err.(*Error); ok {
		l.faults = append(l.faults, fault)
		return nil
	}
	return err
}

func (l *loader) fault(code, file, pointer, format string, args ...any) {
	l.faults = append(l.faults, fault(code, file, pointer, format, args...))
}

// each calls work for 0 to n-1 on all cores and adds the faults that the calls return, in the order of the numbers.
func (l *loader) each(n int, work func(i int) ([]*Error, error)) error {
	found := make([][]*Error, n)
	var next atomic.Int64
	var ended atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ended.Load() == nil; i = int(next.Add(1)) - 1 {
				var err error
				if err = l.ctx.Err(); err == nil {
					found[i], err = work(i)
				}
				if err != nil {
					ended.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	workers.Wait()
	if err := ended.Load(); err != nil {
		return *err
	}
	for _, faults := range found {
		l.faults = append(l.faults, faults...)
	}
	return nil
}

// document reads a file of the catalog: a regular blob of at most MaxFile bytes, strict JSON, and of the form of
// its schema. Where ok is false, faults say why.
func (l *loader) document(path, schema string) (b []byte, doc *strictjson.Document, faults []*Error, err error) {
	one := func(err error) ([]byte, *strictjson.Document, []*Error, error) {
		if fault, ok := err.(*Error); ok {
			return nil, nil, []*Error{fault}, nil
		}
		return nil, nil, nil, err
	}
	entry, err := l.trees.regular(l.ctx, path)
	if err != nil {
		return one(err)
	}
	size, err := l.trees.repo.Size(l.ctx, entry.ID)
	if err != nil {
		return one(unreadable(path, err))
	}
	if size > MaxFile {
		return one(fault(CodeSourceTooLarge, path, "", "has %d bytes; a file of the catalog has at most %d (4 MiB): split it up", size, MaxFile))
	}
	if b, err = l.trees.repo.Blob(l.ctx, entry.ID, MaxFile); err != nil {
		return one(unreadable(path, err))
	}
	if doc, err = strictjson.Scan(b, 0); err != nil {
		return one(faultOf(CodeInvalidJSON, path, "is no JSON that compose takes", err))
	}
	var whole strictjson.Value
	doc.Decode(func(root strictjson.Node) { whole = root.Value() })
	for _, v := range schemas.Validate(schema, whole) {
		faults = append(faults, schemaFault(path, v))
	}
	return b, doc, faults, nil
}

func schemaFault(path string, v schemas.Violation) *Error {
	return fault(CodeSchemaValidationFailed, path, v.Pointer, "%s (rule %q)", v.Message, v.Rule)
}

// lacksForm is the fault of a document that kept its schema and still can't be read, which only a slip in the schema
// makes possible.
func lacksForm(path string, f *strictjson.Fault) *Error {
	return fault(CodeSchemaValidationFailed, path, f.Pointer, "%s", f.Reason)
}

// quoteAll lists ids in a message, the first ten of them.
func quoteAll[S ~string](ids []S) string {
	const most = 10
	var shown []string
	for i, id := range ids {
		if i == most {
			shown = append(shown, fmt.Sprintf("and %d more", len(ids)-most))
			break
		}
		shown = append(shown, quote(id))
	}
	return strings.Join(shown, ", ")
}

// short cuts what a user gave, for a message.
func short(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

func quote[S ~string](s S) string { return strconv.Quote(string(s)) }

func item(list string, i int) string { return "/" + list + "/" + strconv.Itoa(i) }
