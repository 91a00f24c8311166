package pairing

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"io"

	abcrypto "answerback/crypto"
)

// maxTries is how often digits may be typed.
const maxTries = 3

// AgentConfig is what an agent says of itself in one code. All of it is needed.
type AgentConfig struct {
	SignKey             ed25519.PrivateKey // A_sig
	AgentName, HostName string             // 1 to MaxName bytes
	RelayURL, AppOrigin string             // http or https
	ExpiresMS           uint64             // when the code ends
	Random              io.Reader          // crypto/rand.Reader but for vectors
}

// AgentSide is the agent's half of one pairing, good for one code. It is used by
// one goroutine. Its order: Offer is drawn; Receive answers what comes until its
// event says which device locked the code; Digits until they are right; Finish.
// Stop ends it at any time. After an end every secret is gone.
type AgentSide struct {
	signKey   ed25519.PrivateKey
	random    io.Reader
	offer     Offer
	keys      secretKeys
	ephemeral *ecdh.PrivateKey // e_a
	nonceA    [32]byte         // N_a
	bundle    Bundle
	h1        [32]byte
	bundleMsg []byte // as sent
	lock      *lock
	tries     int
	proven    bool   // the right digits were typed
	msg3      []byte // set by Finish
	stop      []byte // set by Stop
	stopErr   error
}

// lock is the device that came first.
type lock struct {
	msg1, msg2 []byte
	fields     fields
	x          exchange
}

// NewAgentSide makes a code. It takes s, e_a, N_a and a nonce, 108 bytes, from
// Random. Errors: ErrConfig, crypto.ErrKey.
func NewAgentSide(cfg AgentConfig) (*AgentSide, error) {
	if len(cfg.SignKey) != ed25519.PrivateKeySize || cfg.Random == nil {
		return nil, ErrConfig
	}
	a := &AgentSide{signKey: cfg.SignKey, random: cfg.Random}
	if err := a.draw(); err != nil {
		return nil, err
	}
	a.bundle = Bundle{
		AgentKey:   cfg.SignKey.Public().(ed25519.PublicKey),
		Ephemeral:  [32]byte(a.ephemeral.PublicKey().Bytes()),
		Commitment: commitment(a.nonceA),
		ExpiresMS:  cfg.ExpiresMS,
		AgentName:  cfg.AgentName, HostName: cfg.HostName,
		RelayURL: cfg.RelayURL, AppOrigin: cfg.AppOrigin,
	}
	if !a.bundle.fits() {
		return nil, ErrConfig
	}
	if err := abcrypto.CheckPublicKey(a.bundle.AgentKey); err != nil {
		return nil, err
	}
	a.sealBundle()
	return a, nil
}

// draw takes the code's three secrets.
func (a *AgentSide) draw() (err error) {
	if a.offer.Secret, err = random32(a.random); err != nil {
		return err
	}
	if a.ephemeral, err = newX25519(a.random); err != nil {
		return err
	}
	a.nonceA, err = random32(a.random)
	return err
}

func (a *AgentSide) sealBundle() {
	b := a.bundle.Marshal()
	a.keys = keysOfSecret(a.offer.Secret)
	a.offer.Fingerprint = fingerprint(b)
	a.h1 = abcrypto.Hash(abcrypto.WordT1, b)
	box := abcrypto.SealBox(a.keys.bundle, b, abcrypto.Label(abcrypto.WordBundle), a.random)
	a.bundleMsg = append([]byte{typeBundle}, box...)
}

// Offer returns what the QR code carries. It is empty after the end.
func (a *AgentSide) Offer() Offer { return a.offer }

// PairBoxes returns the mailbox keys of this code.
func (a *AgentSide) PairBoxes() Boxes { return a.keys.boxes }

// Stop ends the pairing and returns the message that tells the device why.
// Called again, it returns the first one; after Finish it does nothing and
// returns nil.
func (a *AgentSide) Stop(reason Reason) []byte { return a.end(reason, ErrEnded) }

func (a *AgentSide) end(reason Reason, why error) []byte {
	if a.stop == nil && a.msg3 == nil {
		box := abcrypto.SealBox(a.keys.stop, []byte{byte(reason)}, aad(abcrypto.WordStop, a.h1), a.random)
		a.stop, a.stopErr = append([]byte{typeStop}, box...), why
		a.wipe()
	}
	return a.stop
}

// wipe forgets s, e_a, N_a, and all that was derived from them but the mailboxes'
// keys. What is in the memory of the runtime's own copies it cannot reach.
func (a *AgentSide) wipe() {
	clear(a.offer.Secret[:])
	clear(a.nonceA[:])
	clear(a.keys.bundle)
	clear(a.keys.stop)
	a.ephemeral = nil
	a.proven = false
	if a.lock != nil {
		a.lock.x = exchange{}
	}
}
