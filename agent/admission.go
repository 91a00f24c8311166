package agent

import (
	"context"
	"errors"
	"time"

	"answerback/agent/card"
	"answerback/agent/control"
	"answerback/agent/internal/audit"
)

// everPaired is the store's note that a device was once paired. From then on a further device needs an Allow, and revoking the last one does
// not take that back.
const everPaired = "ever paired"

// admitted asks the paired devices whether the new one may join. Before the first real device there is nobody to ask.
func (p *pairingRun) admitted(ctx context.Context) error {
	need, err := p.a.needsAdmission()
	if err != nil || !need {
		return err
	}
	d := p.candidate()
	asked := p.a.approvers()
	p.t.say(control.PairEvent{Event: "admission", Name: card.Visible(d.Name), Asked: asked})
	if len(asked) == 0 {
		return errNobodyAdmits
	}
	var o outcome
	err = p.attended(ctx, func(ctx context.Context) (err error) {
		o, err = p.a.askAdmission(ctx, d, time.Until(p.expires))
		return err
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errUnasked
	case errors.Is(err, context.Canceled): // the agent ends
		return errCancelled
	case err != nil:
		return err
	}
	return admission(o)
}

// admission says how the question ended; nil: a device allowed it.
func admission(o outcome) error {
	switch {
	case o.how == answered && o.answer.Allows():
		return nil
	case o.how == answered:
		return errRefused
	case o.how == denied, o.how == released:
		return errRefusedHere
	case o.how == expired:
		return errUnasked
	}
	return errCancelled
}

// needsAdmission reports whether a paired device must allow the next one: always after the first real phone, never while every device is on
// this machine (those are for trying out).
func (a *Agent) needsAdmission() (bool, error) {
	note, err := a.store.Meta(everPaired)
	return len(note) > 0, err
}

// approvers are the names of the devices that could admit another.
func (a *Agent) approvers() []string {
	var names []string
	for _, p := range a.activePeers() {
		if d := p.device(); d.Role == card.Approver {
			names = append(names, card.Visible(d.Name))
		}
	}
	return names
}

// askAdmission puts an admin card before the paired devices and returns how it ended. The answer is in the log before this returns, like every
// Allow; without that there is an error and no outcome.
func (a *Agent) askAdmission(ctx context.Context, d device, wait time.Duration) (outcome, error) {
	ask := card.Ask{Action: card.Admit, Device: d.ID, Name: d.Name, Platform: d.Platform, SameMachine: d.SameMachine}
	e, err := a.ask(ctx, question{wait: wait, card: card.Card{Kind: card.KindAdmin, Caller: "answerback", Class: card.Sensitive,
		Reasons: []card.Reason{{ID: "adds-a-device", Piece: d.ID.String()}}, Needs: card.Needs{Via: card.NeedApp, Quorum: 1}, Admin: &ask}})
	if err != nil {
		return outcome{}, err
	}
	if _, _, err := a.ledger.Append(a.record(audit.Outcome, e)); err != nil {
		a.unlogged(e)
		return outcome{}, err
	}
	a.tell(e, true)
	return e.outcome, nil
}

// retireSameMachine removes the devices of this machine once a real phone is paired: they were for trying out.
func (a *Agent) retireSameMachine(d device) (retired []string) {
	if d.SameMachine {
		return nil
	}
	for _, p := range a.activePeers() {
		if other := p.device(); other.SameMachine && other.Paired <= d.Paired && other.ID != d.ID {
			if err := a.remove(other.ID, "retired by the first phone"); err != nil {
				a.log.Error("a device of this machine was not retired", "device", other.Name, "why", err)
			}
			retired = append(retired, card.Visible(other.Name))
		}
	}
	return retired
}
