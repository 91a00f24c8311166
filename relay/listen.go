package relay

// Listen asks for the messages of a box: LISTEN r(32) H(w)(32).
type Listen struct {
	R  ReaderKey
	HW KeyHash
}

// Box returns the box that the reader asks for.
func (l Listen) Box() Box { return BoxOf(HashR(l.R), l.HW) }

// Append appends the frame to b.
func (l Listen) Append(b []byte) []byte {
	b = append(b, byte(TypeListen))
	b = append(b, l.R[:]...)
	return append(b, l.HW[:]...)
}

// ParseListen reads a LISTEN frame.
func ParseListen(b []byte) (Listen, error) {
	if err := exact(b, TypeListen, listenSize); err != nil {
		return Listen{}, err
	}
	return Listen{R: ReaderKey(b[1:33]), HW: KeyHash(b[33:])}, nil
}

// AppendListening appends LISTENING box(20): the box is being read from now on.
func AppendListening(b []byte, box Box) []byte { return appendBox(b, TypeListening, box) }

// ParseListening reads a LISTENING frame.
func ParseListening(b []byte) (Box, error) { return parseBox(b, TypeListening) }

// AppendAdmit appends ADMIT box(20): a private relay shall serve this box, too.
func AppendAdmit(b []byte, box Box) []byte { return appendBox(b, TypeAdmit, box) }

// ParseAdmit reads an ADMIT frame.
func ParseAdmit(b []byte) (Box, error) { return parseBox(b, TypeAdmit) }

// AppendLeave appends LEAVE box(20): the end of a LISTEN or an ADMIT.
func AppendLeave(b []byte, box Box) []byte { return appendBox(b, TypeLeave, box) }

// ParseLeave reads a LEAVE frame.
func ParseLeave(b []byte) (Box, error) { return parseBox(b, TypeLeave) }

// AppendBye appends BYE reason(1): the relay is about to close the socket.
func AppendBye(b []byte, reason ByeReason) []byte {
	return append(b, byte(TypeBye), byte(reason))
}

// ParseBye reads a BYE frame.
func ParseBye(b []byte) (ByeReason, error) {
	if err := exact(b, TypeBye, byeSize); err != nil {
		return 0, err
	}
	if reason := ByeReason(b[1]); reason.Valid() {
		return reason, nil
	}
	return 0, bad(TypeBye, ErrMalformed)
}

func appendBox(b []byte, t Type, box Box) []byte {
	return append(append(b, byte(t)), box[:]...)
}

func parseBox(b []byte, t Type) (Box, error) {
	if err := exact(b, t, boxFrameSize); err != nil {
		return Box{}, err
	}
	return Box(b[1:]), nil
}
