package main

import (
	"fmt"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/strictjson"
	"example.org/compose/planner"
	"example.org/compose/txn"
)

// The values of --mode.
const (
	modeInitial = "initial"
	modeUpdate  = string(planner.Update)
	modeUpgrade = string(planner.Upgrade)
)

// Codes of flags that a mode or a state does not take.
const (
	codeUpdateConfig   = "UPDATE_CONFIG_NOT_ALLOWED"
	codeUpgradeConfig  = "UPGRADE_CONFIG_REQUIRED"
	codeRecoveryConfig = "RECOVERY_CONFIG_NOT_ALLOWED"
	codeRecoveryMode   = "RECOVERY_OPERATION_MISMATCH"
	codeRecoverySource = "RECOVERY_SOURCE_MISMATCH"
)

// checkManagedChoice holds the choice against the mode: update takes none, upgrade needs one.
func (c *choiceFlags) checkManagedChoice() error {
	switch {
	case c.Mode == modeUpdate && c.chosen():
		return &commandError{diag.New(codeUpdateConfig, "",
			"an update keeps the choice that the lock records, so it takes no configuration; leave it out, or use --mode upgrade to change the choice")}
	case c.Mode == modeUpgrade && !c.chosen():
		return &commandError{diag.New(codeUpgradeConfig, "", "an upgrade needs a choice: --config FILE or --recipe ID").
			WithHint("--config composition.json")}
	}
	return nil
}

// checkRecovery holds the flags against the transaction that is to be finished.
func (c *applyCommand) checkRecovery(marker *txn.Marker) error {
	if c.Mode != string(marker.Operation) {
		return c.finishing(marker, c.foreign(marker.Source.Repository), codeRecoveryMode, "",
			fmt.Sprintf("an interrupted %s has to be finished first, and this is --mode %s", marker.Operation, c.Mode))
	}
	if c.chosen() || c.Plan != "" {
		return c.finishing(marker, c.foreign(marker.Source.Repository), codeRecoveryConfig, "",
			fmt.Sprintf("an interrupted %s has to be finished first, and its choice is in the marker; leave --config, --recipe and --plan out", marker.Operation))
	}
	return nil
}

// openFor opens the source of a transaction that is to be finished, at its revision, which a URL need not be given.
func (c *choiceFlags) openFor(s *session, marker *txn.Marker) (*composeWork, error) {
	if _, remote, err := catalog.ParseLocation(c.Source); err == nil && remote && c.Revision == "" {
		c.Revision = string(marker.Source.Revision)
	}
	work, err := c.openSource(s)
	if err != nil {
		return nil, c.notHere(err, marker.NewLock)
	}
	if bound := work.source.Revision(); bound != marker.Source.Revision {
		defer work.Close()
		return nil, c.otherRevision(s, work, marker)
	}
	if err := work.load(s.ctx, c.Repository); err != nil {
		work.Close()
		return nil, err
	}
	if err := work.catalog.CheckSuccessor(s.ctx, work.repository, marker.Source); err != nil {
		work.Close()
		return nil, err
	}
	work.config = planner.UpdateConfig(marker.NewLock)
	return work, nil
}

// otherRevision says that the source is not at the revision of a transaction, or is not even its catalog.
func (c *choiceFlags) otherRevision(s *session, work *composeWork, marker *txn.Marker) error {
	const code = codeRecoverySource
	if err := work.load(s.ctx, c.Repository); err == nil && work.repository != marker.Source.Repository {
		return c.finishing(marker, true, code, "", fmt.Sprintf("an interrupted %s has to be finished first, and the source is another catalog, %q", marker.Operation, work.repository))
	}
	return c.finishing(marker, false, code, "", fmt.Sprintf("the interrupted %s is bound to revision %s, and the source is at %s; finish it at its own revision",
		marker.Operation, marker.Source.Revision, work.source.Revision()))
}

// commandAt is the command line that finishes an operation at its revision, ready to copy.
func (c *choiceFlags) commandAt(operation, revision string) string {
	at := *c
	at.Revision = revision
	return at.located(commandLineOf{"compose apply", "--mode", operation})
}

// checkFresh refuses a plan that is not the saved one; nil for none saved.
func checkFresh(saved *planner.SavedPlan, now func() strictjson.Value) error {
	if saved == nil {
		return nil
	}
	return saved.CheckFresh(now())
}
