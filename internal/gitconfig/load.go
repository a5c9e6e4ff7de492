package gitconfig

import (
	"errors"
	"io/fs"
)

// Load reads git's configuration of system and user, with what it includes. With an error it names the file that can't be read.
func Load(getenv func(name string) string, home string) (cfg *Config, file string, err error) {
	cfg = &Config{}
	for _, file := range Files(getenv) {
		err := cfg.AddFile(file, Includes{Follow: true, Home: home})
		if errors.Is(err, fs.ErrPermission) {
			continue // as in git: a home that can't be read is one without configuration
		}
		if err != nil {
			return nil, file, err
		}
	}
	return cfg, "", nil
}
