package relay

import (
	"encoding/binary"
	"strings"
)

// Urgency of a push (RFC 8030 section 5.3; the two of its four values that we
// use). The zero value is not valid.
type Urgency byte

// Urgencies.
const (
	UrgencyNormal Urgency = 1
	UrgencyHigh   Urgency = 2
)

// Topic replaces an undelivered push of the same topic (RFC 8030 section 5.4).
// On the wire to the push service it is 32 characters of base64url. The zero
// Topic means none.
type Topic [24]byte

// Push asks the relay to hand a body, encrypted already as RFC 8291 says, to a
// push service, with the relay's own VAPID signature (RFC 8292):
// PUSH tag(8) ttl(4) urgency(1) topic(24) len(2) endpoint body(1..MaxPushBody).
type Push struct {
	Tag      Tag
	TTL      uint32 // seconds, at most MaxPushTTL
	Urgency  Urgency
	Topic    Topic
	Endpoint string // https URL of the subscription (on loopback http, too), printable ASCII, at most MaxEndpoint
	Body     []byte // aliases the frame after ParsePush
}

// Append appends the frame to b. It does not check: a frame that is over a
// limit comes back as a parse error at the other end.
func (p Push) Append(b []byte) []byte {
	b = appendTag(b, TypePush, p.Tag)
	b = binary.BigEndian.AppendUint32(b, p.TTL)
	b = append(b, byte(p.Urgency))
	b = append(b, p.Topic[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(p.Endpoint)))
	b = append(b, p.Endpoint...)
	return append(b, p.Body...)
}

// ParsePush reads a PUSH frame. The body is not copied. Whether the endpoint
// is one that the relay may reach is for the relay to say.
func ParsePush(b []byte) (Push, error) {
	if err := atLeast(b, TypePush, pushHeader, pushHeader+MaxEndpoint+MaxPushBody); err != nil {
		return Push{}, err
	}
	p := Push{Tag: tagOf(b), TTL: binary.BigEndian.Uint32(b[9:13]), Urgency: Urgency(b[13]), Topic: Topic(b[14:38])}
	rest, n := b[pushHeader:], int(binary.BigEndian.Uint16(b[38:40]))
	if n >= len(rest) {
		return Push{}, bad(TypePush, ErrMalformed)
	}
	p.Endpoint, p.Body = string(rest[:n]), rest[n:]
	if err := p.check(); err != nil {
		return Push{}, err
	}
	return p, nil
}

func (p Push) check() error {
	switch {
	case len(p.Endpoint) > MaxEndpoint, len(p.Body) > MaxPushBody:
		return bad(TypePush, ErrTooLarge)
	case p.TTL > MaxPushTTL, p.Urgency != UrgencyNormal && p.Urgency != UrgencyHigh, !isURL(p.Endpoint):
		return bad(TypePush, ErrMalformed)
	}
	return nil
}

// isURL accepts https URLs of printable ASCII only, so that an endpoint can
// hide nothing from a log and break no header. A push service on the relay's own
// machine, of which the relay has to be told, may speak http.
func isURL(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "https://") || isLoopback(s)
}

func isLoopback(s string) bool {
	for _, origin := range []string{"http://localhost", "http://127.0.0.1", "http://[::1]"} {
		if rest, ok := strings.CutPrefix(s, origin); ok && rest != "" && (rest[0] == ':' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// Pushed is what the push service said: PUSHED tag(8) status(2) retry-after(4).
type Pushed struct {
	Tag        Tag
	Status     uint16 // its HTTP status; 501 when this relay sends no pushes, 0 when the service was not reached
	RetryAfter uint32 // seconds, 0 when it named none
}

// Append appends the frame to b.
func (p Pushed) Append(b []byte) []byte {
	b = appendTag(b, TypePushed, p.Tag)
	b = binary.BigEndian.AppendUint16(b, p.Status)
	return binary.BigEndian.AppendUint32(b, p.RetryAfter)
}

// ParsePushed reads a PUSHED frame.
func ParsePushed(b []byte) (Pushed, error) {
	if err := exact(b, TypePushed, pushedSize); err != nil {
		return Pushed{}, err
	}
	return Pushed{Tag: tagOf(b), Status: binary.BigEndian.Uint16(b[9:11]), RetryAfter: binary.BigEndian.Uint32(b[11:])}, nil
}
