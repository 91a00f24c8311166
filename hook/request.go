package hook

import "io"

// Request is the first frame on a connection to the agent's socket: a CALL
// from a hook, or a CONTROL from the command line. Exactly one is set.
type Request struct {
	Call    *Call
	Control []byte // a JSON object, not looked into here
}

// ReadRequest reads the first frame of a connection. It takes exactly that
// frame's bytes from r. The errors to tell apart: VersionError (answer with
// WriteUnsupported), ErrSize and ErrFrame (close), io.EOF (nothing was said).
func ReadRequest(r io.Reader) (Request, error) {
	t, err := readType(r)
	if err != nil {
		return Request{}, err
	}
	req, err := readRequest(r, t)
	if err != nil {
		return Request{}, frameError{"read request", err}
	}
	return req, nil
}

func readRequest(r io.Reader, t FrameType) (Request, error) {
	switch t {
	case TypeCall:
		body, err := readBody(r, maxCall)
		if err != nil {
			return Request{}, err
		}
		c, err := parseCall(body)
		if err != nil {
			return Request{}, err
		}
		return Request{Call: &c}, nil
	case TypeControl:
		body, err := readBody(r, MaxControl)
		if err != nil {
			return Request{}, err
		}
		if len(body) == 0 {
			return Request{}, ErrFrame
		}
		return Request{Control: body}, nil
	default:
		return Request{}, ErrFrame
	}
}

// ReadCall reads one frame that has to be a CALL.
func ReadCall(r io.Reader) (Call, error) {
	req, err := ReadRequest(r)
	if err != nil {
		return Call{}, err
	}
	if req.Call == nil {
		return Call{}, frameError{"read call", ErrFrame}
	}
	return *req.Call, nil
}

// ReadControl reads one frame that has to be a CONTROL, and gives its body.
func ReadControl(r io.Reader) ([]byte, error) {
	req, err := ReadRequest(r)
	if err != nil {
		return nil, err
	}
	if req.Control == nil {
		return nil, frameError{"read control", ErrFrame}
	}
	return req.Control, nil
}

// WriteControl writes one CONTROL: a JSON object of at most MaxControl bytes.
func WriteControl(w io.Writer, json []byte) error {
	if len(json) == 0 {
		return frameError{"write control", ErrFrame}
	}
	if len(json) > MaxControl {
		return frameError{"write control", ErrSize}
	}
	if err := writeFrame(w, TypeControl, json); err != nil {
		return frameError{"write control", err}
	}
	return nil
}
