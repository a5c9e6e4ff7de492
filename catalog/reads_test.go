package catalog_test

import (
	"context"
	"sync"
	"testing"

	"example.org/compose/catalog"
	"example.org/compose/internal/catalogtest"
	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
)

// Load reads each folder once, whoever asks first, and of the blobs those of the catalog's own files alone.
func TestLoadReadsOnce(t *testing.T) {
	r := catalogtest.Repository(t)
	rev := r.Commit(catalogtest.Large(1_000, 40).Files())
	var mu sync.Mutex
	trees, blobs := map[gitrepo.ID]int{}, map[gitrepo.ID]bool{}
	repo := r.Watch(func(kind plumbing.ObjectType, id gitrepo.ID) {
		mu.Lock()
		defer mu.Unlock()
		switch kind {
		case plumbing.TreeObject:
			trees[id]++
		case plumbing.BlobObject:
			blobs[id] = true
		}
	})
	source, err := catalog.Bind(context.Background(), repo, rev)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := catalog.Load(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	for id, times := range trees {
		if times > 1 {
			t.Errorf("the tree %s is read %d times", id, times)
		}
	}
	if len(trees) < 100 {
		t.Errorf("%d trees are read; the catalog has more", len(trees))
	}
	if want := 1 + len(loaded.Components) + len(loaded.Recipes); len(blobs) != want {
		t.Errorf("%d blobs are read, want %d: the index, descriptors and recipes", len(blobs), want)
	}
}

// Ten times the materials cost at most 15 times the allocations.
func TestLoadGrowth(t *testing.T) {
	count := func(n int) float64 {
		source := catalogtest.Source(t, catalogtest.Large(n, 40).Files())
		return testing.AllocsPerRun(2, func() {
			if _, err := catalog.Load(context.Background(), source); err != nil {
				t.Fatal(err)
			}
		})
	}
	if small, large := count(300), count(3_000); large > 15*small {
		t.Errorf("%v allocations for 300 materials, %v for 3,000", small, large)
	}
}
