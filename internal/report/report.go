// Package report tells the whole of a plan to those who review it: as GitHub-flavoured Markdown within a budget of bytes, and as one
// self-contained HTML page.
package report
