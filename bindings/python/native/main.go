// Command native is package scsha as a C library, for other languages: built with -buildmode=c-shared. It computes
// nothing itself. Every function that returns text returns memory of its own, which sc_sha_free takes back: the first
// line is "ok" or a code, what follows is the value, or the place and the message on a line each.
//
// It needs cgo, which nothing else here does.
package main

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"unsafe"

	"example.org/compose/fingerprint/scsha"
)

func main() {}

// sc_sha_manifest_algorithm says which rule this library follows, so that a caller can refuse another.
//
//export sc_sha_manifest_algorithm
func sc_sha_manifest_algorithm() *C.char { return C.CString(scsha.ManifestAlgorithm) }

// sc_sha_free takes back what another function returned.
//
//export sc_sha_free
func sc_sha_free(text *C.char) { C.free(unsafe.Pointer(text)) }

// sc_sha_calculate_hash returns the identity of a text of n bytes.
//
//export sc_sha_calculate_hash
func sc_sha_calculate_hash(text *C.char, n C.uint64_t) *C.char {
	digest, err := scsha.CalculateHash(bytesOf(text, n))
	return answer(digest.String(), err)
}

// sc_sha_calculate_composition_hash returns the identity of a manifest of n bytes, in the form of readManifest.
//
//export sc_sha_calculate_composition_hash
func sc_sha_calculate_composition_hash(manifest *C.char, n C.uint64_t) *C.char {
	m, err := readManifest(bytesOf(manifest, n))
	if err != nil {
		return answer("", err)
	}
	digest, err := scsha.CalculateCompositionHash(m)
	return answer(digest.String(), err)
}

// bytesOf is the caller's memory, which stays the caller's.
func bytesOf(p *C.char, n C.uint64_t) []byte {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), uint64(n))
}

func answer(value string, err error) *C.char {
	var coded *scsha.Error
	switch {
	case err == nil:
		return C.CString("ok\n" + value)
	case errors.As(err, &coded):
		return C.CString(coded.Code() + "\n" + coded.Path() + "\n" + err.Error())
	}
	return C.CString("INTERNAL\n\n" + err.Error())
}
