package gitconfig

import "path/filepath"

// Files returns the files of system and user that git reads in an environment, the weakest first.
//
// It knows HOME, XDG_CONFIG_HOME, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_SYSTEM and GIT_CONFIG_GLOBAL. Settings in
// variables (GIT_CONFIG_COUNT) do not count.
func Files(getenv func(name string) string) []string {
	var files []string
	if !IsOn(getenv("GIT_CONFIG_NOSYSTEM")) {
		system := getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		files = append(files, system)
	}
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		return append(files, global)
	}
	if folder := UserFolder(getenv); folder != "" {
		files = append(files, filepath.Join(folder, "config"))
	}
	if home := getenv("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return files
}

// UserFolder is git's folder below the user's configuration; "" where there is none.
func UserFolder(getenv func(name string) string) string {
	if xdg := getenv("XDG_CONFIG_HOME"); xdg != "" {
		return filepath.Join(xdg, "git")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "git")
	}
	return ""
}

// IsOn reports whether a variable is set to something other than a boolean's "no".
func IsOn(value string) bool {
	on, ok := ParseBool(value)
	return on || !ok
}
