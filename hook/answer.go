package hook

import (
	"io"
	"time"
)

// Held says that the agent has the call and that a person is being asked.
type Held struct {
	RequestID [16]byte
	Wait      time.Duration // the agent's deadline, counted from the hook's start
}

// Verdict is what the hook is to print, and with which code it is to exit.
type Verdict struct {
	Exit           int // 0 or 2, never anything else
	Stdout, Stderr []byte
}

// Frame is one frame from the agent. Type says which of the fields holds.
type Frame struct {
	Type    FrameType // TypeHeld, TypeBeat, TypeVerdict or TypeUnsupported
	Held    Held
	Verdict Verdict
	Version byte // of UNSUPPORTED: what the agent speaks
}

// ReadFrame reads one frame from the agent, and exactly its bytes.
func ReadFrame(r io.Reader) (Frame, error) {
	t, err := readType(r)
	if err != nil {
		return Frame{}, err
	}
	f, err := readFrame(r, t)
	if err != nil {
		return Frame{}, frameError{"read frame", err}
	}
	return f, nil
}

func readFrame(r io.Reader, t FrameType) (Frame, error) {
	switch t {
	case TypeBeat:
		return Frame{Type: t}, nil
	case TypeHeld:
		body, err := readBody(r, heldLen)
		if err != nil {
			return Frame{}, err
		}
		h, err := parseHeld(body)
		return Frame{Type: t, Held: h}, err
	case TypeVerdict:
		body, err := readBody(r, MaxVerdict)
		if err != nil {
			return Frame{}, err
		}
		v, err := parseVerdict(body)
		return Frame{Type: t, Verdict: v}, err
	case TypeUnsupported:
		body, err := readBody(r, 1)
		if err != nil {
			return Frame{}, err
		}
		if len(body) != 1 || body[0] == 0 {
			return Frame{}, ErrFrame
		}
		return Frame{Type: t, Version: body[0]}, nil
	default:
		return Frame{}, ErrFrame
	}
}

const heldLen = 1 + 16 + 4

// WriteHeld writes version(1) || request_id(16) || wait_ms(4).
func WriteHeld(w io.Writer, h Held) error {
	if h.Wait <= 0 || h.Wait > MaxWait {
		return frameError{"write held", ErrFrame}
	}
	body := append([]byte{Version}, h.RequestID[:]...)
	if err := writeFrame(w, TypeHeld, put32(body, milliseconds(h.Wait))); err != nil {
		return frameError{"write held", err}
	}
	return nil
}

func parseHeld(body []byte) (h Held, err error) {
	cur := cursor{rest: body}
	v := cur.byte()
	copy(h.RequestID[:], cur.take(16))
	h.Wait = time.Duration(cur.uint32()) * time.Millisecond
	if !cur.done() || h.Wait > MaxWait {
		return Held{}, ErrFrame
	}
	if v != Version {
		return Held{}, VersionError{v}
	}
	return h, nil
}

// WriteBeat writes the one byte that says that the agent is alive.
func WriteBeat(w io.Writer) error {
	if _, err := w.Write([]byte{byte(TypeBeat)}); err != nil {
		return frameError{"write beat", err}
	}
	return nil
}

// WriteVerdict writes exit(1) || len(4) || stdout || len(4) || stderr.
func WriteVerdict(w io.Writer, v Verdict) error {
	if !validExit(v.Exit) {
		return frameError{"write verdict", ErrFrame}
	}
	if 9+len(v.Stdout)+len(v.Stderr) > MaxVerdict {
		return frameError{"write verdict", ErrSize}
	}
	body := putBytes(putBytes([]byte{byte(v.Exit)}, v.Stdout), v.Stderr)
	if err := writeFrame(w, TypeVerdict, body); err != nil {
		return frameError{"write verdict", err}
	}
	return nil
}

func parseVerdict(body []byte) (Verdict, error) {
	cur := cursor{rest: body}
	v := Verdict{Exit: int(cur.byte()), Stdout: cur.bytes(), Stderr: cur.bytes()}
	if !cur.done() || !validExit(v.Exit) {
		return Verdict{}, ErrFrame
	}
	return v, nil
}

// validExit: 0 is every reply of a permission event, and 2 is the code that
// some gates stop a call with. 1 means something else to every caller (Copilot
// denies, Gemini runs the tool), so there is no way to send it.
func validExit(code int) bool { return code == 0 || code == 2 }

// WriteUnsupported tells a hook of another version which one the agent speaks.
func WriteUnsupported(w io.Writer) error {
	if err := writeFrame(w, TypeUnsupported, []byte{Version}); err != nil {
		return frameError{"write unsupported", err}
	}
	return nil
}
