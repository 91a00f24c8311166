package agent

import (
	"fmt"

	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
)

// startDevices reads the paired devices and begins to listen for each. No record of a device keeps the agent from starting: a kill may have
// come between the two places that a device is kept in, its keys and its record.
func (a *Agent) startDevices() error {
	rows, err := a.store.Devices()
	if err != nil {
		return err
	}
	chains := a.store.Chains()
	for id, value := range rows {
		if err := a.startDevice(id, value, chains); err != nil {
			return err
		}
	}
	for id := range chains {
		if rows[id] != nil {
			continue
		}
		if err := a.store.DropChain(id); err != nil {
			return err
		}
		a.log.Info("keys of an unfinished pairing were removed", "device", abcrypto.ID(id))
	}
	for _, p := range a.activePeers() {
		a.retireSameMachine(p.device()) // the first phone's pairing may have been cut off before
	}
	return nil
}

func (a *Agent) startDevice(id abcrypto.ID, value []byte, chains map[[16]byte][store.ChainSize]byte) error {
	d, err := unmarshalDevice(id, value)
	if err != nil {
		a.log.Error("a device is left out: its record cannot be read. if no newer version of this program wrote it, pair it again: answerback pair", "device", id, "why", err)
		return nil
	}
	r, ok := unmarshalRatchet(chains[id])
	switch {
	case !d.Active:
		return a.sweep(d, "its pairing was not finished")
	case !ok:
		a.log.Error("the keys of a device are missing, so it was removed; pair it again: answerback pair", "device", d.Name)
		return a.sweep(d, "its keys are missing")
	}
	a.addPeer(d, r)
	return a.noteEverPaired(d)
}

// sweep removes what a crash left of a device.
func (a *Agent) sweep(d device, why string) error {
	if err := a.forget(d, why); err != nil {
		return fmt.Errorf("agent: remove what is left of %s: %w", d.Name, err)
	}
	return nil
}

// noteEverPaired makes sure of the note that admits no further device without an Allow.
func (a *Agent) noteEverPaired(d device) error {
	if noted, err := a.needsAdmission(); noted || err != nil || d.SameMachine {
		return err
	}
	return a.store.Update(func(b *store.Batch) error {
		b.SetMeta(everPaired, []byte{1})
		return nil
	})
}
