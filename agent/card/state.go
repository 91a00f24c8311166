package card

import abcrypto "answerback/crypto"

// MaxState is the largest body of a state in bytes.
const MaxState = abcrypto.MaxBody

// Bounds of a state, in items.
const (
	MaxDevices   = 64
	MaxOpen      = 100
	MaxRuleRows  = 256
	MaxCallers   = 64
	MaxProtocols = 16
)

// Role is what a device may do.
type Role string

// The roles. The zero value may do nothing.
const (
	Approver Role = "approver"
	Watcher  Role = "watcher" // sees cards and answers none
)

// LockScreen is what a device's lock screen may show of a call. The zero value is "not chosen yet": only that something waits.
type LockScreen string

// The choices for the lock screen.
const (
	LockUnset  LockScreen = ""
	LockAnswer LockScreen = "answer" // the call, with Allow where it is routine
	LockShow   LockScreen = "show"   // the call, Allow in the app only
	LockHide   LockScreen = "hide"   // the names of machine and caller
)

// State is what the agent tells a device about itself, in answer to hello and whenever something of it changes.
type State struct {
	Seq        uint64 // goes up with every settled and state of one agent
	Version    string // the agent's build
	Protocols  []uint64
	Instance   [16]byte // anew at each start, so that a copied state folder shows
	Agent      string   // the agent's name
	Host       string
	Time       uint64 // the agent's clock, ms
	Devices    []Device
	RosterHash [32]byte
	Rules      []RuleRow
	Callers    []Caller
	PauseUntil uint64     // ms; 0 is no pause
	LockScreen LockScreen // of the device that this state is for
	LastPush   uint64     // ms, when this device last confirmed a push; 0 is never
	Push       PushHealth // of this device's push subscription, as the agent has it
	Log        Log
	Open       []RequestID
}

// PushHealth says whether pushes reach a device.
type PushHealth string

// The states of a device's push subscription.
const (
	PushNone   PushHealth = ""       // the agent has none
	PushGood   PushHealth = "good"   // as far as the agent knows
	PushRepair PushHealth = "repair" // the push service refuses it, or it is gone: the device repairs it when its app opens
)

// Device is one row of the roster as people see it.
type Device struct {
	ID          abcrypto.ID
	Name        string
	Platform    string
	Role        Role
	SameMachine bool
	Passkey     bool
	LastSeen    uint64 // ms; 0 is never
	Paired      uint64 // ms
}

// RuleRow is one rule that holds.
type RuleRow struct {
	ID     uint64
	Rule   Rule
	Device string // whose answer signed it
	Made   uint64
	Used   uint64 // how many times; Rule.Uses is how many are left, 0 any number
	Last   uint64 // ms; 0 is never
	Pinned []Pin
}

// Caller is one caller that has asked here.
type Caller struct {
	Name     string
	LastSeen uint64
	Answers  bool // false: it asks in its own terminal only, so its calls have no buttons
}

// Marshal writes the state's body.
func (s State) Marshal() ([]byte, error) { return finish("state", MaxState, s.fields) }

// ParseState reads a state's body, at most MaxState bytes.
func ParseState(b []byte) (State, error) { return parsed[State]("state", b, MaxState) }

func (s *State) fields(f *fields) {
	f.number("seq", &s.Seq, 1, MaxNumber)
	f.text("version", &s.Version, 0, MaxWord)
	numbers(f, "protocols", &s.Protocols, MaxProtocols)
	f.hex("instance", s.Instance[:])
	f.text("agent", &s.Agent, 1, MaxName)
	f.text("host", &s.Host, 1, MaxName)
	f.number("time", &s.Time, 1, MaxNumber)
	list(f, "devices", &s.Devices, MaxDevices, (*Device).fields)
	f.hex("roster_hash", s.RosterHash[:])
	list(f, "rules", &s.Rules, MaxRuleRows, (*RuleRow).fields)
	list(f, "callers", &s.Callers, MaxCallers, (*Caller).fields)
	f.number("pause_until", &s.PauseUntil, 0, MaxNumber)
	word(f, "lock_screen", &s.LockScreen, LockUnset, LockAnswer, LockShow, LockHide)
	f.number("last_push", &s.LastPush, 0, MaxNumber)
	word(f, "push", &s.Push, PushNone, PushGood, PushRepair)
	object(f, "log", s.Log.fields)
	s.openFields(f)
}

func (s *State) openFields(f *fields) {
	open := make([]string, len(s.Open))
	for i, id := range s.Open {
		open[i] = id.String()
	}
	texts(f, "open", &open, MaxOpen, 32)
	if f.writing {
		return
	}
	for _, text := range open {
		id, err := ParseRequestID(text)
		f.check(err == nil, "open", "holds what is no request id")
		s.Open = append(s.Open, id)
	}
}

func (d *Device) fields(f *fields) {
	f.hex("id", d.ID[:])
	f.text("name", &d.Name, 1, MaxName)
	f.text("platform", &d.Platform, 0, MaxName)
	word(f, "role", &d.Role, Approver, Watcher)
	f.flag("same_machine", &d.SameMachine)
	f.flag("passkey", &d.Passkey)
	f.number("last_seen", &d.LastSeen, 0, MaxNumber)
	f.number("paired", &d.Paired, 0, MaxNumber)
}

func (r *RuleRow) fields(f *fields) {
	f.number("id", &r.ID, 0, MaxNumber)
	r.Rule.fields(f)
	f.text("device", &r.Device, 0, MaxName)
	f.number("made", &r.Made, 0, MaxNumber)
	f.number("used", &r.Used, 0, MaxNumber)
	f.number("last", &r.Last, 0, MaxNumber)
	list(f, "pinned", &r.Pinned, MaxPinned, (*Pin).fields)
}

func (c *Caller) fields(f *fields) {
	f.text("name", &c.Name, 1, MaxName)
	f.number("last_seen", &c.LastSeen, 0, MaxNumber)
	f.flag("answers", &c.Answers)
}
