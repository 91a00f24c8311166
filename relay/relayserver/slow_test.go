package relayserver_test

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// TestSlowReaderHurtsOnlyItself: a reader that stops reading is closed after
// two seconds, its writer is told, and another pair does not notice.
func TestSlowReaderHurtsOnlyItself(t *testing.T) {
	t.Parallel()
	d := plain(t, relayserver.Options{Limits: relayserver.Limits{BoxBurst: 100_000, BoxBytes: 1 << 40}})
	slow, br := d.raw(t)
	slow.(*net.TCPConn).SetReadBuffer(4 << 10)
	slow.Write(masked(2, listenFrame("slow")))
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("slow"))))
	writer, other := d.listener(t, "w"), d.listener(t, "other")

	flood := make(chan relay.UnsentReason, 1)
	go func() { flood <- sendUntilUnsent(t, writer, "slow") }()
	worst := time.Duration(0)
	for tag := relay.Tag(0); ; tag++ {
		began := time.Now()
		other.write(sendFrame(tag, "other", "quick"))
		other.wantMessage("other", "quick")
		other.want(relay.AppendSent(nil, tag))
		worst = max(worst, time.Since(began))
		select {
		case why := <-flood:
			if why != relay.UnsentSlow {
				t.Errorf("the writer was told: %v", why)
			}
			if worst > time.Second {
				t.Errorf("another pair waited %v", worst)
			}
			writer.write(sendFrame(1, "slow", "still there?"))
			writer.want(relay.AppendUnsent(nil, 1, relay.UnsentNobody))
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func sendUntilUnsent(t *testing.T, p *peer, name string) relay.UnsentReason {
	for tag := relay.Tag(0); tag < 1000; tag++ {
		p.write(sendFrame(tag, name, strings.Repeat("x", 200<<10)))
		got, err := p.read(10 * time.Second)
		if err != nil {
			t.Error(err)
			return 0
		}
		if _, why, err := relay.ParseUnsent(got); err == nil {
			return why
		}
	}
	return 0
}

// TestSlowReaderBesideALiveOne: the message counts as sent, and the live reader
// does not wait for the slow one.
func TestSlowReaderBesideALiveOne(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		rawInMemory(t, d) // listens on "a" and never reads: in memory nothing is buffered
		live, writer := d.listener(t, "a"), d.listener(t, "w")
		began := time.Now()
		writer.write(sendFrame(1, "a", "hello"))
		live.wantMessage("a", "hello")
		if took := time.Since(began); took > 0 {
			t.Errorf("the live reader waited %v for the slow one", took)
		}
		writer.want(relay.AppendSent(nil, 1))
		if took := time.Since(began); took > relay.WriteWithin {
			t.Errorf("the writer waited %v", took)
		}
		writer.write(sendFrame(2, "a", "again"))
		live.wantMessage("a", "again")
		writer.want(relay.AppendSent(nil, 2))
	})
}

// TestManyWritersOfASlowReader wait together, not one after another.
func TestManyWritersOfASlowReader(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		rawInMemory(t, d)
		var writers []*peer
		for range 20 {
			writers = append(writers, d.listener(t, "w"+strings.Repeat("w", len(writers))))
		}
		began := time.Now()
		for _, why := range sendAll(writers) {
			if why != relay.TypeUnsent {
				t.Errorf("a writer was told %v", why)
			}
		}
		if took := time.Since(began); took > relay.WriteWithin+time.Second {
			t.Errorf("twenty writers waited %v", took)
		}
	})
}

// TestManyWritersOfASluggishReader, which takes each message just in time:
// writers far back in line give up rather than wait for all before them.
func TestManyWritersOfASluggishReader(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		conn, br := rawInMemory(t, d)
		var writers []*peer
		for range 10 {
			writers = append(writers, d.listener(t, "w"+strings.Repeat("w", len(writers))))
		}
		began := time.Now()
		ended := make(chan struct{})
		t.Cleanup(func() { conn.Close(); <-ended })
		go func() {
			defer close(ended)
			for message := make([]byte, 2+relay.MessageHeader+5); ; time.Sleep(1500 * time.Millisecond) {
				if _, err := io.ReadFull(br, message); err != nil {
					return
				}
			}
		}()
		if told := sendAll(writers); !slices.Contains(told, relay.TypeSent) || !slices.Contains(told, relay.TypeUnsent) {
			t.Errorf("the writers were told %v, want some of both", told)
		}
		if took := time.Since(began); took > 2*relay.WriteWithin {
			t.Errorf("ten writers waited %v", took)
		}
	})
}

// sendAll has everybody send "hello" to "a" at once, and returns what they were
// told.
func sendAll(writers []*peer) []relay.Type {
	told := make([]relay.Type, len(writers))
	var all sync.WaitGroup
	for i, w := range writers {
		all.Go(func() {
			w.ws.Write(w.t.Context(), websocket.MessageBinary, sendFrame(1, "a", "hello"))
			got, _ := w.read(30 * time.Second)
			told[i] = relay.TypeOf(got)
		})
	}
	all.Wait()
	return told
}
