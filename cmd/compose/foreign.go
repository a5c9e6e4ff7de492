package main

import (
	"errors"
	"fmt"
	"strings"

	"example.org/compose/internal/diag"
	"example.org/compose/internal/gitrepo"
	"example.org/compose/internal/rootfs"
	"example.org/compose/internal/starter"
	"example.org/compose/lockv2"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

// unnamedSource stands, in a command, for a catalog of which only the identity is known.
const unnamedSource = "CATALOG"

// foreign reports whether a repository is not the built-in catalog, and the built-in one is the source.
func (c *sourceFlags) foreign(repository string) bool {
	return c.Source == builtinSource && repository != starter.Identity
}

// notHere says of a revision that the built-in catalog does not have that the target is of another catalog.
func (c *sourceFlags) notHere(err error, lock *lockv2.Lock) error {
	var fault diag.Coded
	if lock == nil || !c.foreign(lock.Source.Repository) || !errors.As(err, &fault) || fault.Code() != gitrepo.CodeInvalidRevision {
		return err
	}
	return &commandError{diag.New(fault.Code(), fault.Path(), fmt.Sprintf("the target was composed from %q, and the source is %q; name that catalog with --source",
		lock.Source.Repository, starter.Identity))}
}

// pending gives an error that says that a transaction is not finished the command which finishes it.
func (c *choiceFlags) pending(root *rootfs.Root, err error) error {
	var fault diag.Coded
	if !errors.As(err, &fault) || fault.Code() != planner.CodeRecoveryRequired {
		return err
	}
	marker, failed := txn.ReadMarker(root)
	if failed != nil || marker == nil {
		return err // inspect says more
	}
	msg := strings.TrimPrefix(fault.Error(), fault.Path()+": ")
	return c.finishing(marker, c.foreign(marker.Source.Repository), fault.Code(), fault.Path(), msg)
}

// finishing is an error with the command that finishes a transaction. Where that is of another catalog than the source, the
// command can't be copied, and is part of the message.
func (c *choiceFlags) finishing(marker *txn.Marker, foreign bool, code, path, msg string) error {
	at, revision := *c, string(marker.Source.Revision)
	if !foreign {
		return &commandError{diag.New(code, path, msg).WithHint(at.commandAt(string(marker.Operation), revision))}
	}
	at.Source = unnamedSource
	return &commandError{diag.New(code, path, fmt.Sprintf("%s; the transaction is of %q: name that catalog with --source: %s",
		msg, marker.Source.Repository, at.commandAt(string(marker.Operation), revision)))}
}
