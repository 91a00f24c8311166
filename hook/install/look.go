package install

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Entry is one hook of ours that stands in a caller's file, or a file in which that cannot be seen.
type Entry struct {
	Caller string
	Scope  Scope
	Path   string
	Words  []string // program and arguments, as the caller starts them; nil when the file cannot be read
	Sample []byte   // a call as the caller would write it
	Fault  string   // "" or a sentence that says what to do
}

const (
	claudeSample  = `{"session_id":"doctor","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"true"}}`
	copilotSample = `{"hookName":"permissionRequest","sessionId":"doctor","timestamp":1,"cwd":"/","toolName":"bash","toolInput":{"command":"true"}}`
)

// Look finds every entry of ours in the files that count for this person and folder.
func Look(o Options) []Entry {
	var all []Entry
	seen := map[string]bool{}
	for _, name := range Callers() {
		for _, scope := range Scopes(name) {
			p, t, err := begin(name, scope, o)
			if err == nil && (p.Before == nil || seen[p.Path]) {
				continue
			}
			seen[p.Path] = true
			all = append(all, t.look(p, scope, o, err)...)
		}
	}
	return doubles(all)
}

// doubles names a hook that stands in several files of one caller: it reads them all, so every call comes twice.
func doubles(all []Entry) []Entry {
	files := map[string]map[string]bool{}
	for _, e := range all {
		if files[e.Caller] == nil {
			files[e.Caller] = map[string]bool{}
		}
		if e.Words != nil {
			files[e.Caller][e.Path] = true
		}
	}
	for i, e := range all {
		if e.Fault == "" && len(files[e.Caller]) > 1 {
			all[i].Fault = fmt.Sprintf("the hook stands in %d files that it reads, so calls come twice; run: answerback uninstall %s --scope %s", len(files[e.Caller]), e.Caller, e.Scope)
		}
	}
	return all
}

func (t target) look(p Plan, scope Scope, o Options, err error) []Entry {
	e := Entry{Caller: t.name, Scope: scope, Path: p.Path, Sample: []byte(claudeSample)}
	if t.flat {
		e.Sample = []byte(copilotSample)
	}
	var handlers []handler
	if err == nil {
		handlers, err = t.handlers(p.Before)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		e.Fault = fmt.Sprintf("%s cannot be read: %v", p.Path, err)
		return []Entry{e}
	}
	want, wrong := t.entry(o)
	var all []Entry
	for _, h := range handlers {
		e.Words = h.words()
		e.Fault = ""
		again := fmt.Sprintf("run: answerback install %s --scope %s", t.name, scope)
		switch {
		case len(handlers) > 1:
			e.Fault = fmt.Sprintf("the hook stands %d times in %s, so calls come twice; %s", len(handlers), p.Path, again)
		case wrong != nil: // nothing to hold the entry against, so nothing of it may be started
			e.Fault = wrong.Error()
		case e.Words[0] != o.Hook:
			e.Fault = fmt.Sprintf("it starts %s, and this program's hook is %s; %s", e.Words[0], o.Hook, again)
		case h.Timeout != want.Timeout || h.TimeoutSec != want.TimeoutSec:
			e.Fault = fmt.Sprintf("its timeout is not %d s, so the tool may end the hook before you have answered; %s", want.Timeout+want.TimeoutSec, again)
		case !slices.Equal(e.Words, want.words()):
			e.Fault = fmt.Sprintf("its words are not those that install writes, so it may ask another agent; %s", again)
		}
		all = append(all, e)
	}
	return all
}

// handlers are the entries of ours in a file.
func (t target) handlers(b []byte) (list []handler, err error) {
	d, err := parse(b)
	if err != nil {
		return nil, err
	}
	groups, err := d.list(t)
	if err != nil {
		return nil, err
	}
	err = t.each(groups, func(h handler, _ hujson.Value) bool {
		list = append(list, h)
		return false
	})
	return list, err
}

// words are program and arguments.
func (h handler) words() []string {
	if len(h.Args) > 0 {
		return append([]string{h.Command}, h.Args...)
	}
	return strings.Fields(h.Command + " " + h.Bash)
}
