package gitcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/giturl"
	"example.org/compose/internal/gitwire"
	"example.org/compose/lockv2"
	"github.com/go-git/go-git/v5/plumbing"
)

// Codes of Resolve.
const (
	CodeRefNotFound  = "REF_NOT_FOUND"
	CodeRefAmbiguous = "REF_AMBIGUOUS"
)

// Ref is a branch or a tag and the commit that it names now.
type Ref struct {
	Name     string // refs/heads/main, HEAD
	Revision lockv2.Revision
}

// Resolve asks the server at u for what name stands for now: a full ref name, a tag, a branch, or HEAD. The cache is not used.
//
// REF_NOT_FOUND: there is no such ref, or it names no commit. REF_AMBIGUOUS: a tag and a branch have this name, for different
// commits. Others are those of Connect and gitwire.Remote.
func (c *Cache) Resolve(ctx context.Context, u giturl.URL, name string) (Ref, error) {
	remote, err := c.Connect(ctx, u)
	if err != nil {
		return Ref{}, err
	}
	defer remote.Close()
	refs, err := remote.Refs(ctx, name, "refs/tags/"+name, "refs/heads/"+name)
	if err != nil {
		return Ref{}, err
	}
	var found []Ref
	for _, full := range []string{name, "refs/tags/" + name, "refs/heads/" + name} {
		i := slices.IndexFunc(refs, func(r gitwire.Ref) bool { return r.Name == full })
		if i < 0 {
			continue
		}
		if refs[i].ID.IsZero() {
			return Ref{}, fault(CodeRefNotFound, u.String(), "%s names the branch %q, which has no commit yet", name, refs[i].Target)
		}
		found = append(found, Ref{full, leadsTo(refs[i])})
		if full == name { // the whole name, HEAD among them, says which is meant
			break
		}
	}
	switch {
	case len(found) == 0:
		return Ref{}, fault(CodeRefNotFound, u.String(), "there is no branch and no tag %q%s", name, branches(ctx, remote)).withHint("compose source list " + diag.Quote(u.String()))
	case len(found) > 1 && found[0].Revision != found[1].Revision:
		return Ref{}, fault(CodeRefAmbiguous, u.String(), "%q is a tag, at %s, and a branch, at %s; give the whole name", name, found[0].Revision, found[1].Revision).
			withHint(resolveCommand(u) + " --ref " + diag.Quote(found[0].Name))
	}
	return found[0], checkCommit(ctx, remote, u, found[0])
}

// branches says which branches there are, where they are few. A server that does not answer takes nothing from the error
// that this is a part of.
func branches(ctx context.Context, remote gitwire.Remote) string {
	const below, most = "refs/heads/", 10
	refs, err := remote.Refs(ctx, below)
	if err != nil {
		return ""
	}
	var names []string
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref.Name, below); ok && !ref.ID.IsZero() {
			names = append(names, strconv.Quote(name))
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "; there are no branches"
	case len(names) > most:
		return fmt.Sprintf("; there are %d branches", len(names))
	}
	return "; the branches are " + strings.Join(names, ", ")
}

// checkCommit makes sure that a tag leads to a commit, where the server lets itself be asked: the first object of the pack that it begins
// to send says so.
func checkCommit(ctx context.Context, remote gitwire.Remote, u giturl.URL, ref Ref) error {
	able, err := remote.Can(ctx)
	if err != nil || !able.AnyObject || !strings.HasPrefix(ref.Name, "refs/tags/") {
		return err
	}
	kind, err := firstKind(ctx, remote, able, id(ref.Revision))
	if err != nil {
		return err
	}
	if kind != plumbing.CommitObject {
		return fault(CodeRefNotFound, u.String(), "the tag %q leads to a %s, not to a commit", ref.Name, kind)
	}
	return nil
}

// firstKind asks for an object alone and returns its kind, which the first one of the pack has; nothing more is read. Explicit wants are sent
// whatever their kind when blobs are left out; without trees not.
func firstKind(ctx context.Context, remote gitwire.Remote, able gitwire.Ability, want plumbing.Hash) (kind plumbing.ObjectType, err error) {
	ask := gitwire.Request{Wants: []plumbing.Hash{want}, Depth: 1}
	if able.Filter {
		ask.Filter = gitwire.NoBlobs
	}
	err = remote.Fetch(ctx, ask, func(pack io.Reader) error {
		const header = 12
		var b [header + 1]byte
		if _, err := io.ReadFull(pack, b[:]); err != nil {
			return err
		}
		kind = plumbing.ObjectType(b[header] >> 4 & 7)
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return kind, err
}

// errEnough ends a fetch of which nothing more is needed.
var errEnough = errors.New("nothing more is needed")

// Tags returns the tags of the server at u, by name without refs/tags/. A tag may lead to a tree or a blob, whose id it is then.
func (c *Cache) Tags(ctx context.Context, u giturl.URL) ([]Ref, error) {
	const below = "refs/tags/"
	remote, err := c.Connect(ctx, u)
	if err != nil {
		return nil, err
	}
	defer remote.Close()
	refs, err := remote.Refs(ctx, below)
	if err != nil {
		return nil, err
	}
	var tags []Ref
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref.Name, below); ok && !ref.ID.IsZero() {
			tags = append(tags, Ref{name, leadsTo(ref)})
		}
	}
	return tags, nil
}

// leadsTo is the object that a ref names, an annotated tag looked through.
func leadsTo(ref gitwire.Ref) lockv2.Revision {
	if !ref.Peeled.IsZero() {
		return lockv2.Revision(ref.Peeled.String())
	}
	return lockv2.Revision(ref.ID.String())
}

func resolveCommand(u giturl.URL) string { return "compose source resolve " + diag.Quote(u.String()) }
