package agent

import (
	"testing"
	"testing/synctest"
	"time"

	"answerback/hook/caller"
)

func newTwins() *twins { return &twins{first: map[ident]*firstSeen{}} }

func TestB035_SecondConnectionIsATwin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tw := newTwins()
		mine, other := tw.claim([]byte("call"), 7)
		if mine == nil || other != nil {
			t.Fatal("the first connection is not the first")
		}
		time.Sleep(30 * time.Millisecond)
		if again, first := tw.claim([]byte("call"), 7); again != nil || first != mine {
			t.Error("the same bytes from the same parent 30 ms later are not a twin")
		}
		time.Sleep(twinWindow)
	})
}

func TestNoTwin(t *testing.T) {
	for _, c := range []struct {
		name   string
		stdin  string
		parent int
		after  time.Duration
	}{
		{"later than the window", "call", 7, 251 * time.Millisecond},
		{"another parent", "call", 8, 0},
		{"one byte differs", "calL", 7, 0},
		{"the parent cannot be read", "call", 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			tw := newTwins()
			tw.claim([]byte("call"), 7)
			tw.claim([]byte("call"), 0)
			time.Sleep(c.after)
			if mine, _ := tw.claim([]byte(c.stdin), c.parent); mine == nil {
				t.Errorf("%s: taken for the same call", c.name)
			}
			time.Sleep(2 * twinWindow)
		})
	}
}

func TestTwinNeverGetsTheAllow(t *testing.T) {
	for kind := caller.NoOpinion; kind <= caller.Answers; kind++ {
		got := forTwin(caller.Verdict{Kind: kind, Words: "words"})
		want := caller.NoOpinion
		if kind == caller.Deny {
			want = caller.Deny
		}
		if got.Kind != want {
			t.Errorf("of verdict %d the twin gets %d, want %d", kind, got.Kind, want)
		}
	}
}

func TestTwinOfAnUnfinishedCallGetsNothing(t *testing.T) {
	f := &firstSeen{done: make(chan struct{}), verdict: caller.Verdict{Kind: caller.Deny}}
	if v := f.twinVerdict(); v.Kind != caller.NoOpinion {
		t.Errorf("a twin got %d before the first had ended", v.Kind)
	}
}
