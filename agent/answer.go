package agent

import (
	"crypto/ed25519"
	"errors"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/hook/caller"
)

// onAnswer checks one answer, in the order of docs/protocol.md, "How the agent checks an answer". Steps 1 to 3 (size, mailbox, AEAD) are
// behind us: the message opened. A failure at any step allows nothing, is logged, and is told to the device.
func (a *Agent) onAnswer(p *peer, m abcrypto.Message) {
	got, err := abcrypto.ParseAnswerMessage(m.Body) // 4
	if err != nil {
		a.refuse(p, m, requestID{}, abcrypto.ReceiptHash(m.Body), err)
		return
	}
	hash := abcrypto.ReceiptHash(got.Raw)
	id := requestID(got.Answer.Request)
	e, isOpen := a.pending.find(id)
	if e == nil {
		a.unknown(p, m, got, hash)
		return
	}
	if a.again(p, m, e, got, hash) { // 8
		return
	}
	verified, err := a.verify(p, e, m.Body) // 5, 6, 7, 10
	if err != nil {
		a.refuse(p, m, e.id, hash, err)
		return
	}
	o := outcome{how: answered, answer: verified, device: p.device(), message: m, at: time.Now()}
	if !isOpen || e.over(o.at) || !a.pending.settle(e, o) { // 9, 12
		a.late(p, m, e, verified)
	}
	// 11, 13 and 14 are Decide's, which settle has woken.
}

// again gives the same answer bytes of the same device the same receipt, whatever has changed since: what a device may do, and how, is no
// news about an answer that counted. They come again when a receipt was lost, and from whoever has kept them.
func (a *Agent) again(p *peer, m abcrypto.Message, e *entry, got abcrypto.AnswerMessage, hash [32]byte) bool {
	d := p.device()
	if got.Answer.Device != d.ID || got.Verify(d.Key) != nil {
		return false
	}
	r, known, due := e.recorded(hash, time.Now())
	if known && due {
		p.receipt(m, r)
	}
	return known || e.wonBy(hash) // then its receipt goes out as soon as the hook has the verdict
}

// verify holds an answer against what this agent wrote on the card.
func (a *Agent) verify(p *peer, e *entry, body []byte) (card.Verified, error) {
	d := p.device()
	if !d.Active || !e.roster[d.ID] || a.peerOf(d.ID) != p {
		return card.Verified{}, errRoster
	}
	asked := e.Asked(a.id)
	if asked.Via == card.NeedTap && d.LockScreen != card.LockAnswer {
		asked.Via = card.NeedApp // a button on the lock screen needs the person's leave, given on this device
	}
	asked.Offered = asked.Offered && (e.Card.Kind != card.KindCall || e.call.CanAllow)
	v, err := card.VerifyAnswer(asked, card.Answerer{Device: d.ID, Key: d.Key, Role: d.Role, Passkey: d.confirms()}, body)
	if err == nil && v.Decision() == abcrypto.Answered && !caller.AnswersFit(e.call, answersOf(v)) {
		return card.Verified{}, card.ErrPayload
	}
	return v, err
}

// unknown answers for a request that this agent does not know: from before a restart, or never asked. Nothing can come of it.
func (a *Agent) unknown(p *peer, m abcrypto.Message, got abcrypto.AnswerMessage, hash [32]byte) {
	d := p.device()
	why := errors.New("no card of this agent has that request id")
	if !ed25519.Verify(d.Key, got.Raw, got.Sig[:]) {
		why = errors.New("the signature is not the device's")
	}
	if !a.logRefused(p, got.Answer.Request, why) {
		return
	}
	p.receipt(m, card.Receipt{Request: got.Answer.Request, Answer: hash, Outcome: card.Unknown, Time: nowMS()})
}

// refuse logs and tells that an answer does not count.
func (a *Agent) refuse(p *peer, m abcrypto.Message, request requestID, hash [32]byte, why error) {
	if !a.logRefused(p, request, why) || request == (requestID{}) {
		return
	}
	p.receipt(m, card.Receipt{Request: request, Answer: hash, Outcome: card.Refused, Reason: reasonID(why), Time: nowMS()})
}

// late tells a device that its good answer came after the end, and what the end was.
func (a *Agent) late(p *peer, m abcrypto.Message, e *entry, v card.Verified) {
	a.pending.settle(e, outcome{how: expired, at: time.Now()}) // nothing, if it has ended already
	hash := v.ReceiptHash()
	r := card.Receipt{Request: e.id, Answer: hash, Outcome: card.TooLate, Time: nowMS()}
	switch o := e.outcome; {
	case o.how == answered && e.spoiled() == "":
		r.Outcome, r.Device, r.Decision = card.Answered, o.device.Name, o.answer.Word()
	case o.how == withdrawn, o.how == released:
		r.Outcome = card.Withdrawn
	case o.how == denied:
		r.Outcome, r.Device, r.Decision = card.Answered, a.opts.Host, card.WordDeny
	}
	e.recordLate(hash, r)
	if a.logRefused(p, e.id, errors.New("too late: the card had ended ("+string(e.end())+")")) {
		p.receipt(m, r)
	}
}

// refusals are the ids of what a person can do something about.
var refusals = map[string]error{"signature": card.ErrSignature, "watcher": card.ErrRole, "no_allow": card.ErrNoAllow, "via": card.ErrVia,
	"passkey": card.ErrPasskey, "roster": errRoster}

// errRoster refuses a device that the card does not name.
var errRoster = errors.New("this device is not in the roster that the card names")

// reasonID names a refusal for the device, which says it in its person's language.
func reasonID(err error) string {
	for id, kind := range refusals {
		if errors.Is(err, kind) {
			return id
		}
	}
	return "mismatch"
}
