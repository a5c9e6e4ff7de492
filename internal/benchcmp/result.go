package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// result is all that was measured.
type result struct {
	Machine string
	Groups  []*group
	Goals   []verdict
}

// group are rows that were measured in one another's company.
type group struct {
	Name   string
	Files  int
	Rows   []figures
	Values map[string]float64 `json:",omitempty"` // what was counted

	rows []*row
}

// figures are those of a row, in the order of the rounds.
type figures struct {
	Name    string
	WallMS  []float64 `json:",omitempty"`
	CPUMS   []float64 `json:",omitempty"`
	PeakMiB float64   `json:",omitempty"`
	Error   string    `json:",omitempty"`

	OverFirst, CPUOverFirst float64 `json:",omitempty"` // ratios to the first row
}

// print writes a table.
func (g *group) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s, %d files\n%-58s %9s %21s %9s %7s %8s %6s\n", g.Name, g.Files, "", "wall ms", "min to max", "cpu ms", "MiB", "x first", "cpu x")
	for _, f := range g.Rows {
		if f.Error != "" {
			fmt.Fprintf(out, "%-58s %s\n", f.Name, f.Error)
			continue
		}
		fmt.Fprintf(out, "%-58s %9.1f %9.1f to %9.1f %9.1f %7.1f %8s %6s\n", f.Name,
			median(f.WallMS), slices.Min(f.WallMS), slices.Max(f.WallMS), median(f.CPUMS), f.PeakMiB, number(f.OverFirst), number(f.CPUOverFirst))
	}
}

// number is a figure, or a dash where there is none.
func number(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", n)
}

// counted adds a group without rows.
func (b *bench) counted(name string, files int, values map[string]float64) {
	b.result.Groups = append(b.result.Groups, &group{Name: name, Files: files, Values: values})
	fmt.Fprintf(b.out, "\n%s, %d files\n", name, files)
	for _, what := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b.out, "%-58s %9.2f\n", what, values[what])
	}
}

// figuresOf returns what is shown of a row, nothing where it is missing.
func (g *group) figuresOf(name string) (f figures) {
	for _, f := range g.Rows {
		if f.Name == name {
			return f
		}
	}
	return f
}

// row returns the row of that name, nil where it is missing or failed.
func (g *group) row(name string) *row {
	for _, r := range g.rows {
		if r.name == name && r.err == nil {
			return r
		}
	}
	return nil
}

// write keeps all figures as JSON, where a file is named.
func (r *result) write(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}
