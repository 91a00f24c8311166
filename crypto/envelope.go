package crypto

import (
	"encoding/binary"
	"io"
)

// Sizes around a padded plaintext, in bytes: hdr = version(1) || day(4), then
// nonce(12) and, behind, the tag(16).
const (
	hdrSize = 5
	// Overhead is what a sealed message is longer than its padded plaintext.
	Overhead  = hdrSize + BoxOverhead
	minSealed = 512 + Overhead
	maxSealed = maxPadded + Overhead
)

// Message is what an envelope carries. Day and Nonce are those of its header:
// Open fills them in and Seal ignores them.
type Message struct {
	Type  byte
	Body  []byte
	Day   Day
	Nonce [NonceSize]byte
}

// SealAgent seals a message of the agent to a device:
//
//	hdr = version(1) || day(4)
//	hdr || nonce(12) || GCM(key[day][ToDevice], aad = hdr || device_id, padded plaintext)
//
// The day is the later of the clock's and the newest one opened. Store r before
// the bytes are sent. Errors: ErrFormat (no type of this direction), ErrSize,
// ErrDay (the clock is over 400 days ahead of what the device last used),
// ErrNoRatchet.
func (r *Ratchet) SealAgent(device ID, nowMS uint64, m Message, random io.Reader) ([]byte, error) {
	day := r.agentDay(nowMS)
	sealed, err := r.seal(ToDevice, device, day, m, random)
	if err == nil {
		r.Sealed = max(r.Sealed, day)
	}
	return sealed, err
}

// SealDevice seals a message of the device to its agent, in the same form, with
// the newest day that the device has opened: its own clock is never asked.
// Errors as for SealAgent.
func (r *Ratchet) SealDevice(device ID, m Message, random io.Reader) ([]byte, error) {
	return r.seal(ToAgent, device, r.Newest, m, random)
}

// OpenAgent opens a message of a device, as the agent, and moves the ratchet.
// Errors: ErrSize, ErrFormat, ErrDay, ErrOpen, ErrNoRatchet; r is then as before.
func (r *Ratchet) OpenAgent(device ID, nowMS uint64, sealed []byte) (Message, error) {
	day, _, err := Header(sealed)
	if err == nil && !r.agentOpens(day, nowMS) {
		err = ErrDay
	}
	if err != nil {
		return Message{}, err
	}
	return r.open(ToAgent, device, sealed)
}

// OpenDevice opens a message of the agent, as the device, and moves the ratchet.
// It follows any day up to Horizon ahead of the stored one. Errors as for
// OpenAgent.
func (r *Ratchet) OpenDevice(device ID, sealed []byte) (Message, error) {
	return r.open(ToDevice, device, sealed)
}

// Header returns the day and the nonce of a sealed message: what ReplyBox asks
// for. They are in clear, and proven only by opening the message.
func Header(sealed []byte) (Day, [NonceSize]byte, error) {
	if len(sealed) < minSealed || len(sealed) > maxSealed {
		return 0, [NonceSize]byte{}, ErrSize
	}
	if sealed[0] != EnvelopeVersion {
		return 0, [NonceSize]byte{}, ErrFormat
	}
	day := Day(binary.BigEndian.Uint32(sealed[1:]))
	return day, [NonceSize]byte(sealed[hdrSize:]), nil
}

func (r *Ratchet) seal(d Direction, device ID, day Day, m Message, random io.Reader) ([]byte, error) {
	if !d.ValidType(m.Type) {
		return nil, ErrFormat
	}
	chain, err := r.at(day)
	if err != nil {
		return nil, err
	}
	plain, err := pad(m.Type, m.Body)
	if err != nil {
		return nil, err
	}
	hdr := binary.BigEndian.AppendUint32([]byte{EnvelopeVersion}, uint32(day))
	key := chain.Key(d)
	return append(hdr, SealBox(key[:], plain, aad(hdr, device), random)...), nil
}

func (r *Ratchet) open(d Direction, device ID, sealed []byte) (Message, error) {
	day, nonce, err := Header(sealed)
	if err != nil {
		return Message{}, err
	}
	chain, err := r.at(day)
	if err != nil {
		return Message{}, err
	}
	key := chain.Key(d)
	plain, err := OpenBox(key[:], sealed[hdrSize:], aad(sealed[:hdrSize], device))
	if err != nil {
		return Message{}, err
	}
	typ, body, err := unpad(plain)
	if err != nil {
		return Message{}, err
	}
	if !d.ValidType(typ) {
		return Message{}, ErrFormat
	}
	r.move(day)
	return Message{Type: typ, Body: body, Day: day, Nonce: nonce}, nil
}

func aad(hdr []byte, device ID) []byte {
	return append(append(make([]byte, 0, hdrSize+len(device)), hdr...), device[:]...)
}
