package webpush

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"time"

	"answerback/relay"
)

var b64 = base64.RawURLEncoding

// request builds the POST of RFC 8030 section 5, with the headers of RFC 8188
// (Content-Encoding) and RFC 8292 (Authorization).
func (s *Sender) request(ctx context.Context, to target, p relay.Push) (*http.Request, error) {
	token, err := s.tokens.header(to.origin, time.Now())
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url.String(), bytes.NewReader(p.Body))
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Authorization", token)
	h.Set("Content-Encoding", "aes128gcm")
	h.Set("Content-Type", "application/octet-stream")
	h.Set("TTL", strconv.FormatUint(uint64(min(p.TTL, relay.MaxPushTTL)), 10))
	h.Set("Urgency", urgency(p.Urgency))
	h.Set("User-Agent", "answerback-relay")
	if p.Topic != (relay.Topic{}) {
		h.Set("Topic", b64.EncodeToString(p.Topic[:]))
	}
	if to.service.windows {
		h.Set("X-WNS-Cache-Policy", cachePolicy(p.TTL))
	}
	// Sent again on a connection that the service closed meanwhile: a push of the
	// same topic replaces the first. The empty header itself is not sent.
	h["X-Idempotency-Key"] = nil
	return req, nil
}

func urgency(u relay.Urgency) string {
	if u == relay.UrgencyHigh {
		return "high"
	}
	return "normal"
}

// cachePolicy agrees with the TTL, else Microsoft's service answers 400.
func cachePolicy(ttl uint32) string {
	if ttl == 0 {
		return "no-cache"
	}
	return "cache"
}

// drain reads a little of a body, so that the connection can be used again, and
// throws it away.
func drain(body io.ReadCloser) {
	io.CopyN(io.Discard, body, 4<<10)
	body.Close()
}

// longestRetry is the longest Retry-After that is passed on.
const longestRetry = 24 * time.Hour

// retryAfter reads Retry-After (RFC 9110 section 10.2.3): seconds, or a date.
// What is neither is 0.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, longestRetry)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), longestRetry)
}
