package browser

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// fromBrowser is what Firefox sends: hello, register, unregister, ack, nack, broadcast_subscribe, or {} as a ping.
type fromBrowser struct {
	MessageType string `json:"messageType"`
	Browser     string `json:"uaid"`
	Channel     string `json:"channelID"`
	Key         string `json:"key"`
	Updates     []Ack  `json:"updates"`
}

func timeout() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 5*time.Second)
}

// serveBrowser keeps one browser's WebSocket.
func (a *Autopush) serveBrowser(w http.ResponseWriter, r *http.Request) {
	// A browser's push service shows no origin that could be checked.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"push-notification"}, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	browser := ""
	for {
		_, data, err := conn.Read(context.Background())
		var m fromBrowser
		if err != nil || json.Unmarshal(data, &m) != nil {
			break
		}
		if reply := a.receive(&browser, m); reply != nil && writeJSON(conn, reply) != nil {
			break
		}
		if m.MessageType == "hello" {
			a.online(conn, browser)
		}
	}
	a.offline(conn, browser)
}

// receive handles one message and returns the reply, if there is one.
func (a *Autopush) receive(browser *string, m fromBrowser) map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := map[string]any{"messageType": m.MessageType, "status": 200}
	switch m.MessageType {
	case "":
		return map[string]any{}
	case "hello":
		if *browser = m.Browser; *browser == "" {
			*browser = strings.ToLower(rand.Text())
		}
		reply["uaid"], reply["use_webpush"], reply["broadcasts"] = *browser, true, map[string]any{}
	case "register":
		token := strings.ToLower(rand.Text() + rand.Text())
		a.channels[token] = &channel{id: m.Channel, browser: *browser, key: m.Key}
		reply["channelID"], reply["pushEndpoint"] = m.Channel, a.base+endpoints+token
	case "unregister":
		for token, c := range a.channels {
			if c.id == m.Channel && c.browser == *browser {
				delete(a.channels, token)
			}
		}
		reply["channelID"] = m.Channel
	case "ack":
		a.acks = append(a.acks, m.Updates...)
		a.changed()
		return nil
	default:
		return nil
	}
	return reply
}

func (a *Autopush) online(conn *websocket.Conn, browser string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.browsers[browser] = conn
	a.backlog(browser)
}

func (a *Autopush) offline(conn *websocket.Conn, browser string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.browsers[browser] == conn {
		delete(a.browsers, browser)
	}
}

// signedBy checks a VAPID header (RFC 8292): the key of the subscription, this server as the audience, an end within a day, a contact.
func signedBy(header, key, audience string, now time.Time) bool {
	rest, _ := strings.CutPrefix(header, "vapid t=")
	token, k, _ := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if len(parts) != 3 || strings.TrimRight(key, "=") != k {
		return false
	}
	point, _ := b64url.DecodeString(k)
	sig, _ := b64url.DecodeString(parts[2])
	text, _ := b64url.DecodeString(parts[1])
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || len(sig) != 64 || !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])) {
		return false
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	left := time.Duration(0)
	if json.Unmarshal(text, &claims) == nil {
		left = time.Unix(claims.Exp, 0).Sub(now)
	}
	return left > 0 && left <= 24*time.Hour && claims.Aud == audience && (strings.HasPrefix(claims.Sub, "mailto:") || strings.HasPrefix(claims.Sub, "https:"))
}
