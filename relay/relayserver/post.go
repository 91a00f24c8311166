package relayserver

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"answerback/relay"
)

// postWithin bounds the reading of a POST's body.
const postWithin = 10 * time.Second

// servePost serves POST /v1/send: one SEND frame, for a service worker that
// has no time to open a socket. With ?wait=N a LISTEN frame for a one-shot
// reply box stands before it, and the answer is the first message of that box.
//
//	200 the reply   204 sent   409 not sent, body: reason(1)   408 sent, no reply in time
//	400 malformed   403 origin   413 too large   429 too many   503 draining
func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if !s.originAllowed(r) {
		http.Error(w, "This origin may not use the relay.", http.StatusForbidden)
		return
	}
	allowOrigin(w, r)
	switch {
	case s.draining.Load():
		refuse(w, http.StatusServiceUnavailable, "The relay is restarting. Send again in a few seconds.")
	case !s.crowd.post(s.clientAddr(r), s.now()):
		refuse(w, http.StatusTooManyRequests, "Too many messages from this address. Send again in a few seconds.")
	default:
		s.post(w, r)
	}
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	wait, err := waitOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var buf frameBuffer
	defer buf.free()
	body, ok := readBody(w, r, &buf, wait > 0)
	if !ok {
		return
	}
	if wait == 0 {
		why, err := s.postSend(body)
		answerPost(w, why, err)
		return
	}
	s.postWait(w, r, body, wait)
}

// waitOf reads ?wait=N, whole seconds from 1 to 20; 0 when there is none.
func waitOf(r *http.Request) (time.Duration, error) {
	query := r.URL.Query()
	if !query.Has("wait") {
		return 0, nil
	}
	n, err := strconv.Atoi(query.Get("wait"))
	if err != nil || n < 1 || n > int(relay.MaxWait/time.Second) {
		return 0, errors.New("wait is a whole number of seconds from 1 to 20")
	}
	return time.Duration(n) * time.Second, nil
}

// readBody reads the body in postWithin. Then the deadline is taken off,
// because net/http watches the connection while the handler waits; but not
// after a failure, because net/http then reads on for the rest of the body.
func readBody(w http.ResponseWriter, r *http.Request, buf *frameBuffer, wait bool) ([]byte, bool) {
	limit := relay.MaxFrame
	if wait {
		limit += relay.ListenSize
	}
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(postWithin))
	body, err := buf.read(r.Body, limit)
	if err == nil {
		rc.SetReadDeadline(time.Time{})
		return body, true
	}
	if errors.Is(err, errLimit) {
		io.CopyN(io.Discard, r.Body, relay.MaxFrame) // a client that is still writing would see a reset, not this answer
		http.Error(w, "The message is too large.", http.StatusRequestEntityTooLarge)
	} else {
		w.Header().Set("Connection", "close")
		http.Error(w, "The body did not come whole.", http.StatusBadRequest)
	}
	return nil, false
}

// postSend forwards one SEND frame.
func (s *Server) postSend(frame []byte) (relay.UnsentReason, error) {
	f, err := relay.ParseSend(frame)
	if err != nil {
		return 0, err
	}
	return s.forward(f.Box(), frame), nil
}

// answerPost writes the answer of a POST that does not wait for a reply.
func answerPost(w http.ResponseWriter, why relay.UnsentReason, err error) {
	switch {
	case errors.Is(err, relay.ErrTooLarge):
		http.Error(w, "The message is too large.", http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "The body is one SEND frame, after one LISTEN frame when wait is given.", http.StatusBadRequest)
	case why == 0:
		w.WriteHeader(http.StatusNoContent)
	default:
		unsent(w, why)
	}
}

// unsent answers with the reason as the whole body.
func unsent(w http.ResponseWriter, why relay.UnsentReason) {
	status := http.StatusConflict
	if why == relay.UnsentRate {
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", "5")
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.WriteHeader(status)
	w.Write([]byte{byte(why)})
}

// postWait listens on the reply box, sends, and waits.
func (s *Server) postWait(w http.ResponseWriter, r *http.Request, body []byte, wait time.Duration) {
	split := min(relay.ListenSize, len(body))
	listen, err := relay.ParseListen(body[:split])
	if err != nil {
		answerPost(w, 0, err)
		return
	}
	send, err := relay.ParseSend(body[split:])
	if err != nil {
		answerPost(w, 0, err)
		return
	}
	if !s.serves(send.Box()) {
		unsent(w, relay.UnsentNotAdmitted)
		return
	}
	wt := &waiter{reply: make(chan []byte, 1)}
	leave, ok := s.await(listen.Box(), wt)
	if !ok {
		refuse(w, http.StatusTooManyRequests, "Too many wait for a reply. Send again in a few seconds.")
		return
	}
	defer leave()
	if why := s.forward(send.Box(), body[split:]); why != 0 {
		unsent(w, why)
		return
	}
	s.reply(w, r, wt, wait)
}

// await makes wt a reader of the reply box, for as long as its POST lives; a
// private relay serves the box for that long.
func (s *Server) await(box relay.Box, wt *waiter) (leave func(), ok bool) {
	if !s.crowd.wait() {
		return nil, false
	}
	if s.bus.Join(box, wt) != nil {
		s.crowd.done()
		return nil, false
	}
	s.admits.add(box)
	return func() {
		s.admits.remove(box)
		s.bus.Leave(box, wt)
		s.crowd.done()
	}, true
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, wt *waiter, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case payload := <-wt.reply:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(payload)
	case <-timer.C:
		http.Error(w, "Sent, but no reply came in time.", http.StatusRequestTimeout)
	case <-s.drained:
		refuse(w, http.StatusServiceUnavailable, "Sent, but the relay is restarting. Send again in a few seconds.")
	case <-r.Context().Done():
	}
}

// waiter is the reader of a one-shot reply box: it takes the first message.
type waiter struct {
	reply chan []byte // has room for one
	taken atomic.Bool
}

// Take implements [Reader].
func (w *waiter) Take(m Message) relay.UnsentReason {
	if w.taken.Swap(true) {
		return relay.UnsentNobody
	}
	w.reply <- bytes.Clone(m.Payload())
	return 0
}

// Alive implements [Reader]: a POST ends by itself.
func (w *waiter) Alive(time.Duration) bool { return true }
