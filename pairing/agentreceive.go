package pairing

import (
	"bytes"
	"crypto/ed25519"

	abcrypto "answerback/crypto"
)

// AgentEvent is what Receive learned; the zero value is nothing.
type AgentEvent struct {
	Locked *Locked // set once, when a device locked the code
}

// Locked is the device that came first. Its name and platform are its own words;
// it is not bound to anything before the right digits were typed.
type Locked struct {
	Device               abcrypto.ID
	DeviceKey            ed25519.PublicKey
	DeviceName, Platform string
	Push                 PushSubscription
	Passkey              Passkey
}

// Receive takes one message from the pairing mailbox. A reply, where there is
// one, is sent whether or not there is an error: it may be a stop. Errors:
//
//	ErrIgnored     noise; nothing changed
//	ErrVersion     hello of another version; the reply says what this side speaks
//	ErrTwoDevices  another device has the code too; ended
//	ErrExpired     nowMS is not before the code's end; ended
//	ErrBurnt, ErrEnded  ended before; the reply is the same stop again
func (a *AgentSide) Receive(nowMS uint64, msg []byte) (reply []byte, event AgentEvent, err error) {
	if len(msg) < 2 || len(msg) > maxMessage {
		return nil, AgentEvent{}, ErrIgnored
	}
	switch msg[0] {
	case typeHello:
		reply, err = a.receiveHello(msg[1:])
		return reply, AgentEvent{}, err
	case typeMsg1:
		return a.receiveMsg1(nowMS, msg[1:])
	}
	return nil, AgentEvent{}, ErrIgnored
}

// receiveHello answers with the bundle, as often as it is asked and even after a
// stop: without it the device could not read why.
func (a *AgentSide) receiveHello(body []byte) ([]byte, error) {
	if len(body) != 1 || body[0] == 0 || a.msg3 != nil {
		return nil, ErrIgnored
	}
	if body[0] != Version {
		return a.bundleMsg, ErrVersion
	}
	return a.bundleMsg, nil
}

func (a *AgentSide) receiveMsg1(nowMS uint64, msg1 []byte) ([]byte, AgentEvent, error) {
	same := a.lock != nil && bytes.Equal(msg1, a.lock.msg1)
	switch {
	case a.msg3 != nil && same:
		return a.msg3, AgentEvent{}, nil
	case a.msg3 != nil:
		return nil, AgentEvent{}, ErrIgnored
	case a.stop != nil:
		return a.stop, AgentEvent{}, a.stopErr
	case nowMS >= a.bundle.ExpiresMS && !a.proven:
		return a.end(StopExpired, ErrExpired), AgentEvent{}, ErrExpired
	case same:
		return a.lock.msg2, AgentEvent{}, nil
	}
	x, f, err := a.openMsg1(msg1)
	if err != nil {
		return nil, AgentEvent{}, ErrIgnored
	}
	if a.lock != nil {
		return a.end(StopTwoDevices, ErrTwoDevices), AgentEvent{}, ErrTwoDevices
	}
	a.lockTo(msg1, x, f)
	return a.lock.msg2, AgentEvent{Locked: a.locked()}, nil
}

// openMsg1 proves that the sender knows s, and holds the key that it names.
func (a *AgentSide) openMsg1(msg1 []byte) (exchange, fields, error) {
	r := reader{b: msg1}
	ephemeral := r.array32()
	if r.bad {
		return exchange{}, fields{}, ErrFormat
	}
	x, err := newExchange(a.offer.Secret, a.ephemeral, ephemeral, a.h1)
	if err != nil {
		return exchange{}, fields{}, err
	}
	plain, err := abcrypto.OpenBox(x.keyMsg1(), r.b, aad(abcrypto.WordMsg1, a.h1))
	if err != nil {
		return exchange{}, fields{}, err
	}
	f, err := openFields(plain, a.h1, ephemeral)
	x.hashOfMsg1(msg1)
	return x, f, err
}

// openFields reads len(4) || F || sig(64) and checks the signature by F's key.
func openFields(plain []byte, h1, ephemeral [32]byte) (fields, error) {
	r := reader{b: plain}
	raw, sig := r.long(), r.take(ed25519.SignatureSize)
	if !r.ok() {
		return fields{}, ErrFormat
	}
	f, err := parseFields(raw)
	if err != nil {
		return fields{}, err
	}
	return f, abcrypto.Verify(f.Key, pairBytes(h1, ephemeral, raw), sig)
}

// lockTo gives the code to one device and makes msg2.
func (a *AgentSide) lockTo(msg1 []byte, x exchange, f fields) {
	x.nonceA = a.nonceA
	sig := ed25519.Sign(a.signKey, x.confirmBytes())
	box := abcrypto.SealBox(x.keyMsg2(), append(x.nonceA[:], sig...), aad(abcrypto.WordMsg2, a.h1), a.random)
	a.lock = &lock{msg1: bytes.Clone(msg1), msg2: append([]byte{typeMsg2}, box...), fields: f, x: x}
}

func (a *AgentSide) locked() *Locked {
	f := a.lock.fields
	return &Locked{
		Device: abcrypto.DeviceID(f.Key), DeviceKey: f.Key,
		DeviceName: f.Name, Platform: f.Platform, Push: f.Push, Passkey: f.Passkey,
	}
}
