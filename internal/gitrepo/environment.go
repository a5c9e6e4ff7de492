package gitrepo

import "path/filepath"

// OptionsOf returns the options that git itself would take from an environment: os.Getenv, in a program.
//
// It knows HOME, XDG_CONFIG_HOME, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL and
// GIT_ATTR_NOSYSTEM. Settings in variables (GIT_CONFIG_COUNT) do not count.
func OptionsOf(getenv func(name string) string) Options {
	opts := Options{Home: getenv("HOME")}
	isSet := func(name string) bool {
		on, ok := parseBoolean(getenv(name))
		return on || !ok
	}
	if !isSet("GIT_CONFIG_NOSYSTEM") {
		system := getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		opts.ConfigFiles = append(opts.ConfigFiles, system)
	}
	if !isSet("GIT_ATTR_NOSYSTEM") {
		opts.SystemAttributesFile = "/etc/gitattributes"
	}
	xdg := getenv("XDG_CONFIG_HOME")
	if xdg == "" && opts.Home != "" {
		xdg = filepath.Join(opts.Home, ".config")
	}
	if xdg != "" {
		opts.AttributesFile = filepath.Join(xdg, "git", "attributes")
	}
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		opts.ConfigFiles = append(opts.ConfigFiles, global)
		return opts
	}
	if xdg != "" {
		opts.ConfigFiles = append(opts.ConfigFiles, filepath.Join(xdg, "git", "config"))
	}
	if opts.Home != "" {
		opts.ConfigFiles = append(opts.ConfigFiles, filepath.Join(opts.Home, ".gitconfig"))
	}
	return opts
}
