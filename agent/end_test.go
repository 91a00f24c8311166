package agent

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	abcrypto "answerback/crypto"
	"answerback/hook"
	"answerback/pairing"
	"answerback/relay"
	"answerback/relay/relayserver"
)

// ends holds that the agent ends within a time, whatever is open.
func (tr *trip) ends(t *testing.T, within time.Duration) {
	t.Helper()
	start := time.Now()
	tr.stop()
	if took := time.Since(start); took > within {
		t.Errorf("the end took %v", took)
	}
}

// A pairing that waits for its device does not hold the agent up.
func TestEndWhileAPairingWaits(t *testing.T) {
	tr := newTrip(t)
	c := tr.command(t, control.Request{Do: control.DoPair})
	reply, err := c.Next()
	must(t, err)
	if reply.Pair == nil || reply.Pair.Event != "code" {
		t.Fatalf("the agent says %+v", reply)
	}
	tr.ends(t, 3*time.Second)
	if _, err := c.Next(); err == nil {
		t.Error("the terminal hears that it was paired")
	}
}

// command opens a conversation as the command line does.
func (tr *trip) command(t *testing.T, req control.Request) *control.Conn {
	t.Helper()
	c, err := control.Dial(context.Background(), tr.opts.Socket, req)
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// Connections that say nothing, half a frame, or never read do not hold the agent up.
func TestEndWhileConnectionsHang(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	dial := func() net.Conn {
		c, err := net.Dial("unix", tr.opts.Socket)
		must(t, err)
		t.Cleanup(func() { c.Close() })
		return c
	}
	dial()
	dial().Write([]byte{1, 0, 0, 1, 0, 1})
	for range 600 {
		tr.agent.append(tr.agent.base("started"))
	}
	deaf := dial()
	must(t, hook.WriteControl(deaf, []byte(`{"version":1,"do":"log","count":10000}`)))
	h := tr.ask("npm test")
	tr.card(phone, "npm test")
	time.Sleep(100 * time.Millisecond)
	tr.ends(t, 6*time.Second)
	if got := h.wait(t); got != "" {
		t.Errorf("the hook printed %q", got)
	}
}

// A hook that came in the moment of the end gets no opinion at once, and opens no card.
func TestHookAtTheEnd(t *testing.T) {
	tr := newTrip(t)
	tr.pair("Pixel 9")
	tr.agent.opening.Lock()
	h := tr.ask("npm test")
	time.Sleep(100 * time.Millisecond) // the hook waits for its card to be written
	go tr.agent.end()
	time.Sleep(50 * time.Millisecond)
	tr.agent.opening.Unlock()
	start := time.Now()
	if got := h.wait(t); got != "" || time.Since(start) > 3*time.Second {
		t.Errorf("the hook printed %q after %v", got, time.Since(start))
	}
	tr.ends(t, 3*time.Second)
}

// Devices that take nothing do not hold the agent up one after the other.
func TestEndWithDevicesThatTakeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Agent{peers: map[abcrypto.ID]*peer{}}
		for n := range 20 {
			p := &peer{a: a, queue: make(chan outgoing, 1), ended: make(chan struct{})}
			p.queue <- outgoing{}
			p.stop = func() { close(p.ended) }
			a.peers[abcrypto.ID{byte(n)}] = p
		}
		start := time.Now()
		a.stopPeers()
		if took := time.Since(start); took > drainTime {
			t.Errorf("20 devices took %v", took)
		}
	})
}

// The last message is out before a device's goroutine is stopped, not merely taken from its queue.
func TestLastMessageGoesOut(t *testing.T) {
	tr := newTrip(t)
	phone := tr.pair("Pixel 9")
	h := tr.ask("npm test")
	v := tr.card(phone, "npm test")
	tr.stop()
	if end := tr.settled(phone, v.Card.Request); end.Outcome != card.EndWithdrawn {
		t.Errorf("the phone hears %+v", end)
	}
	h.wait(t)
}

// slowService is a push service that answers when the test ends.
type slowService struct{ *pushService }

func (s slowService) Push(ctx context.Context, p relay.Push) (int, time.Duration) {
	s.pushService.Push(ctx, p)
	<-ctx.Done()
	return 0, 0
}

// A push service that does not answer does not hold the agent up.
func TestEndWhileAPushHangs(t *testing.T) {
	service := slowService{newPushService()}
	tr := newTrip(t, relayserver.Options{Push: service})
	s := tr.stranger(t, true)
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	must(t, err)
	must(t, tr.agent.change(s.p, func(d *device) {
		d.Push = pairing.PushSubscription{Endpoint: "https://push.example.org/abc", P256dh: key.PublicKey().Bytes(), Auth: make([]byte, 16)}
		d.PushHealth = card.PushGood
	}))
	h := tr.ask("npm test")
	if _, ok := service.next(5 * time.Second); !ok {
		t.Fatal("nothing was pushed")
	}
	tr.ends(t, 4*time.Second)
	h.wait(t)
}
