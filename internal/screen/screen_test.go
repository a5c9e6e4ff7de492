package screen_test

import (
	"bytes"
	"testing"

	"example.org/compose/internal/screen"
)

func TestDetect(t *testing.T) {
	cases := []struct {
		name  string
		color screen.Color
		env   map[string]string
		want  screen.Screen
	}{
		{"no terminal", screen.Auto, nil, screen.Screen{Columns: 80}},
		{"nothing asked for", "", nil, screen.Screen{Columns: 80}},
		{"asked for", screen.Always, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, screen.Screen{Columns: 80, Color: true}},
		{"refused", screen.Never, map[string]string{"CLICOLOR_FORCE": "1"}, screen.Screen{Columns: 80}},
		{"forced by the environment", screen.Auto, map[string]string{"CLICOLOR_FORCE": "1"}, screen.Screen{Columns: 80, Color: true}},
		{"forced with 0", screen.Auto, map[string]string{"CLICOLOR_FORCE": "0"}, screen.Screen{Columns: 80}},
		{"NO_COLOR comes first", screen.Auto, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, screen.Screen{Columns: 80}},
		{"an empty NO_COLOR is none", screen.Auto, map[string]string{"NO_COLOR": "", "CLICOLOR_FORCE": "1"}, screen.Screen{Columns: 80, Color: true}},
		{"a width", screen.Auto, map[string]string{"COLUMNS": "120"}, screen.Screen{Columns: 120, Measured: true}},
		{"too narrow", screen.Auto, map[string]string{"COLUMNS": "3"}, screen.Screen{Columns: 40, Measured: true}},
		{"too wide", screen.Auto, map[string]string{"COLUMNS": "99999"}, screen.Screen{Columns: 1000, Measured: true}},
		{"no width", screen.Auto, map[string]string{"COLUMNS": "-1"}, screen.Screen{Columns: 80}},
		{"not even a number", screen.Auto, map[string]string{"COLUMNS": "wide"}, screen.Screen{Columns: 80}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := screen.Detect(&bytes.Buffer{}, c.color, func(name string) string { return c.env[name] })
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestZeroScreen(t *testing.T) {
	var s screen.Screen
	if got := s.Width(); got != screen.DefaultColumns {
		t.Errorf("width %d", got)
	}
	if got := s.Render(screen.Text{{Style: screen.Red, Text: "a"}, {Text: "b"}}); got != "ab" {
		t.Errorf("%q", got)
	}
}

func TestShown(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		all      bool
		want     int
	}{
		{0, 5, false, 0}, {5, 5, false, 5}, {6, 5, false, 4}, {100, 5, false, 4}, {100, 5, true, 100}, {3, 1, false, 0}, {3, 0, false, 0},
	} {
		if got := screen.Shown(c.n, c.limit, c.all); got != c.want {
			t.Errorf("Shown(%d, %d, %v) is %d, want %d", c.n, c.limit, c.all, got, c.want)
		}
	}
}
