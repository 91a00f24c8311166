package agent

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/rules"
	abcrypto "answerback/crypto"
	"answerback/hook/caller"
)

// decision is what Decide returns: the verdict for the one connection that asked, and what must be told once it was written there.
type decision struct {
	verdict caller.Verdict
	// delivered must be called once, with whether the verdict reached the hook. It sends the receipt.
	delivered func(ok bool)
}

// noOpinion is the decision that asks the caller's own user.
func noOpinion() decision { return decision{delivered: func(bool) {}} }

// Decide is the only function that can return an Allow. An Allow has a device's verified answer to this very call at its root, and that
// answer is in the log, on disk, before Decide returns. Everything else, errors and silence first of all, is no opinion or a Deny.
func (a *Agent) Decide(ctx context.Context, call caller.Call, wait, grace time.Duration, held func(*entry)) decision {
	if !a.hasDevices() {
		a.log.Info("no device is paired; the caller asks its own user", "caller", call.Caller)
		return noOpinion()
	}
	if a.paused() {
		a.log.Info("paused from a device; the caller asks its own user", "caller", call.Caller)
		return noOpinion()
	}
	if wait <= 0 {
		a.log.Info("the hook's time was over before it asked; the caller asks its own user", "caller", call.Caller)
		return noOpinion()
	}
	e, err := a.ask(ctx, question{card: a.cardOf(call), call: call, wait: wait, grace: grace, held: held})
	if err != nil {
		a.log.Error("the call was not asked; the caller asks its own user", "caller", call.Caller, "why", err)
		return noOpinion()
	}
	a.counted()
	return a.conclusion(e)
}

// conclusion is the decision on a card that has ended: its files once more, then the log, and only then a verdict that a hook still takes.
func (a *Agent) conclusion(e *entry) decision {
	changed, stale := changedFile(e)
	if stale {
		e.spoil("changed since shown: " + changed)
	}
	if _, _, err := a.ledger.Append(a.record(audit.Outcome, e)); err != nil {
		a.log.Error("the outcome could not be written to the log; nothing is allowed", "why", err)
		return decision{delivered: func(bool) { a.unlogged(e) }}
	}
	switch {
	case stale:
		return decision{delivered: func(bool) { a.refuseChanged(e, changed) }}
	case e.tooLateToTell(time.Now()):
		return decision{delivered: func(bool) { a.tell(e, false) }}
	}
	return decision{verdict: a.verdictOf(e), delivered: func(ok bool) { a.tell(e, ok) }}
}

// counted counts a call that devices were asked about.
func (a *Agent) counted() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls++
}

// verdictOf turns a settled card into the caller's verdict. This is the one place that makes an Allow.
func (a *Agent) verdictOf(e *entry) caller.Verdict {
	o := e.outcome
	switch {
	case e.spoiled() != "":
		return caller.Verdict{}
	case o.how == denied:
		return caller.Verdict{Kind: caller.Deny, Words: o.words, By: "the terminal", Host: a.opts.Host}
	case o.how != answered:
		return caller.Verdict{}
	case o.answer.Allows():
		return caller.Verdict{Kind: caller.Allow, By: o.device.Name, Host: a.opts.Host}
	case o.answer.Decision() == abcrypto.Deny:
		return caller.Verdict{Kind: caller.Deny, Words: o.answer.Words(), By: o.device.Name, Host: a.opts.Host}
	case o.answer.Decision() == abcrypto.Answered:
		return caller.Verdict{Kind: caller.Answers, Answers: answersOf(o.answer), By: o.device.Name, Host: a.opts.Host}
	}
	return caller.Verdict{}
}

// tell sends the receipt to the device that answered and the end of the card to the others, once the hook has the verdict or is gone.
func (a *Agent) tell(e *entry, delivered bool) {
	o := e.outcome
	if o.how != answered {
		a.conclude(e, abcrypto.ID{})
		return
	}
	r := card.Receipt{Request: e.id, Outcome: card.Accepted}
	if !delivered {
		r.Outcome = card.Undelivered
		e.spoil("the caller was gone")
		if _, _, err := a.ledger.Append(a.record(audit.Undelivered, e)); err != nil {
			a.log.Error("an undelivered answer could not be logged", "why", err)
		}
	}
	a.giveReceipt(e, r)
	a.conclude(e, o.device.ID)
}

// refuseChanged ends an Allow whose script is not the one that the card showed: nobody gets it, and the caller asks again.
func (a *Agent) refuseChanged(e *entry, path string) {
	a.giveReceipt(e, card.Receipt{Request: e.id, Outcome: card.Refused, Reason: "changed", File: path})
	a.conclude(e, e.outcome.device.ID)
}

// unlogged ends an answer that could not be written down: it counts for nobody, and its device hears so.
func (a *Agent) unlogged(e *entry) {
	e.spoil("the log could not be written")
	if e.outcome.how == answered {
		a.giveReceipt(e, card.Receipt{Request: e.id, Outcome: card.Refused, Reason: "log"})
	}
	a.conclude(e, e.outcome.device.ID)
}

// giveReceipt records what these answer bytes get, and sends it to the device whose answer settled the card.
func (a *Agent) giveReceipt(e *entry, r card.Receipt) {
	hash := e.outcome.answer.ReceiptHash()
	r.Answer, r.Time = hash, nowMS()
	e.record(hash, r)
	if p := a.peerOf(e.outcome.device.ID); p != nil {
		p.receipt(e.outcome.message, r)
	}
}

// cardOf makes a card of a call. The class says how it may be answered; anything not understood is at least sensitive.
func (a *Agent) cardOf(call caller.Call) card.Card {
	class, reasons := rules.Classify(a.ruleInput(call))
	c := card.Card{Kind: card.KindCall, Caller: call.Caller, Session: call.Session, Folder: call.Folder, Tool: call.Tool,
		Input: string(call.Input), CallDigest: abcrypto.CallDigest(call.Raw), Class: card.Class(class.String()), OwnPrompt: call.OwnPrompt}
	if call.Kind == caller.KindQuestion {
		c.Kind = card.KindQuestion
	}
	if call.SubagentID != "" {
		c.Subagent = &card.Subagent{ID: call.SubagentID, Type: call.SubagentType}
	}
	for _, r := range reasons {
		c.Reasons = append(c.Reasons, card.Reason{ID: r.ID, Piece: r.Piece})
	}
	c.Needs = needs(class)
	c.Pinned = a.pin(call)
	return c
}

// ruleInput is a call as the rules look at it, with the files that are ours.
func (a *Agent) ruleInput(call caller.Call) rules.Input {
	home, _ := os.UserHomeDir()
	return rules.Input{Caller: call.Caller, Folder: call.Folder, Home: home, Tool: call.Tool, Input: call.Input,
		Own: []string{a.opts.State, filepath.Dir(a.opts.Socket)}}
}

// needs says how strong an answer must be. Deny is always one tap.
func needs(class rules.Class) card.Needs {
	if class == rules.Routine {
		return card.Needs{Via: card.NeedTap, Quorum: 1}
	}
	return card.Needs{Via: card.NeedApp, Quorum: 1}
}

// answersOf turns the device's answers into the caller's: by the question's own text.
func answersOf(v card.Verified) map[string][]string {
	all := map[string][]string{}
	for _, r := range v.Answers() {
		all[r.Question] = r.Values
	}
	return all
}
