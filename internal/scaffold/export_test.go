package scaffold

// InsertID is insertID, for tests.
var InsertID = insertID
