package relayclient

import (
	"context"
	"sync"

	"answerback/relay"
)

// inbox is a box that the client listens on.
type inbox struct {
	listen relay.Listen
	handle func(payload []byte)
	live   bool // LISTENING came in this session
}

// Listen has handle called for every message of the box with the keys r and w,
// in order, on a goroutine that all handlers share; it may send, and keep the
// payload. It listens again after every lost connection, until stop. A second
// Listen on the same box takes the place of the first. No more than
// [relay.MaxBoxes] boxes: the relay closes a connection that asks for more.
func (c *Client) Listen(r relay.ReaderKey, w relay.WriterKey, handle func(payload []byte)) (stop func()) {
	in := &inbox{listen: relay.Listen{R: r, HW: relay.HashW(w)}, handle: handle}
	box := in.listen.Box()
	c.mu.Lock()
	s := c.session
	if old := c.boxes[box]; old != nil {
		in.live, s = old.live, nil // it is asked for already
	}
	c.boxes[box] = in
	if s != nil {
		s.pending[box] = true
	}
	c.broadcast()
	c.mu.Unlock()
	s.tell(in.listen.Append(nil))
	return sync.OnceFunc(func() { c.unlisten(box, in) })
}

func (c *Client) unlisten(box relay.Box, in *inbox) {
	c.mu.Lock()
	if c.boxes[box] != in {
		c.mu.Unlock()
		return
	}
	delete(c.boxes, box)
	s := c.session
	if s != nil {
		s.arrived(box)
	}
	c.mu.Unlock()
	s.tell(relay.AppendLeave(nil, box))
}

// tell writes a frame that has no answer of its own. If it cannot, the
// connection is lost, and the next one starts from what is wanted then. A nil
// session is one that is yet to come.
func (s *session) tell(frame []byte) {
	if s != nil && s.write(frame) != nil {
		s.drop()
	}
}

// WaitListening waits until the relay listens for us on the box with the keys
// r and w, or for ctx. Whoever asks another to write there waits for it first.
func (c *Client) WaitListening(ctx context.Context, r relay.ReaderKey, w relay.WriterKey) error {
	box := relay.BoxFor(r, w)
	return c.until(ctx, func() bool {
		in := c.boxes[box]
		return in != nil && in.live
	})
}

// Admit has a private relay serve a box that others read and write, such as a
// device's inbox, until stop. It matters only with Options.Token. An Admit
// before a Listen is in force when [Client.WaitListening] returns for it.
func (c *Client) Admit(box relay.Box) (stop func()) {
	c.mu.Lock()
	c.admitted[box]++
	first, s := c.admitted[box] == 1, c.session
	c.broadcast()
	c.mu.Unlock()
	if first && c.opt.Token != "" {
		s.tell(relay.AppendAdmit(nil, box))
	}
	return sync.OnceFunc(func() { c.unadmit(box) })
}

func (c *Client) unadmit(box relay.Box) {
	c.mu.Lock()
	c.admitted[box]--
	last, s := c.admitted[box] == 0, c.session
	if last {
		delete(c.admitted, box)
	}
	c.mu.Unlock()
	if last && c.opt.Token != "" {
		s.tell(relay.AppendLeave(nil, box))
	}
}
