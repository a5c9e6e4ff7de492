package diag

import "strings"

// Quote makes a word one argument of a POSIX shell, for hints that are copied.
func Quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._/-+:@%=,", c)
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
