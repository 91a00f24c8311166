package agent

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"answerback/agent/internal/audit"
	"answerback/relay"
	"answerback/relay/relayserver"
)

// crossed is one payload that crossed the relay.
type crossed struct {
	box     relay.Box
	payload []byte
}

// hostile is a relay that keeps everything, and plays with it as long as it is let.
type hostile struct {
	relayserver.Bus
	mu   sync.Mutex
	seen []crossed
	play bool
}

func newHostile(play bool) *hostile {
	return &hostile{Bus: relayserver.NewHub(relayserver.Limits{BoxRate: 1 << 20, BoxBurst: 1 << 20, BoxBytes: 1 << 30}), play: play}
}

// Send delivers what was sent, among changed, swapped and earlier messages.
func (h *hostile) Send(box relay.Box, m relayserver.Message) relay.UnsentReason {
	payload := bytes.Clone(m.Payload())
	for _, c := range h.around(box, payload) {
		h.Bus.Send(c.box, relayserver.NewMessage(c.box, c.payload))
	}
	return h.Bus.Send(box, relayserver.NewMessage(box, payload))
}

func (h *hostile) around(box relay.Box, payload []byte) (more []crossed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, crossed{box, payload})
	if !h.play {
		return nil
	}
	for range 4 { // one bit changed, at the ends and anywhere
		bad := bytes.Clone(payload)
		bad[rand.IntN(len(bad))] ^= 1 << rand.IntN(8)
		more = append(more, crossed{box, bad}, crossed{box, payload[:rand.IntN(len(payload)-1)+1]}, crossed{box, append(bytes.Clone(payload), 0)})
	}
	for range 4 {
		old := h.seen[rand.IntN(len(h.seen))]
		more = append(more, old, crossed{box, old.payload}, crossed{old.box, payload}) // again, swapped, reflected
	}
	return more
}

// all is everything that crossed.
func (h *hostile) all() []crossed {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

// B090: a relay that logs, alters, swaps, reflects, replays and reorders reads nothing, changes nothing, and lets nothing through that no
// device signed. Pairing and answers arrive all the same.
func TestB090_HostileRelay(t *testing.T) {
	bus := newHostile(true)
	tr := newTrip(t, relayserver.Options{Bus: bus})
	phone := tr.pair("Pixel 9 of you@example.com")
	allowedCall, deniedCall, silent := tr.ask("kubectl get pods"), tr.ask("kubectl delete pods"), tr.ask("kubectl drain", "--wait", "4s")
	tr.answer(phone, tr.card(phone, "kubectl get"), allow())
	tr.answer(phone, tr.card(phone, "kubectl delete"), deny("wait for the backup"))
	tr.card(phone, "kubectl drain")
	if got := allowedCall.wait(t); got != allowed {
		t.Errorf("the allowed call printed %q", got)
	}
	if got := deniedCall.wait(t); !bytes.Contains([]byte(got), []byte(`"deny"`)) {
		t.Errorf("the denied call printed %q", got)
	}
	if got := silent.wait(t); got != "" {
		t.Errorf("the call that nobody answered printed %q", got)
	}
	if n := tr.countAllowed(); n != 1 {
		t.Errorf("the log has %d Allows, and a device gave one", n)
	}
	if n := tr.count(audit.Outcome); n != 3 {
		t.Errorf("%d outcomes of 3 calls", n)
	}
	if n := len(tr.agent.allPeers()); n != 1 {
		t.Errorf("%d devices are there", n)
	}
	for _, c := range bus.all() {
		for _, word := range []string{"kubectl", "backup", "Pixel", "example.com", "studio", "my-tool", "decision"} {
			if bytes.Contains(c.payload, []byte(word)) {
				t.Errorf("the relay saw %q", word)
			}
		}
	}
}

// M006: everything that ever crossed, sent again to everybody after a restart, has no effect: no call is allowed, no card shows twice, no
// device comes.
func TestM006_EverythingAgainAfterARestart(t *testing.T) {
	bus := newHostile(false)
	tr := newTrip(t, relayserver.Options{Bus: bus})
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	tr.answer(phone, tr.card(phone, "npm test"), allow())
	h.wait(t)
	tr.stop()
	captured := bus.all()
	tr.start()
	again := tr.ask("npm test", "--wait", "3s")
	v := tr.card(phone, "npm test")
	for range 3 {
		for _, c := range captured {
			bus.Bus.Send(c.box, relayserver.NewMessage(c.box, c.payload))
		}
		slices.Reverse(captured)
	}
	time.Sleep(300 * time.Millisecond)
	if !again.still() {
		t.Error("the waiting call ended")
	}
	open := 0
	for _, w := range phone.Cards() {
		if w.Open() {
			open++
		}
	}
	if now, _ := phone.Card(v.Card.Request); open != 1 || !now.Open() {
		t.Errorf("%d cards are open on the phone, want the one that waits", open)
	}
	if got := again.wait(t); got != "" {
		t.Errorf("the second call printed %q", got)
	}
	if n := tr.countAllowed(); n != 1 {
		t.Errorf("the log has %d Allows of the one that was given", n)
	}
}
