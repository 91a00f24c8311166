package agent

import (
	"encoding/base64"

	"answerback/agent/card"
	"answerback/pairing"
)

// storedPush is a device's subscription as the store holds it: bytes in base64url. One that is gone leaves its health, so that the device
// hears of it after a restart too.
type storedPush struct {
	Endpoint string          `json:"endpoint"`
	P256dh   string          `json:"p256dh"`
	Auth     string          `json:"auth"`
	Health   card.PushHealth `json:"health"`
}

func storePush(s pairing.PushSubscription, h card.PushHealth) *storedPush {
	if s.Endpoint == "" && h == card.PushNone {
		return nil
	}
	return &storedPush{Endpoint: s.Endpoint, P256dh: base64.RawURLEncoding.EncodeToString(s.P256dh), Auth: base64.RawURLEncoding.EncodeToString(s.Auth), Health: h}
}

// subscription reads it back. What cannot be read is no subscription: the device announces its own again when it opens.
func (s *storedPush) subscription() (pairing.PushSubscription, card.PushHealth) {
	if s == nil {
		return pairing.PushSubscription{}, ""
	}
	if s.Endpoint == "" {
		return pairing.PushSubscription{}, s.Health
	}
	p256dh, err := base64.RawURLEncoding.DecodeString(s.P256dh)
	auth, err2 := base64.RawURLEncoding.DecodeString(s.Auth)
	if err != nil || err2 != nil {
		return pairing.PushSubscription{}, ""
	}
	return pairing.PushSubscription{Endpoint: s.Endpoint, P256dh: p256dh, Auth: auth}, s.Health
}

// onSubscription takes a device's new subscription, or takes the old one back.
func (a *Agent) onSubscription(p *peer, body []byte) error {
	m, err := card.ParsePush(body)
	if err != nil {
		return err
	}
	return a.change(p, func(d *device) {
		d.Push = pairing.PushSubscription{Endpoint: m.Endpoint, P256dh: m.P256DH, Auth: m.Auth}
		d.PushHealth = card.PushGood
		if m.Endpoint == "" {
			d.PushHealth = card.PushNone
		}
	})
}

// change alters what is kept of a device, in memory and on disk, and tells it.
func (a *Agent) change(p *peer, alter func(*device)) error {
	p.mu.Lock()
	alter(&p.dev)
	d := p.dev
	p.mu.Unlock()
	if err := a.store.Update(p.save(d)); err != nil {
		return err
	}
	a.sendState(p)
	return nil
}
