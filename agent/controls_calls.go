package agent

import (
	"fmt"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/hook/caller"
)

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
		return &control.Error{Exit: 3, Text: card.Visible(req.ID) + " has just ended; see: answerback pending"}
	}
	row := rowOf(e, s.a.openIDs())
	return s.say(control.Reply{Pending: &row})
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
