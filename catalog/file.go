package catalog

import "context"

// File returns the exact bytes of a regular file of the revision, such as one that an *Error is about. Errors, *Error:
// INVALID_SOURCE_AUTHORITY for anything but a regular file, SOURCE_TOO_LARGE past MaxFile bytes, READ_FAILED.
func (s *Source) File(ctx context.Context, path string) ([]byte, error) {
	s.once.Do(func() { s.trees = newTrees(s) })
	entry, err := s.trees.regular(ctx, path)
	if err != nil {
		return nil, err
	}
	b, err := s.repo.Blob(ctx, entry.ID, MaxFile)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return b, nil
}
