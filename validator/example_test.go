package validator_test

import (
	"context"
	"fmt"
	"os"

	"example.org/compose/validator"
)

func Example() {
	dir, err := os.MkdirTemp("", "target")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	report, err := validator.Validate(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.State, report.OK())
	for _, fault := range report.Faults {
		fmt.Println(fault.Code)
	}
	// Output:
	// unmanaged false
	// LOCK_MISSING
}
