package screen

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsEscapes asks a console to understand the escape sequences of ECMA-48, which it does not on its own.
func understandsEscapes(file *os.File) bool {
	console := windows.Handle(file.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
