// Package review shows what a plan would do to each file, as a person compares them: unified differences, and for a local
// modification the three-way picture of what the lock had, what the catalog wants and what is on disk.
package review
