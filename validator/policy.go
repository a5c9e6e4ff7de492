package validator

import (
	"errors"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
	"example.org/compose/policy"
)

// LoadPolicy reads the policy of a target; nil where there is none. The error is a *policy.Error, INVALID_POLICY: it
// breaks a rule, can't be read, or something else stands in its place.
func LoadPolicy(root *rootfs.Root) (*policy.Policy, error) {
	b, err := root.ReadFile(policy.Path, policy.MaxSize)
	if missing(err) {
		return nil, misspelledPolicy(root)
	}
	var e *rootfs.Error
	switch {
	case err == nil:
		return policy.Parse(policy.Path, b)
	case errors.As(err, &e):
		return nil, policy.Unusable(e.At, e.Message())
	}
	return nil, policy.Unusable(policy.Path, "can't be read: "+err.Error())
}

// misspelledPolicy finds a policy in another spelling: where case matters nobody would read it, and its author
// would not notice.
func misspelledPolicy(root *rootfs.Root) error {
	names, err := root.Names(lockv2.StateFolder)
	if err != nil {
		return nil // the right name was looked up, and is not there
	}
	for _, name := range names {
		at := lockv2.Destination(lockv2.StateFolder + "/" + name)
		if at != policy.Path && at.Fold() == policy.Path {
			return policy.Unusable(string(at), "is not read, because of how its name is spelled; rename it to "+policy.Path)
		}
	}
	return nil
}

// checkPolicy holds the target's policy against its lock, which may be nil. It is silent where the composer's folder
// itself is at fault: that is said of the lock, which stands there too.
func checkPolicy(root *rootfs.Root, lock *lockv2.Lock) []Fault {
	p, err := LoadPolicy(root)
	if err == nil && lock != nil {
		if err = p.CheckRepository(lock.Source.Repository); err != nil {
			return []Fault{{Code: policy.CodeRepositoryNotAllowed, Pointer: "/source/repository", Message: err.Error()}}
		}
	}
	var e *policy.Error
	if !errors.As(err, &e) || e.Path() == lockv2.StateFolder {
		return nil
	}
	message := "the policy can't be used, so nothing is composed here: " + err.Error()
	return []Fault{{Code: e.Code(), Pointer: e.Pointer, Message: message}}
}
