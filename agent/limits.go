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

// graceOf is how long the caller's own prompt has before a phone rings; 0 where it shows none.
func graceOf(ad caller.Adapter, c caller.Call) time.Duration {
	ev, _ := ad.Event(c.Event)
	return ev.Grace
}
