package agent

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	abcrypto "answerback/crypto"
	"answerback/hook"
	"answerback/hook/caller"
)

// base is what every record of this agent says.
func (a *Agent) base(t audit.Type) audit.Record {
	return audit.Record{Type: t, Time: time.Now().UnixMilli(), Host: a.opts.Host, Human: a.opts.Human}
}

// record tells of one card: that it was asked, how it ended, or that its outcome reached nobody.
func (a *Agent) record(t audit.Type, e *entry) audit.Record {
	r := a.base(t)
	c := e.Card
	r.RequestID, r.Caller, r.Session, r.Class = e.id.String(), c.Caller, c.Session, string(c.Class)
	if t == audit.Asked {
		a.describe(&r, e)
		return r
	}
	r.CallDigest, r.CardDigest = hex.EncodeToString(c.CallDigest[:]), hex.EncodeToString(e.Digest[:])
	r.Decision, r.By = ended(e.outcome)
	if e.outcome.how == answered {
		answerInto(&r, e)
	}
	if why := e.spoiled(); why != "" {
		home, _ := os.UserHomeDir()
		r.Decision, r.By, r.Reason = audit.None, audit.ByAgent, noHome(why, home)
	}
	r.Words = firstOf(r.Words, e.outcome.words)
	return r
}

// noHome writes the person's home folder as ~: its name is theirs, and stands in no record.
func noHome(text, home string) string {
	if !filepath.IsAbs(home) || home == "/" {
		return text
	}
	return strings.ReplaceAll(text, filepath.Clean(home)+"/", "~/")
}

// describe says what was asked, for the log: secrets redacted, the home folder as ~.
func (a *Agent) describe(r *audit.Record, e *entry) {
	c := e.Card
	r.Event, r.CallDigest = e.call.Event, hex.EncodeToString(c.CallDigest[:])
	r.AgentChain = []string{c.Caller}
	if c.Subagent != nil {
		r.AgentChain = append(r.AgentChain, firstOf(c.Subagent.Type, c.Subagent.ID))
	}
	for _, reason := range c.Reasons {
		r.Reasons = append(r.Reasons, reason.ID)
	}
	if c.Admin != nil {
		r.Kind, r.Name, r.Targets = "custom", "admin."+string(c.Admin.Action), []string{c.Admin.Device.String()}
		return
	}
	home, _ := os.UserHomeDir()
	d := audit.Describe(audit.Subject{Host: a.opts.Host, Home: home, Folder: c.Folder, Tool: c.Tool, Input: []byte(c.Input)})
	r.Kind, r.Name, r.Folder, r.Targets, r.Params = d.Kind, d.Name, d.Folder, d.Targets, d.Params
}

// ended says how a card ended and what decided it.
func ended(o outcome) (audit.Decision, audit.By) {
	switch o.how {
	case answered:
		return audit.Decision(o.answer.Word()), audit.ByDevice
	case denied:
		return audit.Deny, audit.ByTerminal
	case released:
		return audit.HandBack, audit.ByTerminal
	case expired:
		return audit.None, audit.ByTime
	}
	return audit.None, audit.ByCaller
}

// answerInto puts the device's own words and signature into an outcome, so that a third party can check who decided.
func answerInto(r *audit.Record, e *entry) {
	v, d := e.outcome.answer, e.outcome.device
	sig := v.Signature()
	r.Device, r.DeviceName, r.Via = d.ID.String(), d.Name, viaWord(v.Via())
	r.Answer, r.Signature, r.Assertion, r.Words = v.AnswerBytes(), sig[:], v.Assertion(), v.Words()
}

func viaWord(v abcrypto.Via) string {
	switch v {
	case abcrypto.ViaNotification:
		return "notification"
	case abcrypto.ViaApp:
		return "app"
	case abcrypto.ViaPasskey:
		return "passkey"
	}
	return ""
}

func (a *Agent) deviceRecord(t audit.Type, d device, why string) audit.Record {
	r := a.base(t)
	r.Device, r.DeviceName, r.Reason = d.ID.String(), d.Name, why
	if t == audit.Paired {
		r.DeviceKey = hex.EncodeToString(d.Key)
		if d.Passkey != nil {
			r.Passkey, r.Origin = d.Passkey.PublicKey(), d.Passkey.Origin()
		}
	}
	return r
}

// logRefused keeps that an answer did not count, and why. Nothing follows from it. told is false where too many came: then the device hears
// nothing either, and tries again later.
func (a *Agent) logRefused(p *peer, request requestID, why error) (told bool) {
	say, missed := p.refusals.next(time.Now())
	text := sentence(why)
	switch {
	case say == sayNothing:
		return false
	case say == sayLast:
		text += fmt.Sprintf("; more than %d came within a minute, the next ones are only counted", maxRefusals)
	case missed > 0:
		text += fmt.Sprintf("; before it %d more were only counted", missed)
	}
	d := p.device()
	r := a.base(audit.Refused)
	r.RequestID, r.Device, r.DeviceName, r.Reason = request.String(), d.ID.String(), d.Name, text
	a.append(r)
	a.log.Warn("an answer was refused", "device", d.Name, "request", request, "why", text)
	return true
}

// sentence says a refusal without the words of a call: those that answers to a question hold may be in its error.
func sentence(why error) string {
	if errors.Is(why, card.ErrPayload) {
		return card.ErrPayload.Error()
	}
	return why.Error()
}

// logMalformed keeps that a caller's bytes could not be read, without them.
func (a *Agent) logMalformed(frame hook.Call, why error) {
	r := a.base(audit.Malformed)
	digest := abcrypto.CallDigest(frame.Stdin)
	r.Caller, r.Event, r.CallDigest, r.Reason = frame.Caller, frame.Event, hex.EncodeToString(digest[:]), why.Error()
	a.append(r)
	a.log.Warn("a call could not be read; the caller asks its own user", "caller", frame.Caller, "why", why)
}

// logUnasked keeps that a caller asked for which nobody is waited: it asks in its own terminal.
func (a *Agent) logUnasked(c caller.Call) {
	e := &entry{call: c, Written: card.Written{Card: card.Card{Caller: c.Caller, Session: c.Session, Folder: c.Folder, Tool: c.Tool, Input: string(c.Input),
		CallDigest: abcrypto.CallDigest(c.Raw)}}}
	rand.Read(e.id[:]) // every asked record has an id of its own; no card has this one
	r := a.record(audit.Asked, e)
	r.Class, r.Reason = "", "asked in its own terminal"
	a.append(r)
}

// append writes a record on which no Allow hangs.
func (a *Agent) append(r audit.Record) {
	if _, _, err := a.ledger.Append(r); err != nil {
		a.log.Error("a record was not written to the log", "type", r.Type, "why", err)
	}
}
