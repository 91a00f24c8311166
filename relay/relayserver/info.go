package relayserver

import (
	"encoding/json"
	"net/http"

	"answerback/relay"
)

// Info is the body of GET /v1/info.
type Info struct {
	Version  string     `json:"version"`  // of the relay
	Protocol []int      `json:"protocol"` // versions of the wire that it speaks
	VAPID    string     `json:"vapid"`    // base64url public key of its pushes, empty when it sends none
	Limits   InfoLimits `json:"limits"`
	App      string     `json:"app"` // hash over the phone app that it serves, empty when it has none
}

// InfoLimits are the limits that a client can meet.
type InfoLimits struct {
	Frame     int `json:"frame"`     // bytes
	Boxes     int `json:"boxes"`     // of one socket
	Listeners int `json:"listeners"` // of one box
	Wait      int `json:"wait"`      // seconds, of POST /v1/send?wait=
	PushBody  int `json:"push_body"` // bytes
	PushTTL   int `json:"push_ttl"`  // seconds
	BoxBurst  int `json:"box_burst"` // messages into one box at once
	BoxBytes  int `json:"box_bytes"` // bytes a minute into one box
}

// Info returns what GET /v1/info says.
func (s *Server) Info() Info {
	info := Info{Version: s.opt.Version, Protocol: []int{relay.Version}, App: s.app.build, Limits: InfoLimits{
		Frame: relay.MaxFrame, Boxes: relay.MaxBoxes, Listeners: relay.MaxListeners, Wait: int(relay.MaxWait.Seconds()),
		PushBody: relay.MaxPushBody, PushTTL: relay.MaxPushTTL, BoxBurst: s.opt.Limits.BoxBurst, BoxBytes: s.opt.Limits.BoxBytes,
	}}
	if s.opt.Push != nil {
		info.VAPID = s.opt.Push.PublicKey()
	}
	return info
}

func (s *Server) serveInfo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.originAllowed(r) {
		allowOrigin(w, r)
	}
	body, err := json.Marshal(s.Info())
	if err != nil {
		http.Error(w, "The relay cannot describe itself.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(body, '\n'))
}
