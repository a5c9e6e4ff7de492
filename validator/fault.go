package validator

import "example.org/compose/lockv2"

// Codes of a Fault, besides those of packages lockv2 and policy, and INVALID_JSON for a lock that is no lock.
const (
	CodeMaterialMissing    = "MATERIAL_MISSING"     // a file of the lock is not there
	CodeMaterialModified   = "MATERIAL_MODIFIED"    // a managed or generated file has other bytes
	CodeMaterialNotRegular = "MATERIAL_NOT_REGULAR" // a folder, FIFO, socket or device stands where a file belongs
	CodeMaterialSymlink    = "MATERIAL_SYMLINK"     // the file, or a folder on the way to it, is a symlink
	CodeReadFailed         = "READ_FAILED"          // permission, an I/O error, or something writes to it all the time
	CodeLockMissing        = "LOCK_MISSING"         // the target is not managed
	CodeInvalidLock        = lockv2.CodeInvalidLock // also for a state folder or a lock of another kind
	CodeRecoveryRequired   = "RECOVERY_REQUIRED"    // a marker stands
	CodeInvalidTarget      = "INVALID_TARGET"       // nothing at the target's path, or no folder
)

// Fault is one way in which the target differs from its lock.
type Fault struct {
	Code            string
	Destination     lockv2.Destination // "" for a fault of the target, the lock or the policy
	Pointer         string             // into the policy for INVALID_POLICY, else into the lock; "" for the whole
	Message         string             // what is wrong and what to do; names the place where Destination is ""
	Expected        string             // the digest that the lock records, in hexadecimal, for MATERIAL_MODIFIED
	Actual          string             // the digest that was found
	LineEndingsOnly bool               // the bytes with every CRLF made LF are what the lock records
}
