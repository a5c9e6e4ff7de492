package gitrepo_test

import (
	"reflect"
	"testing"

	"example.org/compose/internal/gitrepo"
)

func TestOptionsOf(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want gitrepo.Options
	}{
		{"nothing set", nil, gitrepo.Options{
			ConfigFiles: []string{"/etc/gitconfig"}, SystemAttributesFile: "/etc/gitattributes",
		}},
		{"a home", map[string]string{"HOME": "/h"}, gitrepo.Options{
			ConfigFiles: []string{"/etc/gitconfig", "/h/.config/git/config", "/h/.gitconfig"}, Home: "/h",
			AttributesFile: "/h/.config/git/attributes", SystemAttributesFile: "/etc/gitattributes",
		}},
		{"XDG, no system", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "yes"}, gitrepo.Options{
			ConfigFiles: []string{"/x/git/config", "/h/.gitconfig"}, Home: "/h", AttributesFile: "/x/git/attributes",
		}},
		{"files named", map[string]string{"HOME": "/h", "GIT_CONFIG_GLOBAL": "/g", "GIT_CONFIG_SYSTEM": "/s", "GIT_CONFIG_NOSYSTEM": "false"}, gitrepo.Options{
			ConfigFiles: []string{"/s", "/g"}, Home: "/h",
			AttributesFile: "/h/.config/git/attributes", SystemAttributesFile: "/etc/gitattributes",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := gitrepo.OptionsOf(func(name string) string { return tt.env[name] }); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
