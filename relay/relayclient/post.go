package relayclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"answerback/relay"
)

// ErrNoReply says that the message was sent, but no reply came in time.
var ErrNoReply = errors.New("sent, but no reply came in time")

// Post sends one SEND frame without a connection of its own, as a service
// worker does. With a wait (whole seconds, at most [relay.MaxWait]) reply names
// a one-shot reply box, whose first message is returned; without, reply is not
// used and nil is returned. Errors: *UnsentError, ErrNoReply, *RefusedError,
// and those of HTTP. A nil client is http.DefaultClient; the relay's answer
// comes within wait and a few seconds, so ctx should allow for that.
func Post(ctx context.Context, client *http.Client, baseURL string, reply relay.Listen, send relay.Send, wait time.Duration) ([]byte, error) {
	payload, err := post(ctx, client, baseURL, reply, send, int(wait/time.Second))
	if err != nil {
		return nil, fmt.Errorf("relayclient: post: %w", err)
	}
	return payload, nil
}

func post(ctx context.Context, client *http.Client, baseURL string, reply relay.Listen, send relay.Send, seconds int) ([]byte, error) {
	target, err := url.JoinPath(baseURL, "/v1/send")
	if err != nil {
		return nil, err
	}
	var body []byte
	if seconds > 0 {
		target += "?wait=" + strconv.Itoa(seconds)
		body = reply.Append(body)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(send.Append(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, relay.MaxFrame))
	if err != nil {
		return nil, err
	}
	return postAnswer(resp, got)
}

func postAnswer(resp *http.Response, body []byte) ([]byte, error) {
	switch resp.StatusCode {
	case http.StatusOK:
		return body, nil
	case http.StatusNoContent:
		return nil, nil
	case http.StatusRequestTimeout:
		return nil, ErrNoReply
	case http.StatusRequestEntityTooLarge:
		return nil, &UnsentError{relay.UnsentTooLarge}
	case http.StatusConflict, http.StatusTooManyRequests:
		if len(body) == 1 && relay.UnsentReason(body[0]).Valid() {
			return nil, &UnsentError{relay.UnsentReason(body[0])}
		}
	}
	return nil, refusal(resp, nil)
}
