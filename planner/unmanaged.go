package planner

import (
	"example.org/compose/internal/diag"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// CheckUnmanaged returns nil where a first composition may start in root (nil: the target is absent):
// else RECOVERY_REQUIRED for a marker of whatever kind and content, INITIAL_MODE_REQUIRES_UNMANAGED_TARGET for
// a lock of whatever content.
//
// What is no file in the place of the lock, or can't be looked at, is left to Initial, which reports it as a conflict.
func CheckUnmanaged(root *rootfs.Root) error {
	if _, err := root.Stat(lockv2.MarkerPath); err == nil {
		return &Error{Base: diag.New(CodeRecoveryRequired, lockv2.MarkerPath,
			"an update or upgrade of this target is not finished; finish it before anything else").
			WithHint("compose inspect shows the command that finishes it")}
	}
	if info, err := root.Stat(lockv2.LockPath); err == nil && info.Mode().IsRegular() {
		return &Error{Base: diag.New(CodeUnmanagedTargetRequired, lockv2.LockPath,
			"the target has a lock, so it was composed before; use --mode update to bring it to another revision, or --mode upgrade with --config to change the choice")}
	}
	return nil
}
