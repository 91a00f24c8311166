package relayserver

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"answerback/relay"
)

// Pusher hands a push to its push service and adds the relay's VAPID signature
// (RFC 8292). It decides which endpoints may be reached.
type Pusher interface {
	// Push returns the service's HTTP status, 0 when it was not reached, and
	// after how long to try again, 0 when the service named no time. It heeds ctx.
	Push(ctx context.Context, p relay.Push) (status int, retryAfter time.Duration)
	// PublicKey returns the VAPID key for GET /v1/info: base64url, 65 bytes.
	PublicKey() string
}

const (
	pushWithin = 15 * time.Second // one push, from connecting to its status
	maxPushing = 8                // pushes of one socket under way
)

// onPush serves PUSH. The push service is asked on the side, so that the
// agent's messages do not wait for it.
func (s *socket) onPush(frame []byte) error {
	p, err := relay.ParsePush(frame)
	switch {
	case err != nil:
		return s.bye(byeFor(err))
	case s.srv.opt.Push == nil:
		s.pushed(p.Tag, http.StatusNotImplemented, 0)
	case !s.listened.Load() || s.srv.private() && !s.token:
		s.pushed(p.Tag, http.StatusForbidden, 0)
	case !s.pushes.take(s.srv.pushRate, s.srv.now(), 1) || s.pushing.Load() >= maxPushing:
		s.pushed(p.Tag, http.StatusTooManyRequests, time.Minute)
	default:
		s.push(p)
	}
	return nil
}

func (s *socket) push(p relay.Push) {
	p.Body = bytes.Clone(p.Body)
	s.pushing.Add(1)
	s.srv.running.Add(1)
	go func() {
		defer s.srv.running.Done()
		defer s.pushing.Add(-1)
		ctx, cancel := context.WithTimeout(s.srv.pushes, pushWithin)
		defer cancel()
		status, after := s.srv.opt.Push.Push(ctx, p)
		s.pushed(p.Tag, status, after)
	}()
}

func (s *socket) pushed(tag relay.Tag, status int, after time.Duration) {
	f := relay.Pushed{Tag: tag, Status: uint16(min(max(status, 0), 999)), RetryAfter: uint32(min(max(after.Seconds(), 0), 86_400))}
	s.write(f.Append(appendHeader(make([]byte, 0, 2+15), opBinary, 15)))
}
