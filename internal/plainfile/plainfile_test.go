package plainfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/compose/internal/plainfile"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		path    string
		limit   int64
		want    string
		fault   string
		missing bool
	}{
		{"at the limit", file, 5, "12345", "", false},
		{"past the limit", file, 4, "", "larger than 4 bytes", false},
		{"missing", filepath.Join(folder, "none"), 5, "", "", true},
		{"below a file", filepath.Join(file, "none"), 5, "", "", true},
		{"a folder", folder, 5, "", "is a folder", false},
		{"a device", os.DevNull, 5, "", "is not a regular file", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := plainfile.Read(tt.path, tt.limit)
			if tt.fault == "" && !tt.missing {
				if err != nil || string(got) != tt.want {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.fault) || plainfile.IsMissing(err) != tt.missing {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestCause(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "none"))
	if got := plainfile.Cause(err); strings.Contains(got.Error(), "none") || !errors.Is(got, fs.ErrNotExist) {
		t.Errorf("got %v", got)
	}
}
