// Package control is how the command line talks to a running agent: one JSON object a line, both ways, on the agent's socket,
// opened by one CONTROL frame (hook.TypeControl) that holds the request. No verb yields an Allow: a local process can look, take an Allow
// away (deny, release, revoke), or begin a pairing that a person finishes with digits.
package control

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Version of the verbs below; the agent refuses another one with a sentence.
const Version = 1

// Request is what the command line asks. Do names the verb; the other fields belong to the verbs named beside them.
type Request struct {
	Version int    `json:"version"`
	Do      string `json:"do"`
	ID      string `json:"id,omitempty"`     // deny, release, pending: short id, or a request id in hex
	Words   string `json:"words,omitempty"`  // deny: what the caller is told
	Device  string `json:"device,omitempty"` // revoke: device id, or its name when only one device has it
	From    uint64 `json:"from,omitempty"`   // log: first record
	Count   int    `json:"count,omitempty"`  // log: at most so many records; 0 is 100. Negative: the last so many
}

// ErrRequest is returned for bytes that are no request of this version.
var ErrRequest = errors.New("control: read request: it is not exactly of this version's form; restart the agent: answerback up")

// ParseRequest reads what Dial has written, and nothing else: what would print as other bytes (an unknown or repeated member, white space, bytes
// behind the end) is refused.
func ParseRequest(body []byte) (Request, error) {
	var req Request
	if err := json.Unmarshal(body, &req); err != nil || req.Version != Version {
		return Request{}, ErrRequest
	}
	if again, err := json.Marshal(req); err != nil || !bytes.Equal(again, body) {
		return Request{}, ErrRequest
	}
	return req, nil
}

// Verbs.
const (
	DoStatus  = "status"  // -> Status
	DoPending = "pending" // -> Pending, one a line
	DoDeny    = "deny"    // -> nothing
	DoRelease = "release" // -> nothing
	DoDevices = "devices" // -> Device, one a line
	DoRevoke  = "revoke"  // -> Device
	DoPair    = "pair"    // -> PairEvent, one a line; takes PairInput lines
	DoLog     = "log"     // -> Record, one a line
	DoStop    = "stop"    // -> nothing; the agent ends
)

// Reply is one line from the agent. Exactly one field is set; the last line is Done or Error.
type Reply struct {
	Status  *Status    `json:"status,omitempty"`
	Pending *Pending   `json:"pending,omitempty"`
	Device  *Device    `json:"device,omitempty"`
	Pair    *PairEvent `json:"pair,omitempty"`
	Record  *Record    `json:"record,omitempty"`
	Done    bool       `json:"done,omitempty"`
	Error   *Error     `json:"error,omitempty"`
}

// Error is a sentence for the person and the exit code that the command ends with.
type Error struct {
	Text string `json:"text"`
	Exit int    `json:"exit"` // 1 failed, 2 wrong use, 3 there is nothing such, 4 refused by a rule of safety
}

func (e *Error) Error() string { return e.Text }

// Status is what `up` and `doctor` show.
type Status struct {
	Name         string `json:"name"`
	Host         string `json:"host"`
	Agent        string `json:"agent"` // agent id, hex
	Version      string `json:"version"`
	PID          int    `json:"pid"`
	Started      int64  `json:"started"` // ms since 1970 UTC
	State        string `json:"state"`
	Socket       string `json:"socket"`
	Relay        string `json:"relay"`
	AppOrigin    string `json:"app_origin"`
	Connected    bool   `json:"connected"` // the link to the relay is up
	Trouble      string `json:"trouble,omitempty"`
	Devices      int    `json:"devices"`
	SameMachine  int    `json:"same_machine"` // how many of them are on this machine
	Open         int    `json:"open"`
	LogSize      uint64 `json:"log_size"`
	LogRoot      string `json:"log_root"`
	MemoryBytes  uint64 `json:"memory_bytes"`
	Calls        uint64 `json:"calls"` // calls decided since the start
	ClockTrouble string `json:"clock_trouble,omitempty"`
}

// Pending is one open call.
type Pending struct {
	ID        string `json:"id"` // short id
	RequestID string `json:"request_id"`
	Kind      string `json:"kind"`
	Caller    string `json:"caller"`
	Session   string `json:"session,omitempty"`
	Folder    string `json:"folder"`
	Class     string `json:"class"`
	Tool      string `json:"tool"`
	Summary   string `json:"summary"` // one line; hidden characters are visible already
	Input     string `json:"input"`   // the caller's raw JSON
	Made      int64  `json:"made"`
	Expires   int64  `json:"expires"`
	Sent      int    `json:"sent"` // devices that the card reached
}

// Device is one device of the roster.
type Device struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Platform    string `json:"platform"`
	Role        string `json:"role"`
	SameMachine bool   `json:"same_machine"`
	Online      bool   `json:"online"`
	Paired      int64  `json:"paired"`
	LastSeen    int64  `json:"last_seen"`
	Active      bool   `json:"active"`
}

// PairEvent is a step of a pairing. Event is one of code, locked, wrong, admission, paired.
type PairEvent struct {
	Event       string   `json:"event"`
	Link        string   `json:"link,omitempty"`     // code: to open or paste
	QR          string   `json:"qr,omitempty"`       // code: the same link in the upper-case form that a QR holds
	Loopback    bool     `json:"loopback,omitempty"` // code: no phone could open it
	Expires     int64    `json:"expires,omitempty"`  // code
	Name        string   `json:"name,omitempty"`     // locked, paired
	Platform    string   `json:"platform,omitempty"`
	Left        int      `json:"left,omitempty"`  // wrong: tries left
	Asked       []string `json:"asked,omitempty"` // admission: names of the devices asked
	Device      string   `json:"device,omitempty"`
	SameMachine bool     `json:"same_machine,omitempty"`
	Retired     []string `json:"retired,omitempty"` // paired: names of same-machine devices that a real phone retired
}

// PairInput is a line from the person's terminal.
type PairInput struct {
	Digits string `json:"digits,omitempty"`
	Cancel bool   `json:"cancel,omitempty"`
}

// Record is one record of the log.
type Record struct {
	Index uint64 `json:"index"`
	JSON  string `json:"json"` // the record's exact bytes
}
