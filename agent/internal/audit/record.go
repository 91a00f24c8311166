package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Version is the version of the record format.
const Version = 1

// MaxRecord is the largest record in bytes.
const MaxRecord = 512 << 10

// Enforcement stands in every record: the gate advises. A process of the same
// user can go round it, so the log never claims more.
const Enforcement = "advisory"

// Type says what a record tells.
type Type string

// The types of records. A call has two, asked and outcome; the rest stand alone.
const (
	Started        Type = "started"         // the agent started
	Asked          Type = "asked"           // a caller asked
	Outcome        Type = "outcome"         // how that call ended
	Undelivered    Type = "undelivered"     // an outcome could not be given to the caller
	Refused        Type = "refused"         // an answer did not hold; nothing was allowed by it
	Malformed      Type = "malformed"       // a caller's call could not be read
	UngatedWindow  Type = "ungated_window"  // an open gate let a call pass undecided
	RewriteRefused Type = "rewrite_refused" // a filter's rewrite that the caller would not run
	Paired         Type = "paired"          // a device was paired
	Admitted       Type = "admitted"        // a device let another one in
	Revoked        Type = "revoked"         // a device was removed
	RuleMade       Type = "rule_made"       // an Always rule came into being
	RuleRemoved    Type = "rule_removed"    // an Always rule ended
	PolicyApplied  Type = "policy_applied"  // another policy holds
	Paused         Type = "paused"          // calls are asked at the terminal
	Resumed        Type = "resumed"         // the pause ended
)

// Decision is how a call ended.
type Decision string

// The decisions. None is "no opinion": the caller asks its own user.
const (
	Allow    Decision = "allow"
	Deny     Decision = "deny"
	Answered Decision = "answered"
	HandBack Decision = "hand_back"
	None     Decision = "none"
)

// By is what decided.
type By string

// What can decide. An Allow comes from the first three only.
const (
	ByDevice   By = "device"   // a device's signed answer; answer and signature are in the record
	ByRule     By = "rule"     // an Always rule; rule names it
	ByPolicy   By = "policy"   // the applied policy; rule names the line
	ByFilter   By = "filter"   // a filter blocked
	BySelf     By = "self"     // self-protection
	ByTerminal By = "terminal" // a command at the terminal, or the caller's own prompt
	ByAgent    By = "agent"    // the agent: caps, repeats, probes, pause
	ByTime     By = "time"     // nobody answered in time
	ByCaller   By = "caller"   // the caller went away
)

// Bytes is raw bytes, in JSON as unpadded base64url (RFC 4648 section 5).
type Bytes []byte

// MarshalJSON writes the base64url string.
func (b Bytes) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.RawURLEncoding.EncodeToString(b))
}

// UnmarshalJSON reads the base64url string.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	*b = raw
	return err
}

// Record is one line of the log. Its exact JSON bytes, in this order of fields
// and without the empty ones, are the leaf of the tree. Ids and digests are
// lower-case hex, times milliseconds since 1970.
type Record struct {
	Version     int    `json:"version"`
	Salt        string `json:"salt"` // 16 random bytes: a leaf's hash tells nothing of its text
	Type        Type   `json:"type"`
	Time        int64  `json:"time"`
	Enforcement string `json:"enforcement"`
	Host        string `json:"host,omitempty"`
	Human       string `json:"human,omitempty"`

	RequestID  string            `json:"request_id,omitempty"`
	Caller     string            `json:"caller,omitempty"` // its own claim
	Event      string            `json:"event,omitempty"`
	Session    string            `json:"session,omitempty"`
	AgentChain []string          `json:"agent_chain,omitempty"` // the caller, then its subagent where it names one
	Folder     string            `json:"folder,omitempty"`      // home as ~
	Kind       string            `json:"kind,omitempty"`
	Name       string            `json:"name,omitempty"`
	Targets    []string          `json:"targets,omitempty"`
	Params     map[string]string `json:"params,omitempty"` // redacted
	CallDigest string            `json:"call_digest,omitempty"`
	CardDigest string            `json:"card_digest,omitempty"`
	Class      string            `json:"class,omitempty"`
	Reasons    []string          `json:"reasons,omitempty"` // ids only: the pieces are in the card

	Decision   Decision `json:"decision,omitempty"`
	By         By       `json:"by,omitempty"`
	Device     string   `json:"device,omitempty"`
	DeviceName string   `json:"device_name,omitempty"`
	DeviceKey  string   `json:"device_key,omitempty"` // in paired: the key that its answers verify with
	Passkey    Bytes    `json:"passkey,omitempty"`    // in paired: the COSE key that its assertions verify with
	Origin     string   `json:"origin,omitempty"`     // in paired: of the app that the passkey was made in
	Via        string   `json:"via,omitempty"`
	Rule       string   `json:"rule,omitempty"`
	Words      string   `json:"words,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Answer     Bytes    `json:"answer,omitempty"` // the exact bytes that the device signed
	Signature  Bytes    `json:"signature,omitempty"`
	Assertion  Bytes    `json:"assertion,omitempty"` // the passkey's, as it came
	Answers    []Vote   `json:"answers,omitempty"`   // the other votes of a quorum
}

// Vote is a further device's answer to the same call.
type Vote struct {
	Device    string `json:"device"`
	Answer    Bytes  `json:"answer"`
	Signature Bytes  `json:"signature"`
	Assertion Bytes  `json:"assertion,omitempty"`
}

// ErrRecord: the bytes are not a record, or not exactly the bytes that a record has.
var ErrRecord = errors.New("audit: not a record")

// Parse reads a record's exact bytes. Anything that would print as other bytes
// is refused: unknown, repeated or reordered fields, spaces, trailing bytes.
func Parse(leaf []byte) (Record, error) {
	if len(leaf) > MaxRecord {
		return Record{}, fmt.Errorf("%w: larger than %d bytes", ErrRecord, MaxRecord)
	}
	var r Record
	d := json.NewDecoder(bytes.NewReader(leaf))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err := r.check(); err != nil {
		return Record{}, err
	}
	again, err := r.bytes()
	if err != nil {
		return Record{}, err
	}
	if !bytes.Equal(again, leaf) {
		return Record{}, fmt.Errorf("%w: not in its exact form", ErrRecord)
	}
	return r, nil
}

// bytes prints the record.
func (r Record) bytes() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("audit: print a record: %w", err)
	}
	leaf := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(leaf) > MaxRecord {
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrRecord, MaxRecord)
	}
	return leaf, nil
}

// isHex says that s is n bytes in lower-case hex.
func isHex(s string, n int) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == n && hex.EncodeToString(raw) == s
}
