package relayserver

import (
	"bufio"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"answerback/relay"
)

// frameWithin bounds a frame from its first byte to its last. A socket may be
// silent as long as it answers pings, but not stop in the middle.
const frameWithin = 20 * time.Second

// lean is a socket's connection without a buffer of its own while it is idle:
// it takes one from a pool when bytes are there, and gives it back when they
// are read. Reads are made by one goroutine; writes by any, each whole.
type lean struct {
	net.Conn
	raw    syscall.RawConn // nil where the connection is no plain socket (TLS)
	readFD func(fd uintptr) bool
	fdErr  error

	in       *small // what was read ahead, nil when there is nothing
	pos, end int
	lib      *bufio.Reader // the library's own 16 bytes, which can hold a whole small frame

	inside bool // a frame has begun, so its end has a deadline
	inData bool // .. and it is one of data, which control frames may stand between
	armed  bool // the deadline is set

	heard atomic.Bool // bytes came since the last look
	mute  atomic.Bool // our close frame is out: nothing may follow it
}

// newLean wraps c, with the bytes that were read from it already.
func newLean(c net.Conn, ahead []byte) *lean {
	l := &lean{Conn: c, raw: rawConn(c)}
	l.readFD = l.readReady
	l.lib = bufio.NewReaderSize(l, readBuffer)
	if len(ahead) > 0 {
		l.in = &small{}
		l.end = copy(l.in[:], ahead)
	}
	return l
}

// Read implements net.Conn for the WebSocket library.
func (l *lean) Read(p []byte) (int, error) {
	if l.in == nil {
		if err := l.arm(); err != nil {
			return 0, err
		}
		if l.raw == nil || l.inside && len(p) >= len(small{})/4 {
			n, err := l.Conn.Read(p)
			l.saw(n)
			return n, err
		}
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.in[l.pos:l.end])
	if l.pos += n; l.pos == l.end {
		putSmall(l.in)
		l.in = nil
	}
	return n, nil
}

// wait waits for bytes of the next frame, unless some are there.
func (l *lean) wait() error {
	if l.lib.Buffered() > 0 {
		return nil
	}
	return l.fill()
}

// fill waits for bytes and reads them into a pooled buffer.
func (l *lean) fill() error {
	if l.in != nil || l.raw == nil {
		return nil
	}
	if err := l.raw.Read(l.readFD); err != nil {
		return err
	}
	return l.fdErr
}

// readReady is called when the socket may be readable. It returns false to
// wait on.
func (l *lean) readReady(fd uintptr) bool {
	in := getSmall()
	n, again, err := readFD(fd, in[:])
	if again {
		putSmall(in)
		return false
	}
	if n <= 0 {
		putSmall(in)
		if l.fdErr = err; err == nil {
			l.fdErr = io.EOF
		}
		return true
	}
	l.in, l.pos, l.end, l.fdErr = in, 0, n, nil
	l.saw(n)
	return true
}

func (l *lean) saw(n int) {
	if n > 0 {
		l.inside = true
		if !l.heard.Load() {
			l.heard.Store(true)
		}
	}
}

// arm sets the deadline of a frame of which a part is there and more is needed.
func (l *lean) arm() error {
	if !l.inside || l.armed {
		return nil
	}
	l.armed = true
	return l.Conn.SetReadDeadline(time.Now().Add(frameWithin))
}

// between is called between two frames: from here on silence is fine.
func (l *lean) between() {
	l.inside, l.inData = l.in != nil || l.lib.Buffered() > 0, false
	if l.armed {
		l.armed = false
		l.Conn.SetReadDeadline(time.Time{})
	}
}

// control is called after a control frame, which may stand inside a message.
func (l *lean) control() {
	if !l.inData {
		l.between()
	}
}

// Write implements net.Conn for the WebSocket library, which writes only pongs
// and close frames, and for the relay's own frames. Each call is one whole
// frame or several, and calls do not mix (package net locks the descriptor).
func (l *lean) Write(p []byte) (int, error) {
	if l.mute.Load() {
		return len(p), nil
	}
	return l.write(p)
}

// last writes p, and after it nothing: not even the library's answer to the
// client's close frame.
func (l *lean) last(p []byte) {
	l.mute.Store(true)
	l.write(p)
}

func (l *lean) write(p []byte) (int, error) {
	if err := l.Conn.SetWriteDeadline(time.Now().Add(relay.WriteWithin)); err != nil {
		return 0, err
	}
	return l.Conn.Write(p)
}
