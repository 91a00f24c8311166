package relayserver

import (
	"encoding/binary"

	"answerback/relay"
)

// WebSocket opcodes (RFC 6455 section 5.2) with the FIN bit.
const (
	opBinary = 0x80 | 0x2
	opClose  = 0x80 | 0x8
	opPing   = 0x80 | 0x9
	opPong   = 0x80 | 0xA

	maxHeader = 10 // bytes before the data of an unmasked frame
)

// pingFrame is a ping without data: any sign of life answers it.
var pingFrame = []byte{opPing, 0}

// headerSize returns the length of the header before n bytes of data.
func headerSize(n int) int {
	switch {
	case n < 126:
		return 2
	case n < 1<<16:
		return 4
	}
	return maxHeader
}

// appendHeader appends the header of one whole, unmasked WebSocket frame.
func appendHeader(b []byte, op byte, n int) []byte {
	switch headerSize(n) {
	case 2:
		return append(b, op, byte(n))
	case 4:
		return binary.BigEndian.AppendUint16(append(b, op, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(b, op, 127), uint64(n))
}

// appendBye appends a BYE and the close frame with its code, in one piece.
func appendBye(b []byte, reason relay.ByeReason) []byte {
	b = relay.AppendBye(appendHeader(b, opBinary, 2), reason)
	text := reason.String()
	b = appendHeader(b, opClose, 2+len(text))
	b = binary.BigEndian.AppendUint16(b, uint16(reason.CloseCode()))
	return append(b, text...)
}
