package main

import (
	"context"
	"encoding/json"

	"answerback/agent/control"
)

// record is what the terminal shows of a record of the log; the log's own format has more.
type record struct {
	Type       string            `json:"type"`
	Time       int64             `json:"time"`
	RequestID  string            `json:"request_id"`
	Session    string            `json:"session"`
	Caller     string            `json:"caller"`
	Name       string            `json:"name"`
	Targets    []string          `json:"targets"`
	Params     map[string]string `json:"params"`
	Decision   string            `json:"decision"`
	By         string            `json:"by"`
	DeviceName string            `json:"device_name"`
	Rule       string            `json:"rule"`
	Reason     string            `json:"reason"`
}

// records asks for the last n records, oldest first.
func (a *app) records(ctx context.Context, n int) (list []control.Record, err error) {
	err = a.ask(ctx, control.Request{Do: control.DoLog, Count: -n}, func(r control.Reply) {
		if r.Record != nil {
			list = append(list, *r.Record)
		}
	})
	return list, err
}

func parseRecord(r control.Record) (record, error) {
	var got record
	err := json.Unmarshal([]byte(r.JSON), &got)
	return got, err
}

// handedBack is who ended a call that nobody decided, but that somebody gave back.
const handedBack = "a hand back"

// ending is how a session's one call ended, by the log: whether it was asked at all, and by whom it was ended.
func (a *app) ending(ctx context.Context, session string) (asked bool, by string) {
	list, err := a.records(ctx, 50) // enough that a busy agent does not hide it
	if err != nil {
		return true, "the agent"
	}
	id := ""
	for _, raw := range list {
		switch r, err := parseRecord(raw); {
		case err != nil:
		case r.Type == "asked" && r.Session == session:
			id = r.RequestID
		case id == "" || r.Type != "outcome" || r.RequestID != id:
		case r.Decision == "hand_back":
			return true, handedBack
		default:
			return true, who(r)
		}
	}
	return id != "", "the agent"
}

// who names what decided, in words.
func who(r record) string {
	switch r.By {
	case "device":
		return visible(r.DeviceName)
	case "rule":
		return "an Always rule"
	case "policy":
		return "the policy"
	case "filter":
		return "a filter"
	case "self":
		return "self-protection"
	case "terminal":
		return "the terminal"
	case "time":
		return "nobody in time"
	case "caller":
		return "its caller, which went away"
	case "":
		return ""
	}
	return "the agent"
}
