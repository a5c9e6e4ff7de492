package codehost

import (
	"example.org/compose/lockv2"
	"example.org/compose/policy"
	"example.org/compose/validator"
)

// rule is a code, as a host explains it beside a finding.
type rule struct{ code, summary, help string }

// rules are the codes of docs/validation.md, in its order.
var rules = []rule{
	{validator.CodeMaterialMissing, "A file of the lock is not there",
		"The lock lists the file, and nothing stands in its place. Restore it from version control. If it is no longer wanted, remove it from the catalog, or choose without its component, and update."},
	{validator.CodeMaterialModified, "A file differs from what the lock records",
		"The catalog owns the bytes of managed and generated files. Restore the file from version control, make the change in the catalog, and update. Where only line endings differ, the message says how to check the file out again."},
	{validator.CodeMaterialNotRegular, "Something else stands where a file belongs",
		"A folder, FIFO, socket or device is at the place of a file. Move it away and restore the file from version control."},
	{validator.CodeMaterialSymlink, "A symlink stands where a file belongs",
		"compose follows no symlink. Put the file, or the folder on the way to it, itself in its place."},
	{validator.CodeReadFailed, "A file can't be read",
		"Permission is missing, the disk reports a fault, or something writes to the file all the time. Make it readable and validate again."},
	{validator.CodeInvalidTarget, "The target is no folder",
		"Nothing is at the target's path, or a symlink or another kind of file. Name the folder that holds .template-composition."},
	{validator.CodeLockMissing, "The target has no lock",
		"Without .template-composition/lock.json nothing says what belongs here. Restore it from version control, or compose the target with compose apply."},
	{"INVALID_JSON", "The lock is no JSON",
		"Nothing but compose should write the lock. Restore it from version control; after a merge, take one side whole and update."},
	{validator.CodeInvalidLock, "The lock breaks a rule",
		"Nothing but compose should write the lock. Restore it from version control; after a merge, take one side whole and update."},
	{lockv2.CodeUnsupportedLockVersion, "The lock has another version",
		"Use the version of compose that wrote the lock."},
	{validator.CodeRecoveryRequired, "An update or upgrade is not finished",
		"Run the command that was interrupted once more: it finishes what it began. compose inspect says which one it was."},
	{policy.CodeInvalidPolicy, "The policy can't be used",
		"A policy that can't be understood permits nothing. Mend .template-composition/policy.json, or restore it from version control."},
	{policy.CodeRepositoryNotAllowed, "The policy does not allow the catalog",
		"The lock names a catalog that .template-composition/policy.json does not list. Compose from a listed one, or have the policy's owners add it."},
}

// ruleIndex returns the place of a code in rules, -1 for another code.
func ruleIndex(code string) int {
	for i := range rules {
		if rules[i].code == code {
			return i
		}
	}
	return -1
}
