package relayserver_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"answerback/relay"
	"answerback/relay/relayserver"
)

// FuzzSocket writes any bytes as a frame, after LISTEN, and wants the relay to
// answer or to say BYE; never to break, and never to touch another box.
func FuzzSocket(f *testing.F) {
	for _, frame := range [][]byte{sendFrame(1, "a", "x"), listenFrame("b"), pushFrame(1), relay.AppendLeave(nil, boxOf("a")), relay.AppendAdmit(nil, boxOf("a")), relay.AppendSent(nil, 1), {}} {
		f.Add(frame)
	}
	var log syncBuffer
	server := relayserver.New(relayserver.Options{Limits: noLimits, Log: slog.New(slog.NewTextHandler(&log, nil))})
	srv := httptest.NewServer(server)
	f.Cleanup(func() { srv.Close(); server.Close() })
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	f.Fuzz(func(t *testing.T, frame []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		ws, _, err := websocket.Dial(ctx, srv.URL+"/v1/ws", &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{relay.Subprotocol}})
		if err != nil {
			t.Fatal(err)
		}
		defer ws.CloseNow()
		ws.SetReadLimit(relay.MaxFrame)
		for _, b := range [][]byte{listenFrame("a"), frame, sendFrame(99, "a", "after it")} {
			ws.Write(ctx, websocket.MessageBinary, b)
		}
		checkAnswers(ctx, t, ws)
		if strings.Contains(log.String(), "broke") {
			t.Fatal(log.String())
		}
	})
}

// checkAnswers reads until the answer to SEND 99 or BYE: every frame is one
// that a relay may send.
func checkAnswers(ctx context.Context, t *testing.T, ws *websocket.Conn) {
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			t.Fatal("neither an answer nor BYE:", err)
		}
		switch relay.TypeOf(b) {
		case relay.TypeBye:
			return
		case relay.TypeSent, relay.TypeUnsent:
			if bytes.Equal(b[1:9], relay.AppendSent(nil, 99)[1:]) {
				return
			}
		case relay.TypeMessage:
			if m, err := relay.ParseMessage(b); err != nil || m.Box != boxOf("a") && string(m.Payload) == "after it" {
				t.Fatalf("%x, %v", b, err)
			}
		case relay.TypeListening, relay.TypePushed:
		default:
			t.Fatalf("the relay sent %x", b)
		}
	}
}

// FuzzPost gives any body to POST /v1/send: the answer is one of the table.
func FuzzPost(f *testing.F) {
	f.Add(sendFrame(1, "a", "x"), false)
	f.Add(append(listenFrame("reply"), sendFrame(1, "a", "x")...), true)
	f.Fuzz(func(t *testing.T, body []byte, wait bool) {
		server := relayserver.New(relayserver.Options{})
		r := httptest.NewRequest("POST", "http://localhost/v1/send", bytes.NewReader(body))
		if wait {
			r.URL.RawQuery = "wait=1"
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		switch w.Code {
		case 400, 408, 409, 413:
		default:
			t.Fatalf("%d for %x", w.Code, body)
		}
	})
}
