package starter_test

import (
	"context"
	"testing"

	"example.org/compose/internal/starter"
)

// Files are those of HEAD, bytes and all.
func TestFiles(t *testing.T) {
	for folder, want := range map[string]int{"components/lifecycle.composition-state": 4, "recipes": 2, "components/lifecycle": 0, "nothing": 0} {
		files, err := starter.Files(folder)
		if err != nil || len(files) != want {
			t.Errorf("%s: %d files, %v; want %d", folder, len(files), err, want)
		}
	}
	repo, err := starter.Repository()
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	head, err := repo.Head()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := repo.Commit(context.Background(), head)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := repo.ReadTree(context.Background(), tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name != "recipes" {
			continue
		}
		recipes, err := repo.ReadTree(context.Background(), e.ID)
		if err != nil {
			t.Fatal(err)
		}
		files, err := starter.Files("recipes")
		if err != nil || len(files) != len(recipes) {
			t.Fatalf("%d files, %v; want %d", len(files), err, len(recipes))
		}
		for i, r := range recipes {
			b, err := repo.Blob(context.Background(), r.ID, 1<<20)
			if err != nil || files[i].Path != "recipes/"+r.Name || string(files[i].Content) != string(b) {
				t.Errorf("%s is not %s of the revision: %v", files[i].Path, r.Name, err)
			}
		}
	}
}
