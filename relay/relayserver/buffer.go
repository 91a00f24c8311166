package relayserver

import (
	"errors"
	"io"
	"sync"

	"answerback/relay"
)

// Buffers are borrowed while a frame is read and forwarded, so that their
// number follows the traffic and not the sockets. Most frames fit a small one.
type (
	small [4 << 10]byte
	large [relay.MaxFrame + relay.ListenSize + 1]byte // a POST body, and one byte that tells "too large"
)

var (
	smalls = sync.Pool{New: func() any { return new(small) }}
	larges = sync.Pool{New: func() any { return new(large) }}
)

func getSmall() *small  { return smalls.Get().(*small) }
func putSmall(b *small) { smalls.Put(b) }

// frameBuffer holds one frame, in a small buffer or in a large one.
type frameBuffer struct {
	small *small
	large *large
}

func (f *frameBuffer) free() {
	if f.small != nil {
		smalls.Put(f.small)
	}
	if f.large != nil {
		larges.Put(f.large)
	}
	*f = frameBuffer{}
}

// errLimit says that there is more than the limit.
var errLimit = errors.New("more than the limit")

// read reads r to its end into a borrowed buffer, which the caller frees. It
// returns errLimit when more than limit bytes come.
func (f *frameBuffer) read(r io.Reader, limit int) ([]byte, error) {
	f.small = getSmall()
	b, err := readInto(r, f.small[:], 0)
	if err == errFull && limit >= len(f.small) {
		f.large = larges.Get().(*large)
		n := copy(f.large[:], f.small[:])
		b, err = readInto(r, f.large[:], n)
	}
	if err == errFull || err == nil && len(b) > limit {
		return nil, errLimit
	}
	return b, err
}

var errFull = errors.New("buffer full")

// readInto reads r to its end behind the n bytes that stand in p.
func readInto(r io.Reader, p []byte, n int) ([]byte, error) {
	for n < len(p) {
		m, err := r.Read(p[n:])
		n += m
		if err == io.EOF {
			return p[:n], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, errFull
}
