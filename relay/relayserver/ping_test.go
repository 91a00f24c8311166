package relayserver_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// rawInMemory opens a hand-made socket in a bubble and listens on box "a".
func rawInMemory(t *testing.T, d dialer) (net.Conn, io.Reader) {
	t.Helper()
	conn, err := d.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "localhost:80")
	if err != nil {
		t.Fatal(err)
	}
	br := rawSocket(t, conn)
	conn.Write(masked(2, listenFrame("a")))
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
	return conn, br
}

func TestNoListenInTime(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		p, began := d.dial(t), time.Now()
		p.wantBye(relay.ByeNoListen)
		if took := time.Since(began); took < relay.ListenWithin || took > relay.ListenWithin+2*time.Second {
			t.Errorf("BYE after %v, want about %v", took, relay.ListenWithin)
		}
	})
}

// TestPings: they come every 45 s, give or take five and a second of the
// wheel, and whoever answers stays.
func TestPings(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		conn, br := rawInMemory(t, d)
		wantBytes(t, br, []byte{0x89, 0})
		conn.Write(masked(10, nil))
		for range 100 {
			before := time.Now()
			wantBytes(t, br, []byte{0x89, 0})
			if gap := time.Since(before); gap < relay.PingEvery-relay.PingJitter-time.Second || gap > relay.PingEvery+relay.PingJitter+time.Second {
				t.Fatalf("a ping after %v", gap)
			}
			conn.Write(masked(10, nil))
		}
		conn.Write(masked(2, sendFrame(1, "a", "still here")))
		wantBytes(t, br, unmasked(relay.Message{Box: boxOf("a"), Payload: []byte("still here")}.Append(nil)))
	})
}

// TestSilentAfterTwoPings: who answers no ping is told so and dropped.
func TestSilentAfterTwoPings(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		_, br := rawInMemory(t, d)
		began := time.Now()
		got, _ := io.ReadAll(br)
		if want := append([]byte{0x89, 0, 0x89, 0}, unmasked(relay.AppendBye(nil, relay.ByeNoPing))...); !bytes.HasPrefix(got, want) {
			t.Errorf("got %x, want two pings and BYE", got)
		}
		if took := time.Since(began); took > relay.ListenWithin+3*(relay.PingEvery+relay.PingJitter+time.Second)+time.Second {
			t.Errorf("dropped after %v", took)
		}
	})
}

// TestClientThatAnswersStaysForADay with the real client library.
func TestClientThatAnswersStaysForADay(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		p := d.listener(t, "a")
		got := make(chan error, 1)
		go func() {
			_, err := p.read(25 * time.Hour)
			got <- err
		}()
		time.Sleep(24 * time.Hour)
		p.write(sendFrame(1, "a", "good morning"))
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}

// TestSocketThatNeverReadsAByeGoes: the relay closes two seconds after a BYE.
func TestSocketThatNeverReadsAByeGoes(t *testing.T) {
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		conn, _ := rawInMemory(t, d)
		conn.Write(masked(2, []byte{200}))
		time.Sleep(5 * time.Second)
		if _, err := conn.Write([]byte{0}); err == nil {
			t.Error("the connection is still open")
		}
	})
}
