package agent

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/relay"
	"answerback/relay/relayserver"
)

// pushService stands where the relay's sender stands: it takes what would go to a browser's push service.
type pushService struct {
	mu     sync.Mutex
	taken  []relay.Push
	status int
	came   chan relay.Push
}

func newPushService() *pushService {
	return &pushService{status: http.StatusCreated, came: make(chan relay.Push, 64)}
}

func (s *pushService) PublicKey() string { return "" }

func (s *pushService) Push(_ context.Context, p relay.Push) (int, time.Duration) {
	p.Body = append([]byte(nil), p.Body...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, p)
	s.came <- p
	return s.status, 0
}

func (s *pushService) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// next is the next push, or none within a while.
func (s *pushService) next(within time.Duration) (relay.Push, bool) {
	select {
	case p := <-s.came:
		return p, true
	case <-time.After(within):
		return relay.Push{}, false
	}
}

// pushTrip is a trip with a phone that has a subscription and is not looked at.
func pushTrip(t *testing.T) (*trip, *pushService, *peer) {
	service := newPushService()
	tr := newTrip(t, relayserver.Options{Push: service})
	phone := tr.pair("Pixel 9")
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	auth := make([]byte, 16)
	rand.Read(auth)
	must(t, phone.Push(tr.within(), card.Push{Endpoint: "https://push.example.org/abc", P256DH: key.PublicKey().Bytes(), Auth: auth}))
	p := tr.agent.peerOf(phone.State().Device)
	for end := time.Now().Add(5 * time.Second); p.device().Push.Endpoint == "" && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	tr.stopDevices()
	return tr, service, p
}

func TestCardIsPushedToADeviceThatIsAway(t *testing.T) {
	tr, service, _ := pushTrip(t)
	h := tr.ask("npm test", "--wait", "6s")
	p, ok := service.next(4 * time.Second)
	if !ok {
		t.Fatal("nothing was pushed")
	}
	if p.Urgency != relay.UrgencyHigh || p.TTL == 0 || p.TTL > 6 || p.Topic == (relay.Topic{}) || len(p.Body) > relay.MaxPushBody {
		t.Errorf("pushed: ttl %d, urgency %d, topic %x, %d bytes", p.TTL, p.Urgency, p.Topic, len(p.Body))
	}
	for _, word := range []string{"npm", "studio", "Bash"} {
		if strings.Contains(string(p.Body), word) {
			t.Errorf("the push service sees %q", word)
		}
	}
	h.wait(t)
	end, ok := service.next(4 * time.Second)
	if !ok || end.Topic != p.Topic || end.Urgency != relay.UrgencyNormal {
		t.Errorf("the end of the card was not pushed in its place: %v %+v", ok, end.Topic)
	}
}

// B056: what ends before the grace is over rings nobody.
func TestB056_NoPushForWhatEndsAtOnce(t *testing.T) {
	tr, service, _ := pushTrip(t)
	c := tr.hookConnection("npm test")
	p, ok := service.next(50 * time.Millisecond)
	c.Close()
	if ok {
		t.Fatalf("pushed at once, before the grace: %+v", p.Topic)
	}
	if p, ok := service.next(3 * time.Second); ok {
		t.Errorf("a card that ended was pushed with urgency %d", p.Urgency)
	}
}

// B063: a large card goes as a pointer; every push stays small.
func TestB063_LargeCardIsPointedTo(t *testing.T) {
	tr, service, _ := pushTrip(t)
	tr.ask("echo "+strings.Repeat("x", 50_000), "--wait", "4s")
	p, ok := service.next(4 * time.Second)
	if !ok || len(p.Body) > relay.MaxPushBody {
		t.Errorf("pushed %v, %d bytes", ok, len(p.Body))
	}
}

// B059: 404 and 410 drop a subscription, 400 and 403 wait for the phone to repair it, 429 and 500 change nothing.
func TestB059_DeadSubscriptions(t *testing.T) {
	for status, want := range map[int]struct {
		endpoint bool
		health   card.PushHealth
	}{201: {true, card.PushGood}, 400: {true, card.PushRepair}, 403: {true, card.PushRepair}, 404: {false, card.PushRepair}, 410: {false, card.PushRepair}, 421: {true, card.PushGood}, 429: {true, card.PushGood}, 500: {true, card.PushGood}, 501: {true, card.PushGood}} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			tr, service, p := pushTrip(t)
			service.answer(status)
			tr.ask("npm test", "--wait", "3s").wait(t)
			time.Sleep(100 * time.Millisecond)
			if d := p.device(); (d.Push.Endpoint != "") != want.endpoint || d.PushHealth != want.health {
				t.Errorf("after %d: endpoint %q, health %q", status, d.Push.Endpoint, d.PushHealth)
			}
			if s, err := tr.agent.state(p.device()); err != nil || s.Push != want.health {
				t.Errorf("after %d the device is told %q, %v", status, s.Push, err)
			}
			id := p.device().ID
			tr.stop()
			tr.start()
			if d := tr.agent.peerOf(id).device(); (d.Push.Endpoint != "") != want.endpoint || d.PushHealth != want.health {
				t.Errorf("after %d and a restart: endpoint %q, health %q", status, d.Push.Endpoint, d.PushHealth)
			}
		})
	}
}

// B074: more than five notifications a minute become one that says how many wait.
func TestB074_Budget(t *testing.T) {
	p := &peer{}
	now := time.Now()
	rung, noted := 0, 0
	for i := range 500 {
		allowed, first := p.mayRing(now.Add(time.Duration(i) * 20 * time.Millisecond))
		if allowed {
			rung++
		}
		if first {
			noted++
		}
	}
	if rung != pushesAMinute || noted != 1 {
		t.Errorf("%d rings and %d notes in ten seconds, want %d and 1", rung, noted, pushesAMinute)
	}
	if allowed, _ := p.mayRing(now.Add(2 * time.Minute)); !allowed {
		t.Error("the budget does not come back")
	}
}

// A tap on the lock screen counts only where the person allowed it on that device, and only for routine calls.
func TestLockScreenAllow(t *testing.T) {
	for _, c := range []struct {
		lock card.LockScreen
		call string
		want card.Outcome
	}{
		{card.LockUnset, "ls", card.Refused},
		{card.LockHide, "ls", card.Refused},
		{card.LockShow, "ls", card.Refused},
		{card.LockAnswer, "ls", card.Accepted},
		{card.LockAnswer, "rm -rf build", card.Refused},
		{card.LockAnswer, "curl https://example.org", card.Refused},
	} {
		t.Run(string(c.lock)+" "+c.call, func(t *testing.T) {
			tr := newTrip(t)
			phone := tr.pair("Pixel 9")
			if c.lock != card.LockUnset {
				must(t, phone.Admin(tr.within(), card.Admin{Action: card.SetLock, LockScreen: c.lock}))
			}
			h := tr.ask(c.call, "--wait", "2s")
			v := tr.card(phone, c.call)
			tap := allow()
			tap.Via = abcrypto.ViaNotification
			sealed, err := phone.Raw().SealAnswer(v.Card.Request, tap)
			must(t, err)
			must(t, phone.Raw().Send(tr.within(), sealed))
			if got := h.wait(t) == allowed; got != (c.want == card.Accepted) {
				t.Errorf("allowed is %v, the receipt should say %s", got, c.want)
			}
		})
	}
}
