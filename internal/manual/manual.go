// Package manual turns one description of the command line into help topics, man pages and shell completion.
package manual
