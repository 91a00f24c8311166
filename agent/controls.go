package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/hook/caller"
)

// session is one conversation of the command line with the agent.
type session struct {
	a  *Agent
	c  *net.UnixConn
	mu sync.Mutex
}

// control answers one request of the command line. No verb here can lead to an Allow: the words for it do not exist.
func (a *Agent) control(c *net.UnixConn, body []byte) {
	s := &session{a: a, c: c}
	var req control.Request
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&req); err != nil || req.Version != control.Version {
		s.fail(2, "this command and the agent are of different versions; restart the agent: answerback up")
		return
	}
	err := s.do(req)
	var told *control.Error
	switch {
	case errors.As(err, &told):
		s.say(control.Reply{Error: told})
	case err != nil:
		s.fail(1, err.Error())
	default:
		s.say(control.Reply{Done: true})
	}
}

func (s *session) do(req control.Request) error {
	switch req.Do {
	case control.DoStatus:
		status := s.a.Status()
		return s.say(control.Reply{Status: &status})
	case control.DoPending:
		return s.pending(req)
	case control.DoDeny, control.DoRelease:
		return s.end(req)
	case control.DoDevices:
		return s.devices()
	case control.DoRevoke:
		return s.revoke(req)
	case control.DoPair:
		return s.pair()
	case control.DoLog:
		return s.log(req)
	case control.DoStop:
		s.a.Stop()
		return nil
	}
	return &control.Error{Exit: 2, Text: fmt.Sprintf("the agent does not know %q", req.Do)}
}

// say writes one line.
func (s *session) say(r control.Reply) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.c.SetWriteDeadline(time.Now().Add(5 * time.Second))
	_, err = s.c.Write(append(line, '\n'))
	return err
}

func (s *session) fail(exit int, text string) {
	s.say(control.Reply{Error: &control.Error{Exit: exit, Text: text}})
}

// Status is what `up` and `doctor` show.
func (a *Agent) Status() control.Status {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	head := a.ledger.Head()
	s := control.Status{Name: a.opts.Name, Host: a.opts.Host, Agent: a.id.String(), Version: a.opts.Version, PID: pid, Started: a.started.UnixMilli(),
		State: a.opts.State, Socket: a.opts.Socket, Relay: a.opts.RelayURL, AppOrigin: a.opts.AppOrigin, Connected: a.link.Connected(),
		Open: len(a.pending.all()), LogSize: head.Size, LogRoot: fmt.Sprintf("%x", head.Root), MemoryBytes: residentBytes(m.Sys)}
	for _, p := range a.activePeers() {
		s.Devices++
		if p.device().SameMachine {
			s.SameMachine++
		}
	}
	a.mu.Lock()
	s.Calls = a.calls
	a.mu.Unlock()
	return s
}

// pending lists the open calls, or shows one.
func (s *session) pending(req control.Request) error {
	open := s.a.pending.all()
	if req.ID != "" {
		e, err := s.a.openCall(req.ID)
		if err != nil {
			return err
		}
		open = []*entry{e}
	}
	ids := s.a.openIDs()
	for _, e := range open {
		row := rowOf(e, ids)
		if err := s.say(control.Reply{Pending: &row}); err != nil {
			return err
		}
	}
	return nil
}

func rowOf(e *entry, ids []requestID) control.Pending {
	c := e.Card
	return control.Pending{ID: card.ShortID(e.id, ids...), RequestID: e.id.String(), Kind: string(c.Kind), Caller: c.Caller, Session: c.Session,
		Folder: c.Folder, Class: string(c.Class), Tool: c.Tool, Summary: card.Visible(caller.Summary(e.call)), Input: c.Input, Made: int64(c.Made),
		Expires: int64(c.Expires), Sent: e.reachedCount()}
}

func (a *Agent) openIDs() []requestID {
	var ids []requestID
	for _, e := range a.pending.all() {
		ids = append(ids, e.id)
	}
	return ids
}

// openCall finds an open call by its short id or its request id.
func (a *Agent) openCall(id string) (*entry, error) {
	ids := a.openIDs()
	for _, e := range a.pending.all() {
		if id == card.ShortID(e.id, ids...) || id == e.id.String() {
			return e, nil
		}
	}
	return nil, &control.Error{Exit: 3, Text: fmt.Sprintf("no open call is called %s; see: answerback pending", card.Visible(id))}
}

// end takes an Allow away: the call is denied, or handed back to the caller's own prompt.
func (s *session) end(req control.Request) error {
	e, err := s.a.openCall(req.ID)
	if err != nil {
		return err
	}
	o := outcome{how: released, at: time.Now()}
	if req.Do == control.DoDeny {
		o.how, o.words = denied, req.Words
	}
	if !s.a.pending.settle(e, o) {
		return &control.Error{Exit: 3, Text: req.ID + " has just ended"}
	}
	row := rowOf(e, s.a.openIDs())
	return s.say(control.Reply{Pending: &row})
}

func (s *session) devices() error {
	for _, p := range s.a.allPeers() {
		row := deviceRow(p)
		if err := s.say(control.Reply{Device: &row}); err != nil {
			return err
		}
	}
	return nil
}

func deviceRow(p *peer) control.Device {
	d := p.device()
	return control.Device{ID: d.ID.String(), Name: card.Visible(d.Name), Platform: card.Visible(d.Platform), Role: string(d.Role), SameMachine: d.SameMachine,
		Online: p.isOnline(), Paired: int64(d.Paired), LastSeen: int64(d.LastSeen), Active: d.Active}
}

// revoke removes a device at once.
func (s *session) revoke(req control.Request) error {
	p, err := s.a.deviceCalled(req.Device)
	if err != nil {
		return err
	}
	row := deviceRow(p)
	if err := s.a.remove(p.device().ID, "revoked at the terminal"); err != nil {
		return err
	}
	return s.say(control.Reply{Device: &row})
}

// deviceCalled finds a device by id, by the beginning of its id, or by its name.
func (a *Agent) deviceCalled(name string) (*peer, error) {
	var found []*peer
	for _, p := range a.allPeers() {
		d := p.device()
		if d.Name == name || card.Visible(d.Name) == name || len(name) >= 4 && strings.HasPrefix(d.ID.String(), name) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &control.Error{Exit: 3, Text: fmt.Sprintf("no device is called %s; see: answerback devices", card.Visible(name))}
	}
	return nil, &control.Error{Exit: 2, Text: fmt.Sprintf("%d devices are called %s; name it by its id, see: answerback devices", len(found), card.Visible(name))}
}

// pair runs a pairing for the person at this connection.
func (s *session) pair() error {
	ctx, cancel := context.WithCancel(s.a.ctx)
	defer cancel()
	input := make(chan control.PairInput)
	go s.read(ctx, input)
	return s.a.pairNow(ctx, talk{input: input, say: func(e control.PairEvent) {
		if s.say(control.Reply{Pair: &e}) != nil {
			cancel()
		}
	}})
}

// read takes the person's lines until the terminal is gone.
func (s *session) read(ctx context.Context, out chan<- control.PairInput) {
	defer close(out)
	lines := bufio.NewScanner(s.c)
	for lines.Scan() {
		var in control.PairInput
		if json.Unmarshal(lines.Bytes(), &in) != nil {
			return
		}
		select {
		case out <- in:
		case <-ctx.Done():
			return
		}
	}
}

// maxLogLines bounds one answer to `log show`.
const maxLogLines = 10_000

// log sends records, oldest first.
func (s *session) log(req control.Request) error {
	size := s.a.ledger.Head().Size
	count := min(uint64(max(req.Count, -req.Count, 0)), maxLogLines)
	if count == 0 {
		count = 100
	}
	from := req.From
	if req.Count < 0 && size > count {
		from = size - count
	}
	to := min(size, from+count)
	if from >= to {
		return nil
	}
	return s.a.ledger.Records(from, to, func(index uint64, leaf []byte) error {
		return s.say(control.Reply{Record: &control.Record{Index: index, JSON: string(leaf)}})
	})
}
