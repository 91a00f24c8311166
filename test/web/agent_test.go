package web

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"strconv"
	"sync"
	"testing"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/test/browser"
)

// agent is a machine of the test's: it speaks the agent's half of the protocol with the project's own packages, and does only what
// a test tells it.
type agent struct {
	t      *testing.T
	url    string
	key    ed25519.PrivateKey
	client *relayclient.Client

	mu       sync.Mutex
	locked   *pairing.Locked
	paired   pairing.Paired
	roster   [32]byte
	seq      uint64
	size     uint64 // of the log
	open     []card.Written
	deaf     bool // takes messages in and says nothing
	answers  []abcrypto.AnswerMessage
	orders   []abcrypto.SignedMessage
	hellos   int
	outcome  card.Outcome // what every further copy of an answer is told; "" is nothing
	lies     bool         // .. about other bytes than came
	lock     card.LockScreen
	seen     []card.Seen
	targets  []card.Push // push targets that the device announced
	health   *string     // what the state says of the last; nil: nothing
	lastPush uint64
}

func newAgent(t *testing.T, url string) *agent {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{t: t, url: url, key: key, client: relayclient.New(relayclient.Options{URL: url})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		a.client.Run(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return a
}

func nowMS() uint64 { return uint64(time.Now().UnixMilli()) }

// code draws a pairing code and serves its mailbox.
func (a *agent) code() (*pairing.AgentSide, string) {
	a.t.Helper()
	side, err := pairing.NewAgentSide(pairing.AgentConfig{SignKey: a.key, AgentName: "studio", HostName: "studio.example.com", RelayURL: a.url,
		AppOrigin: a.url, ExpiresMS: nowMS() + 600_000, Random: rand.Reader})
	if err != nil {
		a.t.Fatal(err)
	}
	boxes := side.PairBoxes()
	a.listen(boxes, func(msg []byte) {
		a.mu.Lock()
		reply, event, _ := side.Receive(nowMS(), msg)
		if event.Locked != nil {
			a.locked = event.Locked
		}
		a.mu.Unlock()
		if reply != nil {
			a.send(boxes, reply)
		}
	})
	return side, pairing.Link(a.url, side.Offer(), "")
}

// listen reads the agent's box of a pair of boxes for the rest of the test.
func (a *agent) listen(b pairing.Boxes, handle func([]byte)) {
	a.t.Helper()
	r, w := relay.ReaderKey(b.R(abcrypto.ToAgent)), relay.WriterKey(b.W(abcrypto.ToAgent))
	a.t.Cleanup(a.client.Listen(r, w, handle))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := a.client.WaitListening(ctx, r, w); err != nil {
		a.t.Fatal(err)
	}
}

// send writes to the device's box; a device that is away does not get it.
func (a *agent) send(b pairing.Boxes, msg []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	a.client.Send(ctx, relay.ReaderKey(b.R(abcrypto.ToDevice)), relay.WriterKey(b.W(abcrypto.ToDevice)), msg)
}

// pair pairs with the page, as a person with both in hand would, and starts to serve it.
func (a *agent) pair(p browser.Page) {
	a.t.Helper()
	side, link := a.code()
	step := browser.Eval[struct{ At, Why, Digits string }](a.t, p, "pair("+strconv.Quote(link)+", 'digits')")
	a.mu.Lock()
	ok, _, err := side.Digits(step.Digits)
	a.mu.Unlock()
	if !ok {
		a.t.Fatalf("digits %q, step %q %q: %v", step.Digits, step.At, step.Why, err)
	}
	a.send(side.PairBoxes(), a.finish(side))
	browser.Eval[any](a.t, p, `until(() => steps.at(-1), (s) => s.at === "paired")`)
	browser.Eval[any](a.t, p, `until(() => core.machines(), (m) => m[0]?.online)`)
}

// finish puts the device into the roster and listens for it.
func (a *agent) finish(side *pairing.AgentSide) (msg3 []byte) {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	roster := card.Roster{{ID: a.locked.Device, Name: a.locked.DeviceName, Platform: a.locked.Platform, Role: card.Approver, Key: [32]byte(a.locked.DeviceKey)}}
	body, err := roster.Marshal()
	if err != nil {
		a.t.Fatal(err)
	}
	if a.roster, err = roster.Hash(); err != nil {
		a.t.Fatal(err)
	}
	if msg3, a.paired, err = side.Finish(nowMS(), body); err != nil {
		a.t.Fatal(err)
	}
	a.mu.Unlock()
	a.listen(a.paired.Boxes, a.receive)
	a.mu.Lock()
	return msg3
}
