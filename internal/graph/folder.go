package graph

import (
	"maps"
	"path"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/lockv2"
)

// foldersOf counts materials by the folder that they lie in.
func foldersOf(materials []catalog.Material) []Folder {
	counts := make(map[string]Files)
	for i := range materials {
		folder := path.Dir(string(materials[i].Destination))
		if folder == "." {
			folder = ""
		}
		files := counts[folder]
		switch materials[i].Ownership {
		case lockv2.Managed:
			files.Managed++
		case lockv2.Generated:
			files.Generated++
		case lockv2.Seed:
			files.Seed++
		}
		counts[folder] = files
	}
	list := make([]Folder, 0, len(counts))
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, Folder{Path: folder, Files: counts[folder]})
	}
	return list
}

// folded returns at most most folders, deep ones counted in those above them, and how many it leaves out all the same.
func folded(folders []Folder, most int) ([]Folder, int) {
	for len(folders) > most {
		deepest := deepest(folders)
		if deepest <= 1 {
			return folders[:most-1], len(folders) - most + 1
		}
		folders = raised(folders, deepest)
	}
	return folders, 0
}

func deepest(folders []Folder) int {
	n := 0
	for _, f := range folders {
		n = max(n, depth(f.Path))
	}
	return n
}

// raised counts the folders of that depth in those above them.
func raised(folders []Folder, deepest int) []Folder {
	counts := make(map[string]Folder, len(folders))
	for _, f := range folders {
		if depth(f.Path) == deepest {
			f.Path, f.Deep = path.Dir(f.Path), true
		}
		sum := counts[f.Path]
		sum.Path, sum.Deep = f.Path, sum.Deep || f.Deep
		sum.add(f.Files)
		counts[f.Path] = sum
	}
	list := make([]Folder, 0, len(counts))
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, counts[folder])
	}
	return list
}

// depth returns how many folders a path names.
func depth(folder string) int {
	if folder == "" {
		return 0
	}
	return 1 + strings.Count(folder, "/")
}

// label names the folder: "docs/", "docs/…" where it counts what lies below, "./" for the top.
func (f Folder) label() string {
	switch {
	case f.Path == "":
		return "./"
	case f.Deep:
		return printable(f.Path) + "/…"
	}
	return printable(f.Path) + "/"
}
