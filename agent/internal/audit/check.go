package audit

import (
	"crypto/ed25519"
	"fmt"
	"slices"
)

var (
	types = []Type{Started, Asked, Outcome, Undelivered, Refused, Malformed, UngatedWindow, RewriteRefused,
		Paired, Admitted, Revoked, RuleMade, RuleRemoved, PolicyApplied, Paused, Resumed}
	decisions = []Decision{Allow, Deny, Answered, HandBack, None}
	deciders  = []By{ByDevice, ByRule, ByPolicy, ByFilter, BySelf, ByTerminal, ByAgent, ByTime, ByCaller}
)

// check refuses a record that says too little for its type, or that shows an
// Allow without what it rests on.
func (r Record) check() error {
	for _, c := range []struct {
		ok   bool
		what string
	}{
		{r.Version == Version, "another version"},
		{isHex(r.Salt, 16), "no salt of 16 bytes"},
		{slices.Contains(types, r.Type), "an unknown type"},
		{r.Time > 0, "no time"},
		{r.Enforcement == Enforcement, "another enforcement than advisory"},
		{r.Decision == "" || slices.Contains(decisions, r.Decision), "an unknown decision"},
		{r.By == "" || slices.Contains(deciders, r.By), "an unknown decider"},
		{hexOrEmpty(r.RequestID, 16), "a bad request_id"},
		{hexOrEmpty(r.Device, 16), "a bad device"},
		{hexOrEmpty(r.CallDigest, 32) && hexOrEmpty(r.CardDigest, 32), "a bad digest"},
		{hexOrEmpty(r.DeviceKey, ed25519.PublicKeySize), "a bad device_key"},
		{r.complete(), "too few fields for its type"},
		{r.founded(), "an outcome without what it rests on"},
	} {
		if !c.ok {
			return fmt.Errorf("%w: it has %s", ErrRecord, c.what)
		}
	}
	return nil
}

func hexOrEmpty(s string, n int) bool { return s == "" || isHex(s, n) }

func (r Record) complete() bool {
	switch r.Type {
	case Asked:
		return r.RequestID != "" && r.Caller != "" && r.Kind != "" && r.Name != "" && r.CallDigest != ""
	case Outcome:
		return r.RequestID != "" && r.Decision != "" && r.By != ""
	case Undelivered, RewriteRefused:
		return r.RequestID != ""
	case Refused:
		return r.Reason != ""
	case Paired, Admitted, Revoked:
		return r.Device != ""
	}
	return true
}

// founded says that an answer in the record is whole, that a device's outcome
// holds its answer, and that an Allow comes from a device, a rule or a policy.
func (r Record) founded() bool {
	signed := len(r.Answer) > 0 && len(r.Signature) == ed25519.SignatureSize && r.Device != ""
	switch {
	case r.Type != Outcome:
		return true
	case r.By == ByDevice:
		return signed
	case r.By == ByRule || r.By == ByPolicy:
		return r.Rule != ""
	}
	return r.Decision != Allow
}
