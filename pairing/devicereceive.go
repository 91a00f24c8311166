package pairing

import (
	"crypto/subtle"
	"errors"

	abcrypto "answerback/crypto"
)

// DeviceEvent is what Receive learned; the zero value is nothing. At most one
// field is set.
type DeviceEvent struct {
	Bundle *Bundle // ask the person whether to pair with this agent, then Confirm
	Digits string  // six digits: show them large
	Paired *Paired // the end: keep it
}

// Receive takes one message from the pairing mailbox. There is never a reply but
// what Confirm gives; the first result is there for symmetry with AgentSide and
// is nil. Errors:
//
//	ErrIgnored   noise; nothing changed
//	ErrVersion   the agent speaks another version; ended
//	ErrNotOurs   the bundle is not the one that the code was made for; ended
//	ErrUnproven  commitment or signature do not hold; ended
//	ErrStopped   the agent stopped, with its reason; ended
func (d *DeviceSide) Receive(msg []byte) (reply []byte, event DeviceEvent, err error) {
	if d.ended != nil {
		return nil, DeviceEvent{}, d.ended
	}
	if len(msg) < 2 || len(msg) > maxMessage {
		return nil, DeviceEvent{}, ErrIgnored
	}
	switch msg[0] {
	case typeBundle:
		event, err = d.receiveBundle(msg[1:])
	case typeMsg2:
		event, err = d.receiveMsg2(msg[1:])
	case typeMsg3:
		event, err = d.receiveMsg3(msg[1:])
	case typeStop:
		err = d.receiveStop(msg[1:])
	default:
		err = ErrIgnored
	}
	return nil, event, err
}

func (d *DeviceSide) receiveBundle(box []byte) (DeviceEvent, error) {
	if d.bundle != nil {
		return DeviceEvent{}, ErrIgnored
	}
	raw, err := abcrypto.OpenBox(d.keys.bundle, box, abcrypto.Label(abcrypto.WordBundle))
	if err != nil {
		return DeviceEvent{}, ErrIgnored
	}
	fp := fingerprint(raw)
	if subtle.ConstantTimeCompare(fp[:], d.offer.Fingerprint[:]) != 1 {
		return DeviceEvent{}, d.end(ErrNotOurs)
	}
	b, err := ParseBundle(raw)
	if errors.Is(err, ErrVersion) {
		return DeviceEvent{}, d.end(ErrVersion)
	}
	if err != nil {
		return DeviceEvent{}, d.end(ErrUnproven)
	}
	d.bundle, d.h1 = &b, abcrypto.Hash(abcrypto.WordT1, raw)
	shown := b
	return DeviceEvent{Bundle: &shown}, nil
}

// receiveMsg2 opens the commitment. Only after it and the signature hold are
// there digits to show.
func (d *DeviceSide) receiveMsg2(box []byte) (DeviceEvent, error) {
	if d.msg1 == nil || d.shown {
		return DeviceEvent{}, ErrIgnored
	}
	plain, err := abcrypto.OpenBox(d.x.keyMsg2(), box, aad(abcrypto.WordMsg2, d.h1))
	if err != nil {
		return DeviceEvent{}, ErrIgnored
	}
	r := reader{b: plain}
	d.x.nonceA = r.array32()
	sig := r.take(64)
	if !r.ok() || commitment(d.x.nonceA) != d.bundle.Commitment ||
		abcrypto.Verify(d.bundle.AgentKey, d.x.confirmBytes(), sig) != nil {
		return DeviceEvent{}, d.end(ErrUnproven)
	}
	d.shown = true
	return DeviceEvent{Digits: d.x.digits()}, nil
}

func (d *DeviceSide) receiveMsg3(box []byte) (DeviceEvent, error) {
	if !d.shown {
		return DeviceEvent{}, ErrIgnored
	}
	plain, err := abcrypto.OpenBox(d.x.last(abcrypto.WordMsg3, 32), box, aad(abcrypto.WordMsg3, d.h1))
	if err != nil {
		return DeviceEvent{}, ErrIgnored
	}
	f, err := parseFinish(plain)
	if err != nil || f.device != abcrypto.DeviceID(d.fields.Key) {
		return DeviceEvent{}, d.end(ErrUnproven)
	}
	p := newPaired(&d.x, *d.bundle, d.fields)
	p.Roster, p.AgentClockMS = f.roster, f.clockMS
	d.end(ErrIgnored) // whatever still comes is a repetition
	return DeviceEvent{Paired: &p}, nil
}

func (d *DeviceSide) receiveStop(box []byte) error {
	if d.bundle == nil {
		return ErrIgnored
	}
	plain, err := abcrypto.OpenBox(d.keys.stop, box, aad(abcrypto.WordStop, d.h1))
	if err != nil || len(plain) != 1 || !Reason(plain[0]).valid() {
		return ErrIgnored
	}
	return d.end(ErrStopped{Reason: Reason(plain[0])})
}
