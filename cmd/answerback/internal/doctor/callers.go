package doctor

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"answerback/hook/install"
)

// probeWithin bounds one probe, and probeMark stands in the agent's own words for it.
const (
	probeWithin = 10 * time.Second
	probeMark   = "answerback doctor: this probe reached the agent"
)

// callers sends a probe through every entry that stands in a caller's file, started as that caller starts it.
func (m Machine) callers(ctx context.Context) []Row {
	entries := m.Installed()
	if len(entries) == 0 {
		return []Row{{Note, "callers", "no coding tool asks yet.  let one ask: answerback install"}}
	}
	var rows []Row
	for _, e := range entries {
		rows = append(rows, m.entry(ctx, e))
	}
	return rows
}

func (m Machine) entry(ctx context.Context, e install.Entry) Row {
	switch {
	case e.Words == nil: // the file may be of a tool that nobody uses here
		return Row{Warn, e.Caller, e.Fault}
	case e.Fault != "":
		return Row{Fail, e.Caller, e.Fault}
	}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	args := append(append([]string{}, e.Words[1:]...), "--probe")
	r, err := m.Run(ctx, e.Words[0], e.Sample, args...)
	again := fmt.Sprintf("; run: answerback install %s --scope %s", e.Caller, e.Scope)
	switch {
	case err != nil:
		return Row{Fail, e.Caller, fmt.Sprintf("the hook in %s did not run: %v%s", e.Path, err, again)}
	case r.Exit != 0 || !bytes.Contains(r.Stdout, []byte(`"deny"`)) || !bytes.Contains(r.Stdout, []byte(probeMark)):
		return Row{Fail, e.Caller, fmt.Sprintf("a live call through %s did not reach this agent%s", e.Path, again)}
	}
	return Row{OK, e.Caller, fmt.Sprintf("asks by %s; a live call through it reached the agent and was denied in %s (probe)", e.Path, r.Took.Round(time.Millisecond))}
}
