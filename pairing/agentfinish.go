package pairing

import (
	"crypto/subtle"
	"strings"

	abcrypto "answerback/crypto"
)

// Digits compares what the person typed with what the device that locked the
// code shows; spaces and dashes do not count. After the third wrong ones the
// code is burnt: the error is ErrBurnt, and Stop(StopWrongDigits) returns the
// message to send. Other errors: ErrSixDigits (not a try), ErrOrder (no device
// has locked the code), and what ended the pairing before.
//
// It knows no clock: the caller ends the pairing at the code's end.
func (a *AgentSide) Digits(typed string) (ok bool, triesLeft int, err error) {
	left := maxTries - a.tries
	if a.stop != nil {
		return false, 0, a.stopErr
	}
	if a.lock == nil || a.msg3 != nil {
		return false, left, ErrOrder
	}
	typed = strings.NewReplacer(" ", "", "-", "").Replace(typed)
	if !sixDigits(typed) {
		return false, left, ErrSixDigits
	}
	if subtle.ConstantTimeCompare([]byte(typed), []byte(a.lock.x.digits())) == 1 {
		a.proven = true
		return true, left, nil
	}
	return false, left - 1, a.miss()
}

// miss counts wrong digits. They also take back right ones typed before.
func (a *AgentSide) miss() error {
	a.tries++
	a.proven = false
	if a.tries < maxTries {
		return nil
	}
	a.end(StopWrongDigits, ErrBurnt)
	return ErrBurnt
}

func sixDigits(s string) bool {
	return len(s) == 6 && strings.Trim(s, "0123456789") == ""
}

// Finish makes msg3 after the right digits, and what the agent keeps. The roster
// is JSON of at most MaxRoster bytes; nowMS goes to the device. The agent sends
// msg3 again until the device's first message under the new keys opens. Errors:
// ErrOrder, ErrFormat (roster too long), and what ended the pairing before.
func (a *AgentSide) Finish(nowMS uint64, roster []byte) (msg3 []byte, p Paired, err error) {
	if a.stop != nil {
		return nil, Paired{}, a.stopErr
	}
	if !a.proven || a.msg3 != nil {
		return nil, Paired{}, ErrOrder
	}
	if len(roster) > MaxRoster || nowMS > abcrypto.MaxNumber {
		return nil, Paired{}, ErrFormat
	}
	x := &a.lock.x
	p = newPaired(x, a.bundle, a.lock.fields)
	p.Roster, p.AgentClockMS = roster, nowMS
	plain := finish{device: p.Device, roster: roster, clockMS: nowMS}.marshal()
	box := abcrypto.SealBox(x.last(abcrypto.WordMsg3, 32), plain, aad(abcrypto.WordMsg3, a.h1), a.random)
	a.msg3 = append([]byte{typeMsg3}, box...)
	a.wipe()
	return a.msg3, p, nil
}
