package relayserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// pair is two ends that send a 1 KiB payload back and forth, and allocate
// nothing while they do.
type pair struct {
	near, far   net.Conn
	toFar       []byte // what near writes
	toNear      []byte // .. and far
	atFar       []byte // what far reads for it
	atNear      []byte // what near reads: SENT of its own, and far's payload
	sent        int    // length of SENT on the wire
	nearB, farB []byte
}

var noLimits = relayserver.Limits{SocketBurst: 1 << 40, SocketRate: 1 << 30, BoxBurst: 1 << 40, BoxRate: 1 << 30, BoxBytes: 1 << 50, PerAddress: 1 << 20, RequestsPer: 1 << 20, AcceptBurst: 1 << 20}

const sentOnWire = 2 + 9

// overRelay connects a pair through a relay.
func overRelay(t testing.TB, url string) *pair {
	payload := strings.Repeat("x", 1024)
	p := &pair{near: openRaw(t, url, "near"), far: openRaw(t, url, "far"), sent: sentOnWire}
	p.toFar, p.toNear = masked(2, sendFrame(1, "far", payload)), masked(2, sendFrame(2, "near", payload))
	p.atFar, p.atNear = wireMessage("far", payload), wireMessage("near", payload)
	p.nearB, p.farB = make([]byte, len(p.atNear)+p.sent), make([]byte, len(p.atFar)+p.sent)
	return p
}

func wireMessage(name, payload string) []byte {
	m := relay.Message{Box: boxOf(name), Payload: []byte(payload)}.Append(nil)
	return append(binary.BigEndian.AppendUint16([]byte{0x82, 126}, uint16(len(m))), m...)
}

func openRaw(t testing.TB, url, name string) net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", relay.Subprotocol)
	one, head := make([]byte, 1), []byte(nil)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if _, err := io.ReadFull(conn, one); err != nil {
			t.Fatal(err)
		}
		head = append(head, one[0])
	}
	conn.Write(masked(2, listenFrame(name)))
	if _, err := io.ReadFull(conn, make([]byte, 2+relay.MessageHeader)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// echo answers at the far end until the connection ends.
func (p *pair) echo() {
	// SENT for the answer before comes some time after it, so far counts bytes:
	// the first round has none.
	need := len(p.atFar)
	for {
		if _, err := io.ReadFull(p.far, p.farB[:need]); err != nil {
			return
		}
		if _, err := p.far.Write(p.toNear); err != nil {
			return
		}
		need = len(p.atFar) + p.sent
	}
}

// round is one message there and one back.
func (p *pair) round() error {
	if _, err := p.near.Write(p.toFar); err != nil {
		return err
	}
	_, err := io.ReadFull(p.near, p.nearB)
	return err
}

// overTCP connects a pair through a program that copies bytes, as the least
// that any hop must do. sent is the length of its acknowledgement, 0 for none.
func overTCP(t testing.TB, addr string, sent int) *pair {
	open := func() net.Conn {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	p := &pair{near: open(), far: open(), toFar: make([]byte, 1024), toNear: make([]byte, 1024), atFar: make([]byte, 1024), sent: sent}
	p.nearB, p.farB = make([]byte, 1024+sent), make([]byte, 1024+sent)
	return p
}

// serveHop joins every two connections that come.
func serveHop(l net.Listener, ack []byte) {
	for {
		one, err := l.Accept()
		if err != nil {
			return
		}
		two, err := l.Accept()
		if err != nil {
			return
		}
		go hop(one, two, ack)
		go hop(two, one, ack)
	}
}

// hop copies with read and write, as a relay has to (no splice), and then
// acknowledges, if there is an ack.
func hop(from, to net.Conn, ack []byte) {
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
		if len(ack) > 0 {
			from.Write(ack)
		}
	}
}

// median times n rounds.
func (p *pair) median(t testing.TB, n int) time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		began := time.Now()
		if err := p.round(); err != nil {
			t.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[n/2]
}

// TestForwardAllocatesNothing counts every allocation of the process over many
// messages through real sockets. A few are let pass: the runtime's own.
func TestForwardAllocatesNothing(t *testing.T) {
	p := overRelay(t, relaytest.Start(t, relayserver.Options{Limits: noLimits}))
	go p.echo()
	p.median(t, 200)
	const rounds = uint64(1000)
	least := rounds
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p.median(t, int(rounds))
		runtime.ReadMemStats(&after)
		least = min(least, after.Mallocs-before.Mallocs)
	}
	if least > allowed(rounds) {
		t.Errorf("%d allocations for %d messages", least, 2*rounds)
	}
}

// child runs this test binary as a server, because the ends of a relay are
// other processes than the relay, and returns its address.
func child(b *testing.B, kind string) string {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), benchServer+"="+kind)
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

const benchServer = "ANSWERBACK_BENCH_SERVER"

// serveChild serves until stdin ends.
func serveChild(kind string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	switch kind {
	case "hop":
		go serveHop(l, nil)
	case "acking hop":
		go serveHop(l, make([]byte, sentOnWire))
	case "relay":
		go relayserver.New(relayserver.Options{Limits: noLimits}).Serve(context.Background(), l)
	}
	io.Copy(io.Discard, os.Stdin)
}

// BenchmarkForward times a 1 KiB message there and back through a relay, and in
// turns with it the same through a raw TCP hop, and through one that, as the
// relay does with SENT, acknowledges each message to its sender; each in a
// process of its own. It reports the medians and the ratios; look at these.
func BenchmarkForward(b *testing.B) {
	viaRelay, viaTCP, viaAck := overRelay(b, child(b, "relay")), overTCP(b, child(b, "hop"), 0), overTCP(b, child(b, "acking hop"), sentOnWire)
	for _, p := range []*pair{viaRelay, viaTCP, viaAck} {
		go p.echo()
		p.median(b, 100)
	}
	var relays, hops, acking, overHop, overAcking []float64
	for b.Loop() {
		h, a, r := float64(viaTCP.median(b, 100)), float64(viaAck.median(b, 100)), float64(viaRelay.median(b, 100))
		relays, hops, acking = append(relays, r), append(hops, h), append(acking, a)
		overHop, overAcking = append(overHop, r/h), append(overAcking, r/a)
	}
	b.ReportMetric(middle(relays)/1e3, "us/relay")
	b.ReportMetric(middle(hops)/1e3, "us/tcp-hop")
	b.ReportMetric(middle(acking)/1e3, "us/acking-hop")
	b.ReportMetric(middle(overHop), "ratio")
	b.ReportMetric(middle(overAcking), "ratio-acking")
	b.ReportMetric(0, "ns/op")
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// BenchmarkIdle reports what an idle socket holds: heap and stacks, client not
// counted, after one message each.
func BenchmarkIdle(b *testing.B) {
	url := relaytest.Start(b, relayserver.Options{Limits: noLimits})
	const n = 2000
	var before, after runtime.MemStats
	for b.Loop() {
		conns := make([]net.Conn, n)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range conns {
			conns[i] = openRaw(b, url, fmt.Sprint("idle ", i))
		}
		time.Sleep(50 * time.Millisecond)
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&after)
		for _, c := range conns {
			c.Close()
		}
	}
	b.ReportMetric(float64(after.HeapAlloc+after.StackInuse-before.HeapAlloc-before.StackInuse)/n, "B/socket")
	b.ReportMetric(0, "ns/op")
}
