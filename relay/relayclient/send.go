package relayclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"answerback/relay"
)

// ErrOffline says that there is no connection to the relay, or that it was lost
// before the relay's answer came.
var ErrOffline = errors.New("no connection to the relay")

// UnsentError says that a payload reached nobody, and why.
type UnsentError struct{ Reason relay.UnsentReason }

func (e *UnsentError) Error() string { return "not sent: " + e.Reason.String() }

// answerWithin bounds the wait for SENT or UNSENT. The relay itself takes at
// most a few seconds.
const answerWithin = 10 * time.Second

// Send hands payload to whoever reads the box with the keys r and w. It returns
// nil when the relay wrote it to a live reader's socket, *UnsentError when it
// reached nobody, ErrOffline without a connection, and else ctx's error. It
// waits for the relay's LISTENING on our own boxes first.
func (c *Client) Send(ctx context.Context, r relay.ReaderKey, w relay.WriterKey, payload []byte) error {
	switch {
	case len(payload) == 0:
		return errors.New("relayclient: send: the payload is empty")
	case len(payload) > relay.MaxPayload:
		return fmt.Errorf("relayclient: send: %w", &UnsentError{relay.UnsentTooLarge})
	}
	f := relay.Send{Tag: c.tag(), HR: relay.HashR(r), W: w, Payload: payload}
	a, err := c.ask(ctx, f.Tag, relay.TypeSend, f.Append(nil), answerWithin)
	if err == nil && a.unsent != 0 {
		err = &UnsentError{a.unsent}
	}
	if err != nil {
		return fmt.Errorf("relayclient: send: %w", err)
	}
	return nil
}

// Resend sends the same payload again and again, after 100 ms, then 1, 2, 4 ..
// 15 s with jitter, and at once when the connection comes back, until done is
// closed or ctx is done. SENT does not end it: only whoever opens the receipt
// knows that it arrived.
func (c *Client) Resend(ctx context.Context, r relay.ReaderKey, w relay.WriterKey, payload []byte, done <-chan struct{}) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-done:
			cancel()
		case <-ctx.Done():
		}
	}()
	for wait := 100 * time.Millisecond; ctx.Err() == nil; {
		err := c.Send(ctx, r, w, payload)
		offline := errors.Is(err, ErrOffline)
		if err != nil && ctx.Err() == nil {
			c.log.Debug("sending again", "err", err)
		}
		c.pause(ctx, jitter(wait), offline)
		wait = min(max(2*wait, time.Second), maxDelay)
	}
}

// pause sleeps, but no longer than until the connection is back, if it was lost.
func (c *Client) pause(ctx context.Context, d time.Duration, offline bool) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c.until(ctx, func() bool { return offline && c.joined })
}

// Push asks the relay to hand a push to its push service. It returns the
// service's HTTP status, 501 from a relay that sends no pushes, 0 if the
// service was not reached, and after how long to try again, 0 if unknown.
func (c *Client) Push(ctx context.Context, p relay.Push) (status int, retryAfter time.Duration, err error) {
	p.Tag = c.tag()
	frame := p.Append(nil)
	if _, err := relay.ParsePush(frame); err != nil {
		return 0, 0, fmt.Errorf("relayclient: push: %w", err)
	}
	a, err := c.ask(ctx, p.Tag, relay.TypePush, frame, 2*answerWithin)
	if err != nil {
		return 0, 0, fmt.Errorf("relayclient: push: %w", err)
	}
	return int(a.pushed.Status), time.Duration(a.pushed.RetryAfter) * time.Second, nil
}

func (c *Client) tag() relay.Tag { return relay.Tag(c.tags.Add(1)) }

// ask sends a frame and waits for the answer to its tag. A relay that gives
// none is taken for dead.
func (c *Client) ask(ctx context.Context, tag relay.Tag, kind relay.Type, frame []byte, within time.Duration) (answer, error) {
	s, err := c.ready(ctx)
	if err != nil {
		return answer{}, err
	}
	q := s.ask(tag, kind)
	defer s.forget(tag)
	if err := s.write(frame); err != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrOffline, err)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case a := <-q.answer:
		return a, nil
	case <-s.done:
		return answer{}, ErrOffline
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-timer.C:
		s.drop()
		return answer{}, &UnsentError{relay.UnsentTimeout}
	}
}

// ready returns the session once all its boxes are listened on.
func (c *Client) ready(ctx context.Context) (*session, error) {
	var s *session
	first := true
	err := c.until(ctx, func() bool {
		if first {
			s, first = c.session, false
		}
		return s == nil || c.session != s || len(s.pending) == 0 && c.joined
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == nil || c.session != s {
		return nil, ErrOffline
	}
	return s, nil
}

func (s *session) ask(tag relay.Tag, kind relay.Type) *question {
	q := &question{kind: kind, answer: make(chan answer, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[tag] = q
	return q
}

func (s *session) forget(tag relay.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, tag)
}
