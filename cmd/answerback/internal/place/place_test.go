package place

import (
	"strings"
	"testing"
)

const fromUID = "/run/user/1000/answerback/agent.sock"

func TestFind(t *testing.T) {
	for name, tt := range map[string]struct {
		w             Wanted
		state, socket string
	}{
		"home":             {Wanted{Home: "/home/dev"}, "/home/dev/.local/state/answerback", fromUID},
		"XDG":              {Wanted{Home: "/home/dev", StateHome: "/data/state"}, "/data/state/answerback", fromUID},
		"XDG relative":     {Wanted{Home: "/home/dev", StateHome: "state"}, "/home/dev/.local/state/answerback", fromUID},
		"--state":          {Wanted{Home: "/home/dev", State: "/tmp/x"}, "/tmp/x", "/tmp/x/agent.sock"},
		"--state --socket": {Wanted{State: "/tmp/x/", Socket: "/tmp/y.sock"}, "/tmp/x", "/tmp/y.sock"},
		"--socket":         {Wanted{Home: "/home/dev", Socket: "/tmp/y.sock"}, "/home/dev/.local/state/answerback", "/tmp/y.sock"},
	} {
		tt.w.DefaultSocket = fromUID
		p, err := Find(tt.w)
		if err != nil || p.State != tt.state || p.Socket != tt.socket {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestRelativeFlagsAreMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	p, err := Find(Wanted{State: "here", Socket: "s.sock"})
	if err != nil || !strings.HasPrefix(p.State, "/") || !strings.HasPrefix(p.Socket, "/") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestB112_ALongSocketPathIsSaid: the system would cut it or refuse it far from where the person could see why.
func TestB112_ALongSocketPathIsSaid(t *testing.T) {
	long := "/tmp/" + strings.Repeat("x", 100)
	for _, w := range []Wanted{{State: long}, {Home: "/home/dev", Socket: long}, {Home: "/home/dev", DefaultSocket: long}} {
		_, err := Find(w)
		if err == nil || !strings.Contains(err.Error(), "give --socket a shorter one") {
			t.Errorf("%+v: %v", w, err)
		}
	}
}

func TestNoHomeIsSaid(t *testing.T) {
	for _, home := range []string{"", "relative"} {
		if _, err := Find(Wanted{Home: home}); err == nil || !strings.Contains(err.Error(), "--state DIR") {
			t.Errorf("home %q: %v", home, err)
		}
	}
}
