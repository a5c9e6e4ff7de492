package txn

// Before are options with which before is called ahead of each call that changes or reads the target through the disk,
// with its number, from 1.
func (o Options) Before(before func(n int, op, path string)) Options {
	return twin(&faultDisk{diskKind: diskKind{dry: true}, before: before})
}
