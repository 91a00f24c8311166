// Package webpush is the relay's way to the push services of the browsers: it
// adds the relay's own signature (RFC 8292) to a body that an agent encrypted
// (RFC 8291), posts it (RFC 8030), and tells only the status and Retry-After.
//
// An endpoint is a URL that a stranger chose, so it is believed nothing: its
// host has to be a browser's push service or one that the operator named, the
// address is looked at when it is dialled and not before, no redirect is
// followed, no proxy is used, and of the answer's body nothing is told.
//
// The key is the relay's only lasting secret. It reads nothing: whoever has it
// can, together with an endpoint that was made for it, ring a phone for nothing.
package webpush

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"answerback/relay"
)

// Options configure a [Sender]. Only Key is needed.
type Options struct {
	// Key signs. It is P-256; [Key] reads or makes one.
	Key *ecdsa.PrivateKey

	// Subject is the "sub" claim, from [Subject]: whom a push service asks when
	// something is wrong. Empty: Apple's service gets no push (it refuses such
	// tokens), the others are told https://localhost (they want some claim).
	Subject string

	// Hosts are further push services, "HOST" or "HOST:PORT" (default 443), to
	// be reached over https; on loopback names over http, too. A host on this
	// list may have a private address.
	Hosts []string

	// RootCAs are who may vouch for a push service. Nil: whom the system trusts.
	RootCAs *x509.CertPool

	// Log gets the service's name and status when a push fails, at most one line
	// of a kind a minute; never an endpoint, a body or an address. Nil: nothing.
	Log *slog.Logger
}

// Sender sends pushes. It is safe for use by many goroutines.
type Sender struct {
	services services
	tokens   *tokens
	rates    *rates
	http     *http.Transport
	log      *quietLog
}

// New returns a sender; its error is a sentence about a wrong option.
func New(o Options) (*Sender, error) {
	if !isP256(o.Key) {
		return nil, errors.New("webpush: the key is no P-256 key")
	}
	list, err := listServices(o.Hosts)
	if err != nil {
		return nil, err
	}
	d := &dialer{services: list}
	return &Sender{services: list, tokens: newTokens(o.Key, o.Subject), rates: newRates(), http: newTransport(d, o.RootCAs), log: newQuietLog(o.Log)}, nil
}

// PublicKey returns what browsers subscribe with and GET /v1/info tells: the
// uncompressed point, 65 bytes in base64url.
func (s *Sender) PublicKey() string { return s.tokens.public }

// Statuses that are the sender's own. The rest is the push service's.
const (
	notReached  = 0                                // no answer in time, a refused address, no such host
	notOnList   = http.StatusMisdirectedRequest    // 421: an endpoint that this relay does not push to
	tooLarge    = http.StatusRequestEntityTooLarge // 413
	tooMany     = http.StatusTooManyRequests       // 429: over the rate of this endpoint
	withoutName = http.StatusNotImplemented        // 501: Apple's service, and the relay has no contact
)

// Push posts one push and returns the service's status and Retry-After, or one
// of the sender's own statuses. It ends with ctx, or after [within].
func (s *Sender) Push(ctx context.Context, p relay.Push) (status int, retryAfter time.Duration) {
	to, err := s.services.find(p.Endpoint)
	switch {
	case err != nil:
		s.log.say(to.host, notOnList, "a push to a service that is not on the list; if it is yours, name it with --push-host")
		return notOnList, 0
	case len(p.Body) > relay.MaxPushBody:
		return tooLarge, 0
	case s.tokens.subject == "" && to.service.wantsSubject:
		s.log.say(to.service.name, withoutName, "this push service takes no push from a relay without a contact; give --contact")
		return withoutName, 0
	}
	if wait := s.rates.take(to.url.String(), time.Now()); wait > 0 {
		return tooMany, wait
	}
	return s.post(ctx, to, p)
}

// within bounds one push where ctx does not.
const within = 15 * time.Second

func (s *Sender) post(ctx context.Context, to target, p relay.Push) (int, time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := s.request(ctx, to, p)
	if err != nil {
		return notReached, 0
	}
	resp, err := s.http.RoundTrip(req) // and not Client.Do, which follows redirects
	if err != nil {
		s.log.say(to.service.name, notReached, "a push service was not reached: "+kind(err))
		return notReached, 0
	}
	drain(resp.Body)
	if resp.StatusCode/100 != 2 {
		s.log.say(to.service.name, resp.StatusCode, "a push service refused a push")
	}
	return resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), time.Now())
}
