package pairing

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"io"

	abcrypto "answerback/crypto"
)

// DeviceConfig is what a device says of itself. Push and Passkey may be empty.
type DeviceConfig struct {
	Offer      Offer              // from the code
	SignKey    ed25519.PrivateKey // P_sig, made for this pairing; it never leaves the device
	DeviceName string             // 1 to MaxName bytes
	Platform   string             // at most MaxName bytes
	Push       PushSubscription
	Passkey    Passkey
	Random     io.Reader // crypto/rand.Reader but for vectors
}

// DeviceSide is the device's half of one pairing. It is used by one goroutine.
// Its order: Hello is sent; Receive's event brings the bundle; the person agrees;
// Confirm's message is sent; further events bring the digits and the end.
type DeviceSide struct {
	offer     Offer
	keys      secretKeys
	signKey   ed25519.PrivateKey
	random    io.Reader
	fields    fields
	bundle    *Bundle
	h1        [32]byte
	ephemeral *ecdh.PrivateKey // e_d
	msg1      []byte           // as sent
	x         exchange
	shown     bool // msg2 held
	ended     error
}

// NewDeviceSide starts a pairing. Errors: ErrConfig, ErrOffer, crypto.ErrKey.
func NewDeviceSide(cfg DeviceConfig) (*DeviceSide, error) {
	if len(cfg.SignKey) != ed25519.PrivateKeySize || cfg.Random == nil {
		return nil, ErrConfig
	}
	if _, err := ParseOffer(cfg.Offer.Payload()); err != nil {
		return nil, err
	}
	d := &DeviceSide{offer: cfg.Offer, keys: keysOfSecret(cfg.Offer.Secret), signKey: cfg.SignKey, random: cfg.Random}
	d.fields = fields{
		Key:  cfg.SignKey.Public().(ed25519.PublicKey),
		Name: cfg.DeviceName, Platform: cfg.Platform, Push: cfg.Push, Passkey: cfg.Passkey,
	}
	if !d.fields.fit() {
		return nil, ErrConfig
	}
	if err := abcrypto.CheckPublicKey(d.fields.Key); err != nil {
		return nil, err
	}
	return d, nil
}

// Hello returns the device's first message.
func (d *DeviceSide) Hello() []byte { return []byte{typeHello, Version} }

// PairBoxes returns the mailbox keys of this code.
func (d *DeviceSide) PairBoxes() Boxes { return d.keys.boxes }

// Confirm returns msg1, once the person agreed to pair with what the bundle
// names; called again, the same bytes. It takes e_d, N_d and a nonce, 76 bytes,
// from Random. Errors: ErrOrder, and what ended the pairing.
func (d *DeviceSide) Confirm() (msg1 []byte, err error) {
	if d.ended != nil {
		return nil, d.ended
	}
	if d.bundle == nil {
		return nil, ErrOrder
	}
	if d.msg1 == nil {
		if err := d.makeMsg1(); err != nil {
			return nil, err
		}
	}
	return d.msg1, nil
}

func (d *DeviceSide) makeMsg1() (err error) {
	if d.ephemeral, err = newX25519(d.random); err != nil {
		return err
	}
	if d.fields.Nonce, err = random32(d.random); err != nil {
		return err
	}
	if d.x, err = newExchange(d.offer.Secret, d.ephemeral, d.bundle.Ephemeral, d.h1); err != nil {
		return d.end(ErrUnproven)
	}
	public := [32]byte(d.ephemeral.PublicKey().Bytes())
	f := d.fields.marshal()
	sig := ed25519.Sign(d.signKey, pairBytes(d.h1, public, f))
	plain := append(appendLong(nil, f), sig...)
	box := abcrypto.SealBox(d.x.keyMsg1(), plain, aad(abcrypto.WordMsg1, d.h1), d.random)
	d.msg1 = append(append([]byte{typeMsg1}, public[:]...), box...)
	d.x.hashOfMsg1(d.msg1[1:])
	return nil
}

// end forgets every secret and keeps why.
func (d *DeviceSide) end(why error) error {
	d.ended = why
	clear(d.offer.Secret[:])
	clear(d.keys.bundle)
	clear(d.keys.stop)
	clear(d.fields.Nonce[:])
	d.ephemeral, d.signKey = nil, nil
	d.x = exchange{}
	return why
}
