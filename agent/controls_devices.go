package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"answerback/agent/card"
	"answerback/agent/control"
)

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
	ctx, cancel := context.WithCancel(s.a.serving)
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
