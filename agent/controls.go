package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"answerback/agent/control"
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
	req, err := control.ParseRequest(body)
	if err != nil {
		s.fail(2, "this command and the agent are of different versions; restart the agent: answerback up")
		return
	}
	err = s.do(req)
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
	return &control.Error{Exit: 2, Text: fmt.Sprintf("the agent does not know %q; look at: answerback help", req.Do)}
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
