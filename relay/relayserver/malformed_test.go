package relayserver_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
	"answerback/relay/relayserver"
)

func TestJunkIsToldBye(t *testing.T) {
	d := plain(t)
	writer := d.listener(t, "other")
	for name, frame := range map[string][]byte{
		"empty":                     {},
		"type 0":                    {0},
		"an unknown type":           {200, 1, 2},
		"a relay's frame":           relay.AppendSent(nil, 1),
		"a short LISTEN":            listenFrame("a")[:64],
		"a long LISTEN":             append(listenFrame("a"), 0),
		"SEND without a payload":    sendFrame(1, "other", ""),
		"LEAVE of half a box":       relay.AppendLeave(nil, boxOf("a"))[:10],
		"ADMIT of half a box":       relay.AppendAdmit(nil, boxOf("a"))[:10],
		"PUSH of nothing":           {byte(relay.TypePush)},
		"BYE of a client":           relay.AppendBye(nil, relay.ByeBusy),
		"LISTENING from a client":   relay.AppendListening(nil, boxOf("a")),
		"MESSAGE straight to a box": relay.Message{Box: boxOf("other"), Payload: []byte("forged")}.Append(nil),
	} {
		t.Run(name, func(t *testing.T) {
			p := d.listener(t, "a")
			p.write(frame)
			p.wantBye(relay.ByeMalformed)
		})
	}
	writer.write(sendFrame(1, "other", "alive"))
	writer.wantMessage("other", "alive")
}

func TestTextIsToldBye(t *testing.T) {
	p := plain(t).listener(t, "a")
	if err := p.ws.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	p.wantBye(relay.ByeMalformed)
}

func TestFrameAtItsLimit(t *testing.T) {
	p := plain(t).listener(t, "a")
	full := strings.Repeat("x", relay.MaxPayload)
	p.write(sendFrame(1, "a", full))
	p.wantMessage("a", full)
	p.want(relay.AppendSent(nil, 1))
	p.write(sendFrame(2, "a", full+"x"))
	p.wantBye(relay.ByeTooLarge)
}

func TestFourKiBBeforeListening(t *testing.T) {
	d := plain(t)
	once := d.dial(t)
	once.write(make([]byte, relay.MaxFrameBefore+1))
	once.wantBye(relay.ByeTooLarge)

	often := d.dial(t) // in frames that are each small enough
	for tag := range relay.Tag(3) {
		often.write(sendFrame(tag, "a", strings.Repeat("x", 1200)))
		often.want(relay.AppendUnsent(nil, tag, relay.UnsentNotAdmitted))
	}
	often.write(sendFrame(9, "a", strings.Repeat("x", 1200)))
	often.wantBye(relay.ByeTooLarge)
}

// rawSocket does the handshake by hand, so that a test can write any bytes.
func rawSocket(t *testing.T, conn net.Conn) *bufio.Reader {
	t.Helper()
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: "+relay.Subprotocol+"\r\n\r\n")
	br := bufio.NewReader(conn)
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %v, %v", resp, err)
	}
	return br
}

func (d dialer) raw(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return conn, rawSocket(t, conn)
}

// masked is one whole WebSocket frame of a client (RFC 6455 section 5.2), with
// a mask of zeros.
func masked(op byte, data []byte) []byte {
	b := []byte{0x80 | op}
	switch n := len(data); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	default:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	}
	return append(append(b, 0, 0, 0, 0), data...)
}

// unmasked is what a relay's frame looks like on the wire.
func unmasked(data []byte) []byte {
	return append([]byte{0x82, byte(len(data))}, data...)
}

func wantBytes(t *testing.T, r io.Reader, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("got %x, %v; want %x", got[:n], err, want)
	}
}

// TestOneByteAtATime: a slow but honest client is served.
func TestOneByteAtATime(t *testing.T) {
	conn, br := plain(t).raw(t)
	for _, b := range append(masked(2, listenFrame("a")), masked(2, sendFrame(1, "a", "slow"))...) {
		if _, err := conn.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Microsecond)
	}
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
	wantBytes(t, br, unmasked(relay.Message{Box: boxOf("a"), Payload: []byte("slow")}.Append(nil)))
	wantBytes(t, br, unmasked(relay.AppendSent(nil, 1)))
}

// TestManyFramesInOneSegment: whatever the library has read ahead is served
// without waiting for more bytes.
func TestManyFramesInOneSegment(t *testing.T) {
	d := plain(t)
	for n := range 24 {
		conn, br := d.raw(t)
		payload := strings.Repeat("x", 1+n) // so that every split of the 16 bytes read ahead occurs
		all := masked(2, listenFrame("a"))
		all = append(all, masked(2, sendFrame(1, "a", payload))...)
		all = append(all, masked(9, []byte("p"))...)
		all = append(all, masked(2, sendFrame(2, "nobody", payload))...)
		all = append(all, masked(9, nil)...)
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		conn.Write(all)
		wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
		wantBytes(t, br, unmasked(relay.Message{Box: boxOf("a"), Payload: []byte(payload)}.Append(nil)))
		wantBytes(t, br, unmasked(relay.AppendSent(nil, 1)))
		wantBytes(t, br, []byte{0x8A, 1, 'p'})
		wantBytes(t, br, unmasked(relay.AppendUnsent(nil, 2, relay.UnsentNobody)))
		wantBytes(t, br, []byte{0x8A, 0})
		conn.Close()
	}
}

// TestFragments: a message in pieces, with a ping between them, is one message.
func TestFragments(t *testing.T) {
	conn, br := plain(t).raw(t)
	f := listenFrame("a")
	first, second := masked(2, f[:30]), masked(0, f[30:])
	first[0] &^= 0x80 // no FIN
	conn.Write(append(append(first, masked(9, []byte("mid"))...), second...))
	wantBytes(t, br, []byte{0x8A, 3, 'm', 'i', 'd'})
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
}

// TestPingRightAfterAFragment: the library reads both at once, and the ping
// must not wait for the next bytes.
func TestPingRightAfterAFragment(t *testing.T) {
	conn, br := plain(t).raw(t)
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	f := listenFrame("a")
	first := masked(2, f[:64])
	first[0] &^= 0x80
	conn.Write(append(append(first, masked(0, f[64:])...), masked(9, nil)...))
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
	wantBytes(t, br, []byte{0x8A, 0})
}

// TestNothingFollowsTheCloseFrame, not even an answer to the client's.
func TestNothingFollowsTheCloseFrame(t *testing.T) {
	conn, br := plain(t).raw(t)
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	conn.Write(masked(2, listenFrame("a")))
	wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
	conn.Write(masked(2, []byte{200}))
	text := relay.ByeMalformed.String()
	wantBytes(t, br, unmasked(relay.AppendBye(nil, relay.ByeMalformed)))
	wantBytes(t, br, append([]byte{0x88, byte(2 + len(text)), 4002 >> 8, 4002 & 0xff}, text...))
	conn.Write(masked(9, []byte("a late ping")))
	conn.Write(masked(8, []byte{4002 >> 8, 4002 & 0xff}))
	conn.(*net.TCPConn).CloseWrite()
	if rest, err := io.ReadAll(br); err != nil || len(rest) > 0 {
		t.Errorf("after the close frame: %x, %v", rest, err)
	}
}

func TestBrokenWebSocketIsClosed(t *testing.T) {
	d := plain(t)
	for name, wire := range map[string][]byte{
		"unmasked":            {0x82, 1, 0},
		"reserved bits":       {0xF2, 0x80, 0, 0, 0, 0},
		"an unknown opcode":   {0x83, 0x80, 0, 0, 0, 0},
		"a long ping":         masked(9, make([]byte, 126)),
		"a ping in pieces":    {0x09, 0x80, 0, 0, 0, 0},
		"a lone continuation": masked(0, []byte("x")),
		"a negative length":   {0x82, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0},
		"not a WebSocket":     []byte("GET / HTTP/1.1\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			conn, br := d.raw(t)
			conn.SetDeadline(time.Now().Add(5 * time.Second))
			conn.Write(masked(2, listenFrame("a")))
			wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
			conn.Write(wire)
			if _, err := io.Copy(io.Discard, br); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Error("the socket stayed open")
			}
		})
	}
}

// TestHalfAFrame: a socket may be silent for hours, but not within a frame.
func TestHalfAFrame(t *testing.T) {
	half := masked(2, sendFrame(1, "a", "never finished"))[:20]
	bubble(t, relayserver.Options{}, func(t *testing.T, d dialer) {
		conn, err := d.client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", "localhost:80")
		if err != nil {
			t.Fatal(err)
		}
		br := rawSocket(t, conn)
		conn.Write(masked(2, listenFrame("a")))
		wantBytes(t, br, unmasked(relay.AppendListening(nil, boxOf("a"))))
		time.Sleep(30 * time.Second) // silence between frames
		conn.Write(half)
		began := time.Now()
		io.Copy(io.Discard, br)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("half a frame held the socket for %v", took)
		}
	})
}
