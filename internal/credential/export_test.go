package credential

import "time"

// WithTimeout bounds helpers differently.
func (f *Finder) WithTimeout(d time.Duration) *Finder {
	f.timeout = d
	return f
}

// At fixes the time.
func (f *Finder) At(now time.Time) *Finder {
	f.now = func() time.Time { return now }
	return f
}

// ParseNetrc reads a netrc into NAME, LOGIN and PASSWORD of each machine.
func ParseNetrc(text string) ([][3]string, error) {
	machines, err := parseNetrc(text)
	var list [][3]string
	for _, m := range machines {
		list = append(list, [3]string{m.name, m.login, m.password})
	}
	return list, err
}

// ParseAnswer reads what a helper says.
func ParseAnswer(text string, now int64) (user, password string, quit bool, err error) {
	a, err := parseAnswer(text, now)
	return a.user, a.password, a.quit, err
}
