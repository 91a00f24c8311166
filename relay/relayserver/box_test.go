package relayserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// plain returns a dialer for a relay of the test's own.
func plain(t *testing.T, opt ...relayserver.Options) dialer {
	t.Helper()
	return dialer{url: relaytest.Start(t, opt...)}
}

func TestWrongWriterKeyReachesNobody(t *testing.T) {
	d := plain(t)
	reader, writer := d.listener(t, "a"), d.listener(t, "b")
	r, w := keys("a")
	w[0] ^= 1
	writer.write(relay.Send{Tag: 1, HR: relay.HashR(r), W: w, Payload: []byte("forged")}.Append(nil))
	writer.want(relay.AppendUnsent(nil, 1, relay.UnsentNobody))
	writer.write(sendFrame(2, "a", "true"))
	writer.want(relay.AppendSent(nil, 2))
	reader.wantMessage("a", "true")
}

func TestWrongReaderKeyReadsNothing(t *testing.T) {
	d := plain(t)
	r, w := keys("a")
	r[0] ^= 1
	thief := d.dial(t)
	thief.write(relay.Listen{R: r, HW: relay.HashW(w)}.Append(nil))
	thief.want(relay.AppendListening(nil, relay.BoxFor(r, w))) // a box, but another one
	writer := d.listener(t, "b")
	writer.write(sendFrame(1, "a", "secret"))
	writer.want(relay.AppendUnsent(nil, 1, relay.UnsentNobody))
}

// TestSquatting: who knows only the writer's key, as every sender does, can
// neither take the box nor fill its four places.
func TestSquatting(t *testing.T) {
	d := plain(t)
	r, w := keys("a")
	for i := range 2 * relay.MaxListeners {
		squatter := d.dial(t)
		guess := relay.ReaderKey(relay.HashR(r)) // all that a writer has of r
		guess[31] += byte(i)
		squatter.write(relay.Listen{R: guess, HW: relay.HashW(w)}.Append(nil))
		squatter.want(relay.AppendListening(nil, relay.BoxFor(guess, w)))
	}
	reader := d.listener(t, "a")
	writer := d.listener(t, "b")
	writer.write(sendFrame(1, "a", "mine"))
	writer.want(relay.AppendSent(nil, 1))
	reader.wantMessage("a", "mine")
}

func TestNothingIsSentBeforeListening(t *testing.T) {
	d := plain(t)
	reader, hasty := d.listener(t, "a"), d.dial(t)
	hasty.write(sendFrame(1, "a", "too early"))
	hasty.want(relay.AppendUnsent(nil, 1, relay.UnsentNotAdmitted))
	hasty.write(listenFrame("b"))
	hasty.want(relay.AppendListening(nil, boxOf("b")))
	hasty.write(sendFrame(2, "a", "in time"))
	hasty.want(relay.AppendSent(nil, 2))
	reader.wantMessage("a", "in time")
}

func TestFourReadersAllGetIt(t *testing.T) {
	d := plain(t)
	var readers []*peer
	for range relay.MaxListeners {
		readers = append(readers, d.listener(t, "a"))
	}
	readers[0].write(sendFrame(1, "a", "to all"))
	readers[0].wantMessage("a", "to all")
	readers[0].want(relay.AppendSent(nil, 1))
	for _, r := range readers[1:] {
		r.wantMessage("a", "to all")
	}
}

func TestListenTwiceIsOnce(t *testing.T) {
	d := plain(t)
	p := d.listener(t, "a", "a")
	p.write(sendFrame(1, "a", "once"))
	p.wantMessage("a", "once")
	p.want(relay.AppendSent(nil, 1))
}

func TestLeave(t *testing.T) {
	d := plain(t)
	p := d.listener(t, "a", "b")
	p.write(relay.AppendLeave(nil, boxOf("a")))
	p.write(relay.AppendLeave(nil, boxOf("never listened on")))
	p.write(sendFrame(1, "a", "gone"))
	p.want(relay.AppendUnsent(nil, 1, relay.UnsentNobody))
	p.write(sendFrame(2, "b", "here"))
	p.wantMessage("b", "here")
	p.want(relay.AppendSent(nil, 2))
}

func TestClosedSocketLeavesItsBoxes(t *testing.T) {
	d := plain(t)
	gone, writer := d.listener(t, "a"), d.listener(t, "b")
	gone.ws.CloseNow()
	for tag := relay.Tag(1); ; tag++ {
		writer.write(sendFrame(tag, "a", "anyone?"))
		if got, err := writer.read(time.Second); err != nil {
			t.Fatal(err)
		} else if _, why, err := relay.ParseUnsent(got); err == nil && why == relay.UnsentNobody {
			return
		}
	}
}

func TestSixtyFifthBox(t *testing.T) {
	d := plain(t)
	var names []string
	for i := range relay.MaxBoxes {
		names = append(names, fmt.Sprint("box ", i))
	}
	p := d.listener(t, names...)
	p.write(relay.AppendLeave(nil, boxOf(names[0])))
	p.write(listenFrame("in its place"))
	p.want(relay.AppendListening(nil, boxOf("in its place")))
	p.write(listenFrame("one too many"))
	p.wantBye(relay.ByeTooMany)
}

// TestFifthReaderOfFourLive runs on a fake clock: all four answer, so the fifth
// is told that the box is busy, and the four stay.
func TestFifthReaderOfFourLive(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		for range relay.MaxListeners - 1 {
			d.listener(t, "a").answers()
		}
		last, fifth := d.listener(t, "a"), d.dial(t)
		got := make(chan string, 1)
		go func() { // reading is what answers the relay's pings
			frame, err := last.read(time.Minute)
			got <- fmt.Sprint(string(frame[min(len(frame), relay.MessageHeader):]), err)
		}()
		fifth.write(listenFrame("a"))
		fifth.wantBye(relay.ByeBusy)
		writer := d.listener(t, "b")
		writer.write(sendFrame(1, "a", "still here"))
		writer.want(relay.AppendSent(nil, 1))
		if s := <-got; s != "still here<nil>" {
			t.Errorf("the fourth reader got %s", s)
		}
	})
}

// TestFifthReaderOfADeadOne runs on real sockets: one of the four is open but
// silent, as a phone in a tunnel is, and gives way after three seconds.
func TestFifthReaderOfADeadOne(t *testing.T) {
	t.Parallel()
	d := plain(t)
	for range relay.MaxListeners - 1 {
		d.listener(t, "a").answers()
	}
	dead := d.listener(t, "a") // nobody reads it
	fifth := d.dial(t)
	began := time.Now()
	fifth.write(listenFrame("a"))
	fifth.want(relay.AppendListening(nil, boxOf("a")))
	if took := time.Since(began); took < 2*time.Second || took > 8*time.Second {
		t.Errorf("the silent reader had %v, want about %v", took, relay.SilentAfter)
	}
	if _, err := dead.read(5 * time.Second); err == nil || strings.Contains(err.Error(), "deadline") {
		t.Errorf("the silent reader was not closed: %v", err)
	}
}
