package catalogtest

import (
	"example.org/compose/internal/gitrepo"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Watch is Open, with a function that sees each object that is looked up. It is called from many goroutines at once.
func (r *Repo) Watch(see func(plumbing.ObjectType, gitrepo.ID)) *gitrepo.Repository {
	return gitrepo.InMemory(watchedStore{r.objects, see}, r.head)
}

type watchedStore struct {
	storer.EncodedObjectStorer
	see func(plumbing.ObjectType, gitrepo.ID)
}

func (w watchedStore) EncodedObject(kind plumbing.ObjectType, id plumbing.Hash) (plumbing.EncodedObject, error) {
	o, err := w.EncodedObjectStorer.EncodedObject(kind, id)
	if err == nil {
		w.see(o.Type(), id)
	}
	return o, err
}
