// Package doctor tests every part of a running answerback, live, and says of each what is and what to do. It changes nothing: its one call is
// marked as a probe, which the agent itself denies.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/cmd/answerback/internal/beside"
	"answerback/cmd/answerback/internal/voice"
	"answerback/hook/install"
)

// Level is how a row came out.
type Level string

// Levels. Only Fail makes the whole fail.
const (
	OK   Level = "ok"
	Warn Level = "warn"
	Note Level = "note"
	Fail Level = "fail"
)

// Row is one finding.
type Row struct {
	Level Level  `json:"level"`
	Name  string `json:"name"` // the part: agent, relay, clock, device, state, hook, probe, or a caller
	Text  string `json:"text"` // what is, then what to do
}

// Machine is what doctor looks at.
type Machine struct {
	Status  func(context.Context) (control.Status, error)
	Devices func(context.Context) ([]control.Device, error)
	// State and Socket are where an agent of this command line would live.
	State, Socket string
	// HTTP reaches the relay. It should follow no redirect and have a short timeout.
	HTTP *http.Client
	// App is the phone app inside this program, nil when it was built without one; Build is its id.
	App   fs.FS
	Build string
	// Version and Commit are this program's.
	Version, Commit string
	// Hook finds the hook's binary, Run starts it.
	Hook func() (string, error)
	Run  func(ctx context.Context, path string, stdin []byte, args ...string) (beside.Result, error)
	Now  func() time.Time
	// Installed lists the hook's entries in the callers' own files.
	Installed func() []install.Entry
}

// Examine runs all checks, in the order in which a person would look.
func (m Machine) Examine(ctx context.Context) []Row {
	status, err := m.Status(ctx)
	if err != nil {
		rows := []Row{notRunning(err)}
		rows = append(rows, m.state(m.State)...)
		_, found := m.hook()
		return append(rows, found...)
	}
	rows := m.agent(status)
	rows = append(rows, m.relay(ctx, status)...)
	rows = append(rows, m.devices(ctx)...)
	rows = append(rows, m.state(status.State)...)
	path, found := m.hook()
	rows = append(rows, found...)
	if path != "" {
		rows = append(rows, m.probe(ctx, path, status.Socket))
	}
	return append(rows, m.callers(ctx)...)
}

func notRunning(err error) Row {
	if errors.Is(err, control.ErrNotRunning) {
		return Row{Fail, "agent", "it is not running.  start it: answerback up, or for good: answerback service install"}
	}
	return Row{Fail, "agent", err.Error()}
}

func (m Machine) agent(s control.Status) []Row {
	up := m.Now().Sub(time.UnixMilli(s.Started))
	rows := []Row{{OK, "agent", fmt.Sprintf("%s, %s up, %s", card.Visible(s.Name), voice.For(up), voice.Size(s.MemoryBytes))}}
	if s.Version != m.Version {
		rows = append(rows, Row{Warn, "agent", fmt.Sprintf("it is version %s, and this program is %s.  restart the agent", card.Visible(s.Version), m.Version)})
	}
	if s.Trouble != "" {
		rows = append(rows, Row{Warn, "agent", s.Trouble})
	}
	if s.ClockTrouble != "" {
		rows = append(rows, Row{Warn, "clock", s.ClockTrouble})
	}
	return rows
}

// weekOld is how long a device may be silent before it is worth a word.
const weekOld = 7 * 24 * time.Hour

func (m Machine) devices(ctx context.Context) []Row {
	devices, err := m.Devices(ctx)
	switch {
	case err != nil:
		return []Row{{Fail, "device", err.Error()}}
	case len(devices) == 0:
		return []Row{{Warn, "device", "none is paired, so nobody can answer.  pair one: answerback pair"}}
	}
	var rows []Row
	for _, d := range devices {
		rows = append(rows, m.device(d))
	}
	return rows
}

func (m Machine) device(d control.Device) Row {
	silent := m.Now().Sub(time.UnixMilli(d.LastSeen))
	text := d.Name + " (" + d.Platform + ")" // visible already
	switch {
	case !d.Active:
		return Row{Warn, "device", text + ": its pairing was not finished.  remove it: answerback devices revoke " + d.ID}
	case d.SameMachine:
		return Row{Note, "device", text + " is on this machine: for trying out; what runs here as you could use it too"}
	case d.LastSeen != 0 && silent > weekOld && !d.Online:
		return Row{Warn, "device", text + " was last seen " + voice.For(silent) + " ago.  open the app once on it, or: answerback devices revoke " + d.ID}
	case d.Online:
		return Row{OK, "device", text + ", " + d.Role + ", online"}
	}
	return Row{OK, "device", text + ", " + d.Role + ", not online now"}
}
