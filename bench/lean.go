package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"answerback/relay"
)

// lean is the least of a WebSocket client (RFC 6455): what is measured is the relay, and its baseline has no client library either. It masks
// with a zero key, which is allowed and costs nothing.
type lean struct {
	c net.Conn
	r *bufio.Reader
	b []byte
}

// dialLean upgrades a connection to the relay.
func dialLean(url string) (*lean, error) {
	host := strings.TrimPrefix(url, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(c, "GET /v1/ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: answerback.relay.v1\r\n\r\n", host)
	l := &lean{c: c, r: bufio.NewReaderSize(c, 8192), b: make([]byte, 8192)}
	resp, err := http.ReadResponse(l.r, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("the relay answered %s", resp.Status)
	}
	return l, nil
}

// frame is a masked binary frame around a payload of at most 64 KiB.
func frame(payload []byte) []byte {
	b := []byte{0x82}
	if len(payload) < 126 {
		b = append(b, 0x80|byte(len(payload)))
	} else {
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(len(payload)))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// read returns the next frame's payload, which the next read overwrites.
func (l *lean) read() ([]byte, error) {
	head, err := l.r.Peek(2)
	if err != nil {
		return nil, err
	}
	n, size := int(head[1]&0x7f), 2
	if n == 126 {
		if head, err = l.r.Peek(4); err != nil {
			return nil, err
		}
		n, size = int(binary.BigEndian.Uint16(head[2:])), 4
	}
	if n > len(l.b) {
		return nil, fmt.Errorf("a frame of %d bytes", n)
	}
	l.r.Discard(size)
	_, err = io.ReadFull(l.r, l.b[:n])
	return l.b[:n], err
}

// message reads until a MESSAGE: SENT may come before or after it.
func (l *lean) message() error {
	for {
		b, err := l.read()
		if err != nil {
			return err
		}
		switch relay.TypeOf(b) {
		case relay.TypeMessage:
			return nil
		case relay.TypeSent:
		default:
			return fmt.Errorf("the relay said frame %d", b[0])
		}
	}
}

// listen begins to read a mailbox.
func (l *lean) listen(r relay.ReaderKey, w relay.WriterKey) error {
	if _, err := l.c.Write(frame(relay.Listen{R: r, HW: relay.HashW(w)}.Append(nil))); err != nil {
		return err
	}
	b, err := l.read()
	if err == nil {
		_, err = relay.ParseListening(b)
	}
	return err
}
