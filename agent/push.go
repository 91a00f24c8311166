package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
	"answerback/pairing"
	"answerback/relay"
)

// Figures of ringing.
const (
	// online devices get so much time to say that a person sees the card.
	seenGrace = 1500 * time.Millisecond
	// pushesAMinute bounds notifications of one device; one more says only how many wait.
	pushesAMinute = 5
	// maxTTL is what the relay takes; a push never outlives its card.
	maxTTL = 900 * time.Second
	// endTTL is how long the end of a card may wait for a device that is off.
	endTTL = 120 * time.Second
	// pushAgain bounds how long a push service may ask us to wait before the one second try.
	pushAgain = 30 * time.Second
)

// ring pushes a card to the devices that no person watches, once the caller's own prompt has had its time.
func (a *Agent) ring(e *entry, grace time.Duration) {
	for _, p := range a.activePeers() {
		d := p.device()
		if d.Push.Endpoint == "" || d.PushHealth == card.PushRepair || !p.takes(e) {
			continue
		}
		wait := grace
		if p.isOnline() {
			wait = max(grace, seenGrace)
		}
		a.aside.Go(func() { a.ringLater(e, p, wait) })
	}
}

func (a *Agent) ringLater(e *entry, p *peer, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-e.done:
	case <-a.ctx.Done():
	case <-timer.C:
		if !e.watchedBy(p.device().ID) {
			a.pushCard(e, p)
		}
	}
}

// pushCard pushes the card, or a pointer where it does not fit or would be one notification too many.
func (a *Agent) pushCard(e *entry, p *peer) {
	allowed, first := p.mayRing(time.Now())
	if !allowed && !first {
		return
	}
	o := outgoing{typ: abcrypto.TypeCard, body: e.Body}
	if !allowed || len(e.Body) > abcrypto.PushBody {
		body, err := a.pointerTo(e).Marshal()
		if err != nil {
			a.log.Error("pointer not made", "why", err)
			return
		}
		o = outgoing{typ: abcrypto.TypePointer, body: body}
	}
	e.ringing(p.device().ID)
	ttl := min(time.Until(e.deadline), maxTTL)
	a.push(p, o, e.id, ttl, relay.UrgencyHigh)
}

// pointerTo names a card without its call.
func (a *Agent) pointerTo(e *entry) card.Pointer {
	kind := map[card.Kind]card.PointerKind{card.KindQuestion: card.PointQuestion, card.KindAdmin: card.PointAdmin}[e.Card.Kind]
	if kind == "" {
		kind = card.PointCall
	}
	return card.Pointer{Request: e.id, Kind: kind, Caller: e.Card.Caller, Host: e.Card.Host, Class: e.Card.Class, Made: e.Card.Made,
		Expires: e.Card.Expires, Waiting: uint64(len(a.pending.all()))}
}

// pushEnd withdraws a notification: the same topic takes the card's place where it still waits at the push service.
func (a *Agent) pushEnd(e *entry, p *peer, settled []byte) {
	if !e.rang(p.device().ID) {
		return
	}
	a.aside.Go(func() {
		a.push(p, outgoing{typ: abcrypto.TypeSettled, body: settled}, e.id, endTTL, relay.UrgencyNormal)
	})
}

// pushTest pushes that nothing waits, so that a person sees whether pushes arrive.
func (a *Agent) pushTest(p *peer) error {
	if p.device().Push.Endpoint == "" {
		return errors.New("this device has no push subscription; open the app on it and allow notifications")
	}
	id, now := requestID{}, nowMS()
	rand.Read(id[:])
	body, err := card.Pointer{Request: id, Kind: card.PointTest, Caller: "answerback", Host: a.opts.Host, Class: card.Routine, Made: now,
		Expires: now + uint64(endTTL.Milliseconds()), Waiting: uint64(len(a.pending.all()))}.Marshal()
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.testing = id
	p.mu.Unlock()
	a.aside.Go(func() { a.push(p, outgoing{typ: abcrypto.TypePointer, body: body}, id, endTTL, relay.UrgencyHigh) })
	return nil
}

// push seals a message for the device, seals that for its browser, and hands it to the relay, a second time if the push service asks for
// patience. The relay and the push service see ciphertext of one size.
func (a *Agent) push(p *peer, o outgoing, id requestID, ttl time.Duration, u relay.Urgency) {
	sealed, err := p.seal(o)
	if err != nil {
		a.log.Warn("a push was not sealed", "device", p.name(), "why", err)
		return
	}
	d := p.device()
	body, err := abcrypto.SealPush(d.Push.P256dh, d.Push.Auth, append(d.ID[:], sealed...), rand.Reader)
	if err != nil {
		a.pushFailed(p, d.Push, http.StatusBadRequest)
		return
	}
	frame := relay.Push{TTL: uint32(max(ttl, time.Second).Seconds()), Urgency: u, Topic: p.topic(id), Endpoint: d.Push.Endpoint, Body: body}
	for try := range 2 {
		status, after := a.handOver(frame)
		switch status {
		case http.StatusMisdirectedRequest, http.StatusNotImplemented: // the relay's own word: nothing is wrong with the subscription
			a.log.Warn("the relay does not push to this device's service; see docs/relay.md (--contact, --push-host)", "device", d.Name, "status", status)
			return
		case http.StatusOK, http.StatusCreated, http.StatusAccepted:
			return
		}
		if status == http.StatusTooManyRequests || status/100 == 5 || status == 0 {
			if try == 0 && a.rest(max(after, time.Second)) {
				continue
			}
			a.log.Warn("a push was not taken", "device", d.Name, "status", status)
			return
		}
		a.pushFailed(p, d.Push, status)
		return
	}
}

func (a *Agent) handOver(frame relay.Push) (status int, after time.Duration) {
	ctx, cancel := context.WithTimeout(a.ctx, 20*time.Second)
	defer cancel()
	status, after, err := a.link.Push(ctx, frame)
	if err != nil {
		a.log.Debug("the relay took no push", "why", err)
		return 0, 0
	}
	return status, after
}

// rest waits as long as a push service asks for, if that is bearable.
func (a *Agent) rest(after time.Duration) bool {
	if after > pushAgain {
		return false
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-a.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// pushFailed drops a subscription that is gone (404, 410) and marks one that the service refuses (400, 403 and the rest): the device's next
// opening repairs it. A subscription that was announced meanwhile is left alone.
func (a *Agent) pushFailed(p *peer, failed pairing.PushSubscription, status int) {
	a.log.Warn("a push subscription does not work", "device", p.name(), "status", status)
	if p.device().Push.Endpoint != failed.Endpoint {
		return
	}
	err := a.change(p, func(d *device) {
		d.PushHealth = card.PushRepair
		if status == http.StatusNotFound || status == http.StatusGone {
			d.Push, d.PushHealth = pairing.PushSubscription{}, card.PushRepair
		}
	})
	if err != nil {
		a.log.Error("a subscription's end was not written down", "why", err)
	}
}

// mayRing counts a notification. first: this one is over the bound, and the first that is, so it may say how many wait.
func (p *peer) mayRing(now time.Time) (allowed, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	recent := p.rings[:0]
	for _, t := range p.rings {
		if now.Sub(t) < time.Minute {
			recent = append(recent, t)
		}
	}
	p.rings = recent
	if len(p.rings) <= pushesAMinute {
		p.rings = append(p.rings, now)
	}
	return len(p.rings) <= pushesAMinute, len(p.rings) == pushesAMinute+1 && p.rings[pushesAMinute].Equal(now)
}

func (p *peer) topic(id requestID) relay.Topic {
	p.mu.Lock()
	defer p.mu.Unlock()
	return relay.Topic(p.ratchet.Chain.Topic(id))
}

// confirms reports whether this is the id of the last test push, once: the same word can come again from anybody on the way.
func (p *peer) confirms(id requestID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id != p.testing || id == (requestID{}) {
		return false
	}
	p.testing = requestID{}
	return true
}
