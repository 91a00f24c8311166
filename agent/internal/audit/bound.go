package audit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of a record's texts, so that no caller can make a record that is too
// large to be written. What is cut says so.
const (
	maxText  = 1 << 10  // a name, a path, a reason
	maxParam = 16 << 10 // a command
	maxList  = 16       // targets, reasons, agents
)

// bounded cuts every text and list to its limit and makes it valid UTF-8.
func (r Record) bounded() Record {
	for _, s := range []*string{&r.Host, &r.Human, &r.Caller, &r.Event, &r.Session, &r.Folder, &r.Kind, &r.Name,
		&r.Class, &r.DeviceName, &r.Via, &r.Rule, &r.Reason} {
		*s = clip(*s, maxText)
	}
	r.Words = clip(r.Words, 4*maxText)
	r.AgentChain = clipAll(r.AgentChain)
	r.Targets = clipAll(r.Targets)
	r.Reasons = clipAll(r.Reasons)
	params := r.Params
	r.Params = nil
	for name, value := range params {
		if r.Params == nil {
			r.Params = map[string]string{}
		}
		r.Params[clip(name, maxText)] = clip(value, maxParam)
	}
	return r
}

func clipAll(list []string) []string {
	var out []string
	for i, s := range list {
		if i == maxList {
			return append(out, fmt.Sprintf("(%d more)", len(list)-maxList))
		}
		out = append(out, clip(s, maxText))
	}
	return out
}

// clip keeps three quarters of a long text's limit from its beginning and one
// quarter from its end.
func clip(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	head, tail := limit*3/4, len(s)-limit/4
	for !utf8.RuneStart(s[head]) {
		head--
	}
	for !utf8.RuneStart(s[tail]) {
		tail++
	}
	return fmt.Sprintf("%s(%d bytes left out)%s", s[:head], tail-head, s[tail:])
}
