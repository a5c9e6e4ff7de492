package txn

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// hold takes the target by making an event with the name of its folder: Windows locks no folders, but an event
// exists as long as somebody has it open, so this one goes away with its process. errHeld where it exists.
func hold(folder *os.File) (release func(), err error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(folder.Fd()), &info); err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Global\compose-%08x-%08x%08x`, info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow))
	if err != nil {
		return nil, err
	}
	event, err := windows.CreateEvent(nil, 1, 0, name)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		windows.CloseHandle(event)
		return nil, errHeld
	case errors.Is(err, windows.ERROR_ACCESS_DENIED): // another user's
		return nil, errHeld
	case err != nil:
		return nil, err
	}
	return func() { windows.CloseHandle(event) }, nil
}
