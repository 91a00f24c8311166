package agent

import (
	"time"

	"answerback/hook"
	"answerback/hook/caller"
)

// waitOf is how long a person is waited for from now on; callers measure from the start of the hook process.
func waitOf(ad caller.Adapter, c caller.Call, frame hook.Call) time.Duration {
	ev, _ := ad.Event(c.Event)
	return ev.Wait(c, frame.Wait) - frame.Elapsed
}
