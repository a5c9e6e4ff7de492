// Package screen is what a person sees on a terminal: its width, colour, wrapping, folding of long lists, and progress.
package screen
