package hook

import (
	"errors"
	"io"
)

// Version is the version byte of CALL and HELD that this package speaks. An
// agent that meets another one answers UNSUPPORTED with its own.
const Version = 1

// Limits of what a reader takes. A frame that says it is longer is refused
// before its body is read.
const (
	MaxStdin   = 1 << 20  // bytes of a caller's input in CALL
	MaxVerdict = 2 << 20  // bytes of a VERDICT body: an answered question repeats the input
	MaxControl = 64 << 10 // bytes of a CONTROL body

	maxCall = 1 + 2 + maxName + 2 + maxEvent + 1 + 4 + 4 + 4 + MaxStdin
)

// FrameType is the first byte of every frame.
type FrameType byte

// The frame types. Zero is never valid.
const (
	TypeCall        FrameType = 1
	TypeHeld        FrameType = 2
	TypeBeat        FrameType = 3
	TypeVerdict     FrameType = 4
	TypeUnsupported FrameType = 5
	TypeControl     FrameType = 6
)

// ErrFrame is in the chain of every error about bytes that are no frame of
// this protocol, or not the one expected at this point.
var ErrFrame = errors.New("the bytes are not a frame of this protocol")

// ErrSize is in the chain of an error about a frame that is too long.
var ErrSize = errors.New("the frame is too long")

// VersionError says which version the other side spoke.
type VersionError struct{ Got byte }

// Error is a sentence for the agent's log.
func (e VersionError) Error() string {
	return "hook: version " + decimal(uint64(e.Got)) + " is not spoken here; both binaries must be of one release"
}

// frameError is an error with what was being done in front of it.
type frameError struct {
	doing string
	err   error
}

func (e frameError) Error() string { return "hook: " + e.doing + ": " + e.err.Error() }
func (e frameError) Unwrap() error { return e.err }

// readType reads the first byte of a frame. io.EOF stays io.EOF: the other
// side closed between two frames.
func readType(r io.Reader) (FrameType, error) {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	return FrameType(b[0]), err
}

// readBody reads len(4) || body with at most limit bytes of body. Memory
// grows with what arrives, not with what the length promises.
func readBody(r io.Reader, limit int) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, whole(err)
	}
	n := int64(get32(head[:]))
	if n > int64(limit) {
		return nil, ErrSize
	}
	body, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) < n {
		return nil, io.ErrUnexpectedEOF
	}
	return body, nil
}

// whole turns an end between two bytes of a frame into what it is there: a
// frame cut short.
func whole(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFrame writes type || len || body in one call to w.Write, so that a
// frame is not torn by another writer.
func writeFrame(w io.Writer, t FrameType, body []byte) error {
	frame := make([]byte, 0, 5+len(body))
	frame = append(frame, byte(t))
	frame = put32(frame, uint32(len(body)))
	_, err := w.Write(append(frame, body...))
	return err
}
