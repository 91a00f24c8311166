package control

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	for _, req := range []Request{
		{Version: Version, Do: DoStatus},
		{Version: Version, Do: DoDeny, ID: "k7q2", Words: "not now: <wait> & \"see\"\n\u202e"},
		{Version: Version, Do: DoLog, From: 1 << 60, Count: -5},
	} {
		body, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseRequest(body); err != nil || got != req {
			t.Errorf("%s was read as %+v, %v", body, got, err)
		}
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, body := range []string{
		"", "{", "null", "[]", `"status"`, `{}`, `{"do":"status"}`, `{"version":0,"do":"status"}`, `{"version":2,"do":"status"}`,
		`{"version":1,"do":"status","allow":true}`, `{"version":1,"do":"status","do":"pair"}`, `{"version":1,"do":"deny","DO":"stop"}`,
		`{"Version":1,"Do":"status"}`, `{"version":1,"do":"status"} `, `{"version":1,"do":"status"}{}`, `{"version":"1","do":"status"}`,
		`{"version":1,"do":["status"]}`, `{"version":1,"do":"status","count":1e2}`, `{"version":1,"do":"status","from":-1}`,
		`{"do":"status","version":1}`, strings.Repeat("[", 20_000),
	} {
		if got, err := ParseRequest([]byte(body)); !errors.Is(err, ErrRequest) {
			t.Errorf("%.60q was read as %+v, %v", body, got, err)
		}
	}
}

// FuzzParseRequest: what is read prints as the same bytes.
func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"version":1,"do":"deny","id":"k7q2","words":"no"}`))
	f.Add([]byte(`{"version":1,"do":"log","from":3,"count":-100}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := ParseRequest(body)
		if err != nil {
			return
		}
		if again, err := json.Marshal(req); err != nil || string(again) != string(body) {
			t.Errorf("%q printed as %q, %v", body, again, err)
		}
	})
}
