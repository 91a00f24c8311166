package relayclient_test

import (
	"context"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayclient"
	"answerback/relay/relayserver/relaytest"
)

// start runs a client of the relay at url for the time of the test.
func start(t *testing.T, opt relayclient.Options) *relayclient.Client {
	t.Helper()
	c := relayclient.New(opt)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return c
}

// within is the patience of a test that waits for something real.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// keys makes the keys of a box from a name.
func keys(name string) (r relay.ReaderKey, w relay.WriterKey) {
	copy(r[:], "r "+name)
	copy(w[:], "w "+name)
	return r, w
}

// inbox listens on the box of a name and waits until the relay does.
func inbox(t *testing.T, c *relayclient.Client, name string) <-chan string {
	t.Helper()
	got := make(chan string, 1000)
	r, w := keys(name)
	c.Listen(r, w, func(b []byte) { got <- string(b) })
	if err := c.WaitListening(within(t), r, w); err != nil {
		t.Fatalf("waiting for LISTENING on %s: %v", name, err)
	}
	return got
}

func send(t *testing.T, c *relayclient.Client, name, payload string) error {
	t.Helper()
	r, w := keys(name)
	return c.Send(within(t), r, w, []byte(payload))
}

func expect(t *testing.T, got <-chan string, want string) {
	t.Helper()
	select {
	case s := <-got:
		if s != want {
			t.Fatalf("got %q, want %q", s, want)
		}
	case <-within(t).Done():
		t.Fatalf("nothing came, want %q", want)
	}
}

func TestSendBothWays(t *testing.T) {
	url := relaytest.Start(t)
	agent, phone := start(t, relayclient.Options{URL: url}), start(t, relayclient.Options{URL: url})
	fromPhone, fromAgent := inbox(t, agent, "to agent"), inbox(t, phone, "to phone")
	for range 20 {
		if err := send(t, phone, "to agent", "answer"); err != nil {
			t.Fatal(err)
		}
		expect(t, fromPhone, "answer")
		if err := send(t, agent, "to phone", "receipt"); err != nil {
			t.Fatal(err)
		}
		expect(t, fromAgent, "receipt")
	}
}
