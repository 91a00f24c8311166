package card

import (
	"encoding/base64"

	abcrypto "answerback/crypto"
)

// Hello is a device's first word after each connection. The agent answers with its state and every open card.
type Hello struct {
	App       string // the app's build
	Protocols []uint64
	Visible   bool // a person can see the app now
}

// Marshal writes the message's body.
func (h Hello) Marshal() ([]byte, error) { return finish("hello", MaxMessage, h.fields) }

// ParseHello reads a hello's body.
func ParseHello(b []byte) (Hello, error) { return parsed[Hello]("hello", b, MaxMessage) }

func (h *Hello) fields(f *fields) {
	f.text("app", &h.App, 0, MaxWord)
	numbers(f, "protocols", &h.Protocols, MaxProtocols)
	f.flag("visible", &h.Visible)
}

// Fetch asks for one card, which a push could only point to.
type Fetch struct{ Request RequestID }

// Marshal writes the message's body.
func (m Fetch) Marshal() ([]byte, error) { return finish("fetch", MaxMessage, m.fields) }

// ParseFetch reads a fetch's body.
func ParseFetch(b []byte) (Fetch, error) { return parsed[Fetch]("fetch", b, MaxMessage) }

func (m *Fetch) fields(f *fields) { f.hex("request_id", m.Request[:]) }

// Seen says that a device has a card, and whether on a page that a person can see. Without Visible the agent still pushes.
type Seen struct {
	Request RequestID
	Visible bool
}

// Marshal writes the message's body.
func (m Seen) Marshal() ([]byte, error) { return finish("seen", MaxMessage, m.fields) }

// ParseSeen reads a seen message's body.
func ParseSeen(b []byte) (Seen, error) { return parsed[Seen]("seen", b, MaxMessage) }

func (m *Seen) fields(f *fields) {
	f.hex("request_id", m.Request[:])
	f.flag("visible", &m.Visible)
}

// Push is a device's new push subscription (RFC 8030, RFC 8291): travels signed. All empty takes the subscription back.
type Push struct {
	Endpoint string
	P256DH   []byte // 65 bytes, uncompressed P-256 point
	Auth     []byte // 16 bytes
}

// Marshal writes the message's body.
func (m Push) Marshal() ([]byte, error) { return finish("push", MaxMessage, m.fields) }

// ParsePush reads a push message's body.
func ParsePush(b []byte) (Push, error) { return parsed[Push]("push", b, MaxMessage) }

func (m *Push) fields(f *fields) {
	f.text("endpoint", &m.Endpoint, 0, 2048)
	f.base64("p256dh", &m.P256DH, 65)
	f.base64("auth", &m.Auth, 16)
	f.check(f.err != nil || (m.Endpoint == "") == (len(m.P256DH) == 0) && (m.Endpoint == "") == (len(m.Auth) == 0), "endpoint", "and the keys go together")
}

// base64 is exactly size bytes, or none, in base64url without padding (RFC 4648, section 5).
func (f *fields) base64(name string, b *[]byte, size int) {
	text := base64.RawURLEncoding.EncodeToString(*b)
	f.text(name, &text, 0, 128)
	got, err := base64.RawURLEncoding.Strict().DecodeString(text)
	f.check(err == nil && (len(got) == 0 || len(got) == size), name, "is not base64url of the right length")
	if f.err == nil && !f.writing && len(got) > 0 {
		*b = got
	}
}

// Verb is what an admin message orders.
type Verb string

// The verbs of admin messages. Each travels signed, and what narrows holds at once.
const (
	Unpair       Verb = "unpair"        // this device itself
	RemoveDevice Verb = "remove_device" // Device
	Pause        Verb = "pause"         // for Minutes: calls are asked at the terminal, rules are off
	Resume       Verb = "resume"
	RemoveRule   Verb = "remove_rule" // Rule
	SetLock      Verb = "lock_screen" // LockScreen, of this device
	TestPush     Verb = "test_push"
)

// Admin is an admin message: what a device orders of its own accord.
type Admin struct {
	Action     Verb
	Device     *abcrypto.ID // with RemoveDevice
	Minutes    uint64       // with Pause
	Rule       *uint64      // with RemoveRule: RuleRow.ID
	LockScreen LockScreen   // with SetLock
}

// MaxPause is the longest pause in minutes: a day.
const MaxPause = 24 * 60

// Marshal writes the message's body.
func (m Admin) Marshal() ([]byte, error) { return finish("admin", MaxMessage, m.fields) }

// ParseAdmin reads an admin message's body.
func ParseAdmin(b []byte) (Admin, error) { return parsed[Admin]("admin", b, MaxMessage) }

// fields takes the members of the one action: a member of another is unknown here.
func (m *Admin) fields(f *fields) {
	word(f, "action", &m.Action, Unpair, RemoveDevice, Pause, Resume, RemoveRule, SetLock, TestPush)
	switch m.Action {
	case RemoveDevice:
		m.Device = orNew(m.Device)
		f.hex("device_id", m.Device[:])
	case Pause:
		f.number("minutes", &m.Minutes, 1, MaxPause)
	case RemoveRule:
		m.Rule = orNew(m.Rule)
		f.number("rule", m.Rule, 0, MaxNumber)
	case SetLock:
		word(f, "lock_screen", &m.LockScreen, LockAnswer, LockShow, LockHide)
	}
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
