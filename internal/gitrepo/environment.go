package gitrepo

import (
	"path/filepath"

	"example.org/compose/internal/gitconfig"
)

// OptionsOf returns the options that git itself would take from an environment: os.Getenv, in a program.
//
// It knows HOME, XDG_CONFIG_HOME, GIT_CONFIG_NOSYSTEM, GIT_CONFIG_SYSTEM, GIT_CONFIG_GLOBAL and
// GIT_ATTR_NOSYSTEM. Settings in variables (GIT_CONFIG_COUNT) do not count.
func OptionsOf(getenv func(name string) string) Options {
	opts := Options{ConfigFiles: gitconfig.Files(getenv), Home: getenv("HOME")}
	if !gitconfig.IsOn(getenv("GIT_ATTR_NOSYSTEM")) {
		opts.SystemAttributesFile = "/etc/gitattributes"
	}
	if folder := gitconfig.UserFolder(getenv); folder != "" {
		opts.AttributesFile = filepath.Join(folder, "attributes")
	}
	return opts
}
