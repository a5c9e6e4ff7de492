// Package scaffold makes what a person starts from: a catalog of one's own, components and recipes in it, and a configuration.
package scaffold
