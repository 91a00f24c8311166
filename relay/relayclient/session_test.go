package relayclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

func TestSendToNobody(t *testing.T) {
	c := start(t, relayclient.Options{URL: relaytest.Start(t)})
	inbox(t, c, "a")
	var unsent *relayclient.UnsentError
	if err := send(t, c, "nobody", "x"); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentNobody {
		t.Errorf("%v", err)
	}
}

func TestSendOffline(t *testing.T) {
	c := relayclient.New(relayclient.Options{URL: "http://localhost:1"})
	if err := send(t, c, "a", "x"); !errors.Is(err, relayclient.ErrOffline) {
		t.Errorf("before Run: %v", err)
	}
	if _, _, err := c.Push(t.Context(), goodPush); !errors.Is(err, relayclient.ErrOffline) {
		t.Errorf("push before Run: %v", err)
	}
}

func TestSendSizes(t *testing.T) {
	c := start(t, relayclient.Options{URL: relaytest.Start(t)})
	got := inbox(t, c, "a")
	full := strings.Repeat("x", relay.MaxPayload)
	if err := send(t, c, "a", full); err != nil {
		t.Fatal(err)
	}
	expect(t, got, full)
	var unsent *relayclient.UnsentError
	if err := send(t, c, "a", full+"x"); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentTooLarge {
		t.Errorf("one byte more: %v", err)
	}
	if err := send(t, c, "a", ""); err == nil {
		t.Error("an empty payload was sent")
	}
	if err := send(t, c, "a", "still connected"); err != nil {
		t.Error(err)
	}
}

func TestSendWithADoneContext(t *testing.T) {
	c := start(t, relayclient.Options{URL: relaytest.Start(t)})
	inbox(t, c, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := keys("a")
	if err := c.Send(ctx, r, w, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := send(t, c, "a", "the connection did not suffer"); err != nil {
		t.Error(err)
	}
}

// script is a relay that does exactly what a test says.
func script(t *testing.T, serve func(ctx context.Context, ws *websocket.Conn)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{relay.Subprotocol}})
		if err != nil {
			return
		}
		defer ws.CloseNow()
		ws.SetReadLimit(relay.MaxFrame)
		serve(r.Context(), ws)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestNothingIsSentBeforeListening: a slow relay answers one LISTEN of two; no
// SEND comes before it answers the other.
func TestNothingIsSentBeforeListening(t *testing.T) {
	early := make(chan relay.Type, 10)
	url := script(t, func(ctx context.Context, ws *websocket.Conn) {
		var boxes []relay.Box
		for len(boxes) < 2 {
			_, b, err := ws.Read(ctx)
			if err != nil {
				return
			}
			f, err := relay.ParseListen(b)
			if err != nil {
				early <- relay.TypeOf(b)
				return
			}
			boxes = append(boxes, f.Box())
		}
		ws.Write(ctx, websocket.MessageBinary, relay.AppendListening(nil, boxes[0]))
		quiet, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		go func() {
			<-quiet.Done()
			early <- 0
			ws.Write(ctx, websocket.MessageBinary, relay.AppendListening(nil, boxes[1]))
		}()
		_, b, err := ws.Read(ctx)
		if err != nil {
			return
		}
		early <- relay.TypeOf(b)
		f, _ := relay.ParseSend(b)
		ws.Write(ctx, websocket.MessageBinary, relay.AppendSent(nil, f.Tag))
		ws.Read(ctx)
	})
	c := relayclient.New(relayclient.Options{URL: url})
	for _, name := range []string{"a", "b"} {
		r, w := keys(name)
		c.Listen(r, w, func([]byte) {})
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	for errors.Is(send(t, c, "a", "x"), relayclient.ErrOffline) {
		time.Sleep(time.Millisecond)
	}
	if first, second := <-early, <-early; first != 0 || second != relay.TypeSend {
		t.Errorf("the relay saw %v, then %v; want nothing, then SEND", first, second)
	}
}

// TestRelayThatBreaksTheProtocol: each of these ends the connection, and the
// next one is tried.
func TestRelayThatBreaksTheProtocol(t *testing.T) {
	for name, frame := range map[string][]byte{
		"an unknown type":       {99},
		"empty":                 {},
		"a client's frame":      relay.AppendLeave(nil, relay.Box{}),
		"half a LISTENING":      relay.AppendListening(nil, relay.Box{})[:9],
		"half a SENT":           relay.AppendSent(nil, 1)[:5],
		"UNSENT of no reason":   relay.AppendUnsent(nil, 1, 0),
		"half a PUSHED":         relay.Pushed{}.Append(nil)[:5],
		"an empty MESSAGE":      relay.Message{}.Append(nil),
		"BYE of no reason":      relay.AppendBye(nil, 0),
		"BYE":                   relay.AppendBye(nil, relay.ByeBusy),
		"a frame over its size": make([]byte, relay.MaxFrame+1),
	} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			url := script(t, func(ctx context.Context, ws *websocket.Conn) {
				connections.Add(1)
				ws.Write(ctx, websocket.MessageBinary, frame)
				ws.Read(ctx)
				ws.Read(ctx)
			})
			c := start(t, relayclient.Options{URL: url})
			r, w := keys("a")
			c.Listen(r, w, func([]byte) {})
			eventually(t, func() bool { return connections.Load() >= 2 })
			if c.State().Err == nil {
				t.Error("the state has no error")
			}
		})
	}
}

// TestAnswersNobodyAskedFor are dropped, and a PUSHED does not answer a SEND.
func TestAnswersNobodyAskedFor(t *testing.T) {
	url := script(t, func(ctx context.Context, ws *websocket.Conn) {
		write := func(b []byte) { ws.Write(ctx, websocket.MessageBinary, b) }
		for {
			_, b, err := ws.Read(ctx)
			if err != nil {
				return
			}
			if f, err := relay.ParseListen(b); err == nil {
				write(relay.AppendSent(nil, 77))
				write(relay.Message{Box: relay.Box{1}, Payload: []byte("not asked for")}.Append(nil))
				write(relay.AppendListening(nil, relay.Box{1}))
				write(relay.AppendListening(nil, f.Box()))
			}
			if f, err := relay.ParseSend(b); err == nil {
				write(relay.Pushed{Tag: f.Tag, Status: 201}.Append(nil))
				write(relay.AppendSent(nil, f.Tag+1))
				write(relay.AppendUnsent(nil, f.Tag, relay.UnsentRate))
				write(relay.AppendSent(nil, f.Tag))
			}
		}
	})
	c := start(t, relayclient.Options{URL: url})
	inbox(t, c, "a")
	var unsent *relayclient.UnsentError
	if err := send(t, c, "a", "x"); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentRate {
		t.Errorf("%v", err)
	}
}

// TestRelayThatNeverAnswersASend is taken for dead after ten seconds.
func TestRelayThatNeverAnswersASend(t *testing.T) {
	inWorld(t, relayserver.Options{Bus: stuck{relayserver.NewHub(relayserver.Limits{})}}, func(t *testing.T, w *world) {
		c := w.client(t)
		inbox(t, c, "a")
		r, wk := keys("a")
		began := time.Now()
		var unsent *relayclient.UnsentError
		if err := c.Send(t.Context(), r, wk, []byte("x")); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentTimeout {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("after %v", took)
		}
		time.Sleep(time.Second)
		if err := c.WaitListening(within(t), r, wk); err != nil || len(w.dialled()) != 2 {
			t.Error("no new connection:", err)
		}
	})
}

// stuck is a bus on which a message takes a minute.
type stuck struct{ relayserver.Bus }

func (s stuck) Send(relay.Box, relayserver.Message) relay.UnsentReason {
	time.Sleep(time.Minute)
	return relay.UnsentNobody
}

// TestOrder: what one writer sends is handled in order.
func TestOrder(t *testing.T) {
	url := relaytest.Start(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 1000}})
	reader, writer := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	got := inbox(t, reader, "a")
	inbox(t, writer, "b")
	for i := range 300 {
		if err := send(t, writer, "a", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		expect(t, got, fmt.Sprint(i))
	}
}

// TestSlowHandler: pings are answered and sends go out while a handler takes
// minutes.
func TestSlowHandler(t *testing.T) {
	inWorld(t, relayserver.Options{}, func(t *testing.T, w *world) {
		c, other := w.client(t), w.client(t)
		inbox(t, other, "other")
		done := make(chan struct{})
		r, wk := keys("slow")
		c.Listen(r, wk, func([]byte) { time.Sleep(10 * time.Minute); close(done) })
		if err := c.WaitListening(within(t), r, wk); err != nil {
			t.Fatal(err)
		}
		if err := send(t, other, "slow", "work"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if err := send(t, c, "other", "meanwhile"); err != nil {
			t.Error(err)
		}
		<-done
		if n := len(w.dialled()); n != 2 {
			t.Errorf("%d connections, want one each", n)
		}
	})
}

// TestHandlersTooFarBehind: rather than grow without bound, the client closes,
// and writers hear that nobody reads.
func TestHandlersTooFarBehind(t *testing.T) {
	url := relaytest.Start(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 10_000, SocketBurst: 10_000}})
	c, writer := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	inbox(t, writer, "w")
	release := make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(release) }))
	r, w := keys("a")
	c.Listen(r, w, func([]byte) { <-release })
	if err := c.WaitListening(within(t), r, w); err != nil {
		t.Fatal(err)
	}
	for i := 0; c.State().Err == nil; i++ {
		send(t, writer, "a", "x")
		if i > 3000 {
			t.Fatal("3,000 messages wait for a handler")
		}
	}
	if err := c.State().Err; !strings.Contains(err.Error(), "too slow") {
		t.Error(err)
	}
}

func TestHandlerThatPanics(t *testing.T) {
	c := start(t, relayclient.Options{URL: relaytest.Start(t)})
	r, w := keys("bad")
	c.Listen(r, w, func([]byte) { panic("in the handler") })
	got := inbox(t, c, "good")
	for range 3 {
		if err := send(t, c, "bad", "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(t, c, "good", "alive"); err != nil {
		t.Fatal(err)
	}
	expect(t, got, "alive")
}

// TestHandlerMaySend, and wait for the answer.
func TestHandlerMaySend(t *testing.T) {
	url := relaytest.Start(t)
	agent, phone := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	in := inbox(t, phone, "to phone")
	result := make(chan error, 1)
	r, w := keys("to agent")
	agent.Listen(r, w, func([]byte) { result <- send(t, agent, "to phone", "receipt") })
	if err := agent.WaitListening(within(t), r, w); err != nil {
		t.Fatal(err)
	}
	if err := send(t, phone, "to agent", "answer"); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	expect(t, in, "receipt")
}

func TestStopListening(t *testing.T) {
	url := relaytest.Start(t)
	c, writer := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	inbox(t, writer, "w")
	inbox(t, c, "b")
	r, w := keys("a")
	stop := c.Listen(r, w, func([]byte) { t.Error("handled after stop") })
	if err := c.WaitListening(within(t), r, w); err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
	eventually(t, func() bool { // LEAVE is on its way on another connection
		var unsent *relayclient.UnsentError
		return errors.As(send(t, writer, "a", "x"), &unsent) && unsent.Reason == relay.UnsentNobody
	})
	if err := send(t, writer, "b", "the others stay"); err != nil {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.WaitListening(short, r, w); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a box that is not listened on: %v", err)
	}
}

// TestListenAgain: the second handler takes the first one's place, and the
// first one's stop does nothing any more.
func TestListenAgain(t *testing.T) {
	c := start(t, relayclient.Options{URL: relaytest.Start(t)})
	r, w := keys("a")
	stop := c.Listen(r, w, func([]byte) { t.Error("the old handler was called") })
	if err := c.WaitListening(within(t), r, w); err != nil {
		t.Fatal(err)
	}
	got := inbox(t, c, "a")
	stop()
	if err := send(t, c, "a", "to the new one"); err != nil {
		t.Fatal(err)
	}
	expect(t, got, "to the new one")
}

func TestOnState(t *testing.T) {
	r := relaytest.New(t)
	c := relayclient.New(relayclient.Options{URL: r.URL})
	states := make(chan bool, 10)
	c.OnState(func(connected bool) { states <- connected })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	inbox(t, c, "a")
	r.Kill()
	r.Restart()
	for _, want := range []bool{true, false, true} {
		select {
		case got := <-states:
			if got != want {
				t.Fatalf("state %v, want %v", got, want)
			}
		case <-within(t).Done():
			t.Fatalf("no state, want %v", want)
		}
	}
}

func TestPrivateRelay(t *testing.T) {
	r := relaytest.New(t, relayserver.Options{Token: "secret"})
	agent, phone := start(t, relayclient.Options{URL: r.URL, Token: "secret"}), start(t, relayclient.Options{URL: r.URL})
	wrong := start(t, relayclient.Options{URL: r.URL, Token: "guess"})
	rk, wk := keys("to agent")
	wrong.Listen(rk, wk, func([]byte) {})
	unadmit := agent.Admit(boxOf("to phone"))
	fromPhone, in := inbox(t, agent, "to agent"), inbox(t, phone, "to phone")
	for range 2 { // and again after the relay forgot everything
		eventually(t, func() bool { return send(t, agent, "to phone", "card") == nil })
		expect(t, in, "card")
		eventually(t, func() bool { return send(t, phone, "to agent", "answer") == nil })
		expect(t, fromPhone, "answer")
		r.Restart()
	}
	eventually(t, func() bool { return send(t, agent, "to phone", "card") == nil })
	unadmit()
	var unsent *relayclient.UnsentError
	if err := send(t, agent, "to phone", "x"); !errors.As(err, &unsent) || unsent.Reason != relay.UnsentNotAdmitted {
		t.Errorf("after the admission ended: %v", err)
	}
	if err := wrong.State().Err; err == nil || !strings.Contains(err.Error(), "access token") {
		t.Errorf("with a wrong token: %v", err)
	}
}

func boxOf(name string) relay.Box { return relay.BoxFor(keys(name)) }

var goodPush = relay.Push{TTL: 60, Urgency: relay.UrgencyHigh, Endpoint: "https://push.example.org/x", Body: []byte("sealed")}

// service is a push service that says 201 and three seconds.
type service struct{}

func (service) Push(context.Context, relay.Push) (int, time.Duration) { return 201, 3 * time.Second }
func (service) PublicKey() string                                     { return "key" }

func TestPush(t *testing.T) {
	with, without := start(t, relayclient.Options{URL: relaytest.Start(t, relayserver.Options{Push: service{}})}), start(t, relayclient.Options{URL: relaytest.Start(t)})
	inbox(t, with, "a")
	inbox(t, without, "a")
	if status, after, err := with.Push(within(t), goodPush); status != 201 || after != 3*time.Second || err != nil {
		t.Error(status, after, err)
	}
	if status, _, err := without.Push(within(t), goodPush); status != 501 || err != nil {
		t.Error(status, err)
	}
	bad := goodPush
	bad.TTL = relay.MaxPushTTL + 1
	if _, _, err := with.Push(within(t), bad); !errors.Is(err, relay.ErrMalformed) {
		t.Errorf("a push over its limit: %v", err)
	}
	if err := send(t, with, "a", "still connected"); err != nil {
		t.Error(err)
	}
}
