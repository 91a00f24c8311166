package relayserver_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// pusher answers as a push service would, and keeps what it was given.
type pusher struct {
	got    chan relay.Push
	status int
	hold   bool // wait for the end of the context
	ended  atomic.Int32
}

func (p *pusher) Push(ctx context.Context, push relay.Push) (int, time.Duration) {
	if p.hold {
		<-ctx.Done()
		p.ended.Add(1)
		return 0, 0
	}
	p.got <- push
	return p.status, 90 * time.Second
}

func (p *pusher) PublicKey() string { return "the VAPID key" }

func pushFrame(tag relay.Tag) []byte {
	return relay.Push{Tag: tag, TTL: 60, Urgency: relay.UrgencyHigh, Endpoint: "https://push.example.org/x", Body: []byte("sealed")}.Append(nil)
}

func TestPushWithoutPusher(t *testing.T) {
	p := plain(t).listener(t, "a")
	p.write(pushFrame(5))
	p.want(relay.Pushed{Tag: 5, Status: 501}.Append(nil))
}

func TestPush(t *testing.T) {
	service := &pusher{got: make(chan relay.Push, 1), status: 201}
	p := plain(t, relayserver.Options{Push: service}).listener(t, "a")
	p.write(pushFrame(5))
	p.want(relay.Pushed{Tag: 5, Status: 201, RetryAfter: 90}.Append(nil))
	if got := <-service.got; string(got.Append(nil)) != string(pushFrame(5)) {
		t.Errorf("the pusher got %+v", got)
	}
}

// TestPushKeepsItsBytes: the buffer that a frame was read into is used again
// while the push service is asked.
func TestPushKeepsItsBytes(t *testing.T) {
	service := &lazy{seen: make(chan string), wait: make(chan struct{})}
	p := plain(t, relayserver.Options{Push: service}).listener(t, "a")
	p.write(pushFrame(5))
	for tag := range relay.Tag(20) {
		p.write(sendFrame(tag, "a", "other bytes of about that length, over and over and over and over again"))
		p.read(5 * time.Second)
		p.read(5 * time.Second)
	}
	close(service.wait)
	if got := <-service.seen; got != "sealed" {
		t.Errorf("the pusher has %q", got)
	}
	p.want(relay.Pushed{Tag: 5, Status: 201}.Append(nil))
}

// lazy looks at the body late.
type lazy struct {
	seen chan string
	wait chan struct{}
}

func (l *lazy) Push(_ context.Context, p relay.Push) (int, time.Duration) {
	<-l.wait
	l.seen <- string(p.Body)
	return 201, 0
}

func (l *lazy) PublicKey() string { return "" }

func TestPushMalformed(t *testing.T) {
	d := plain(t)
	bad := pushFrame(1)
	bad[13] = 7 // urgency
	p := d.listener(t, "a")
	p.write(bad)
	p.wantBye(relay.ByeMalformed)
	p = d.listener(t, "a")
	p.write(append(pushFrame(1), make([]byte, relay.MaxPushBody)...))
	p.wantBye(relay.ByeTooLarge)
}

func TestPushIsForAgents(t *testing.T) {
	service := &pusher{got: make(chan relay.Push, 1), status: 201}
	d := plain(t, relayserver.Options{Push: service, Token: token})
	agent := d.with("Authorization", "Bearer "+token).listener(t, "agent")
	agent.write(relay.AppendAdmit(nil, boxOf("device")))
	agent.write(pushFrame(1))
	agent.want(relay.Pushed{Tag: 1, Status: 201, RetryAfter: 90}.Append(nil))
	device := d.listener(t, "device")
	device.write(pushFrame(2))
	device.want(relay.Pushed{Tag: 2, Status: 403}.Append(nil))
	early := d.with("Authorization", "Bearer "+token).dial(t)
	early.write(pushFrame(3))
	early.want(relay.Pushed{Tag: 3, Status: 403}.Append(nil))
}

func TestPushesAMinute(t *testing.T) {
	service := &pusher{got: make(chan relay.Push, 10), status: 201}
	bubble(t, relayserver.Options{Push: service, Limits: relayserver.Limits{PushPerMinute: 2}}, func(t *testing.T, d dialer) {
		service.got = make(chan relay.Push, 10)
		p := d.listener(t, "a")
		for tag, status := range []uint16{201, 201, 429} {
			p.write(pushFrame(relay.Tag(tag)))
			after := map[uint16]uint32{201: 90, 429: 60}[status]
			p.want(relay.Pushed{Tag: relay.Tag(tag), Status: status, RetryAfter: after}.Append(nil))
		}
	})
}

// TestSlowPushService: messages do not wait for it, at most eight pushes of a
// socket wait, each for 15 s.
func TestSlowPushService(t *testing.T) {
	service := &pusher{hold: true}
	bubble(t, relayserver.Options{Push: service}, func(t *testing.T, d dialer) {
		p := d.listener(t, "a")
		for tag := range relay.Tag(8) {
			p.write(pushFrame(tag))
		}
		p.write(pushFrame(8))
		p.want(relay.Pushed{Tag: 8, Status: 429, RetryAfter: 60}.Append(nil))
		p.write(sendFrame(9, "a", "quick"))
		p.wantMessage("a", "quick")
		p.want(relay.AppendSent(nil, 9))
		began := time.Now()
		for range 8 {
			if got, err := p.read(time.Minute); err != nil || relay.TypeOf(got) != relay.TypePushed {
				t.Fatal(got, err)
			}
		}
		if took := time.Since(began); took > 16*time.Second {
			t.Errorf("pushes took %v", took)
		}
	})
}
