package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/voice"
)

// relay reaches the relay as a phone would, over http, beside the agent's own connection.
func (m Machine) relay(ctx context.Context, s control.Status) []Row {
	start := m.Now()
	resp, _, err := m.get(ctx, s.Relay+"/healthz")
	took := m.Now().Sub(start)
	switch {
	case err != nil:
		return []Row{{Fail, "relay", fmt.Sprintf("%s is not reached (%s).  start it, or give the agent another --relay", s.Relay, plain(err))}}
	case resp.StatusCode == http.StatusServiceUnavailable:
		return []Row{{Warn, "relay", s.Relay + " is about to stop; agent and devices come back by themselves when it is up again"}}
	case resp.StatusCode != http.StatusNoContent:
		return []Row{{Fail, "relay", fmt.Sprintf("%s answers with status %d, so it is no relay of ours.  look at the address, or at the proxy in front", s.Relay, resp.StatusCode)}}
	}
	level, app := m.served(ctx, s)
	rows := []Row{{level, "relay", fmt.Sprintf("%s, %s, reads nothing%s", s.Relay, voice.For(took), app)}}
	if !s.Connected && s.Devices > 0 { // without a device there is nothing to listen for
		rows = append(rows, Row{Fail, "relay", "the agent is not connected to it, though this program reaches it.  look at its log; a private relay needs --token-file"})
	}
	if row, odd := clock(resp, m.Now()); odd {
		rows = append(rows, row)
	}
	return rows
}

// most is the most bytes that are read of one answer.
const most = 8 << 20

func (m Machine) get(ctx context.Context, address string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := m.HTTP.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	return resp, body, err
}

// plain leaves out the address that net/http puts before its errors.
func plain(err error) string {
	if u, ok := err.(*url.Error); ok {
		err = u.Err
	}
	return err.Error()
}

// served compares the phone app that is served with the one inside this program, file by file: whoever serves the app can sign with the
// phone's key.
func (m Machine) served(ctx context.Context, s control.Status) (Level, string) {
	if m.App == nil {
		return OK, " (app not checked: this program was built without it)"
	}
	var info struct{ App string }
	if _, body, err := m.get(ctx, s.Relay+"/v1/info"); err != nil || json.Unmarshal(body, &info) != nil {
		return Warn, ".  it does not say which app it serves"
	}
	if s.AppOrigin == s.Relay && info.App != m.Build {
		return Warn, fmt.Sprintf(".  it serves app build %s, and this program holds %s: update the older one", orNone(info.App), m.Build)
	}
	name, err := m.compare(ctx, s.AppOrigin)
	switch {
	case err != nil:
		return Warn, fmt.Sprintf(".  the app at %s was not checked (%s)", s.AppOrigin, plain(err))
	case name != "":
		return Fail, fmt.Sprintf(".  the app at %s is not the one in this program: %s differs; do not pair or answer with it before you know why", s.AppOrigin, name)
	}
	return OK, " (checked: app hash matches)"
}

func orNone(build string) string {
	if build == "" {
		return "none"
	}
	return build
}

// compare names the first file that is served otherwise.
func (m Machine) compare(ctx context.Context, origin string) (differs string, err error) {
	err = fs.WalkDir(m.App, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || differs != "" || strings.HasSuffix(name, ".txt") {
			return err
		}
		want, err := fs.ReadFile(m.App, name)
		if err != nil {
			return err
		}
		// A static host may lead /index.html to /, which is the same page.
		resp, got, err := m.get(ctx, origin+"/"+strings.TrimSuffix(name, "index.html"))
		if err == nil && (resp.StatusCode != http.StatusOK || !bytes.Equal(want, got)) {
			differs = name
		}
		return err
	})
	return differs, err
}

// farOff is how much two clocks may differ before cards seem expired or the certificate check fails.
const farOff = 2 * time.Minute

// clock compares this machine's clock with the relay's Date (RFC 9110, 6.6.1), which has whole seconds.
func clock(resp *http.Response, now time.Time) (Row, bool) {
	theirs, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return Row{}, false
	}
	off, side := now.Sub(theirs), "ahead of"
	if off < 0 {
		off, side = -off, "behind"
	}
	if off < farOff {
		return Row{}, false
	}
	return Row{Warn, "clock", fmt.Sprintf("this machine is %s %s the relay.  set one of the two; deadlines on cards come from here", voice.For(off), side)}, true
}
