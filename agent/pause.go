package agent

import (
	"encoding/binary"
	"time"

	"answerback/agent/card"
	"answerback/agent/internal/audit"
	"answerback/agent/internal/store"
)

// pausedUntil is the store's note of a pause: its end in ms since 1970, 8 bytes, big endian.
const pausedUntil = "paused until"

// paused reports whether calls are asked at the terminal now, by a person's order from a device.
func (a *Agent) paused() bool { return a.pauseEnd() > nowMS() }

func (a *Agent) pauseEnd() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pause
}

// readPause takes a pause over from before a restart.
func (a *Agent) readPause() error {
	note, err := a.store.Meta(pausedUntil)
	if err == nil && len(note) == 8 {
		a.pause = binary.BigEndian.Uint64(note)
	}
	return err
}

// setPause begins a pause of so many minutes, or ends it with 0. Open cards stay: only what is asked from now on goes to the terminal.
func (a *Agent) setPause(p *peer, minutes uint64) error {
	end, kind := uint64(0), audit.Resumed
	if minutes > 0 {
		end, kind = nowMS()+minutes*uint64(time.Minute.Milliseconds()), audit.Paused
	}
	err := a.store.Update(func(b *store.Batch) error {
		b.SetMeta(pausedUntil, binary.BigEndian.AppendUint64(nil, end))
		return nil
	})
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.pause = end
	a.mu.Unlock()
	a.append(a.deviceRecord(kind, p.device(), ""))
	a.sendStates()
	return nil
}

// pauseInto tells devices of a pause that still holds.
func (a *Agent) pauseInto(s *card.State) {
	if a.paused() {
		s.PauseUntil = a.pauseEnd()
	}
}
