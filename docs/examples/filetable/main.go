// Command filetable is an example: a table of the texts of a folder, path and sha256, that programs in any language fill and
// check. The value is sc-sha/text, which Python's hashlib gives over Path.read_text (filetable.py does the same).
//
//	go run ./docs/examples/filetable fill DIR > table.csv
//	go run ./docs/examples/filetable check DIR < table.csv
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"os"

	"example.org/compose/fingerprint/scsha"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "filetable:", err)
		os.Exit(2)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "fill":
		return fill(os.DirFS(args[1]), stdout)
	case len(args) == 2 && args[0] == "check":
		return check(os.DirFS(args[1]), stdin)
	}
	return fmt.Errorf("want fill DIR or check DIR")
}

// fill writes a row for each file, by path.
func fill(files fs.FS, w io.Writer) error {
	table := csv.NewWriter(w)
	table.Write([]string{"path", "sha256"})
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		digest, err := hash(files, path)
		if err != nil {
			return err
		}
		return table.Write([]string{path, digest.String()})
	})
	if err != nil {
		return err
	}
	table.Flush()
	return table.Error()
}

// check fails at the first row whose file is not what the row says.
func check(files fs.FS, r io.Reader) error {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 || len(rows[0]) != 2 || rows[0][0] != "path" || rows[0][1] != "sha256" {
		return fmt.Errorf("the table does not begin with path,sha256")
	}
	for _, row := range rows[1:] {
		digest, err := hash(files, row[0])
		if err != nil {
			return err
		}
		if digest.String() != row[1] {
			return fmt.Errorf("%s: is %s, and the table has %s", row[0], digest, row[1])
		}
	}
	return nil
}

func hash(files fs.FS, path string) (scsha.TextDigest, error) {
	b, err := fs.ReadFile(files, path)
	if err != nil {
		return scsha.TextDigest{}, err
	}
	digest, err := scsha.CalculateHash(b)
	if err != nil {
		return scsha.TextDigest{}, fmt.Errorf("%s: %w", path, err)
	}
	return digest, nil
}
