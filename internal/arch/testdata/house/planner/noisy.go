package planner

import (
	"fmt"
	"log"
	"os"
)

// Noise does all that a library must not do.
func Noise() {
	os.Exit(1)
	log.Fatal("x")
	fmt.Println("x")
	_ = os.Stderr
	_ = os.Getenv("HOME")
	println("x")
	panic("x")
}
