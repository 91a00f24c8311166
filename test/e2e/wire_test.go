package e2e

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	mobileweb "answerback/mobile-web"
	"answerback/relay"
	"answerback/relay/relayserver"
	"answerback/relay/relayserver/relaytest"
)

// M015: everything that crosses the relay in a whole trip of the real agent and the real page, pairing included, holds no word of the call, of
// the names or of the decision; and no address that the page asked for holds a piece of the link's secret.
func TestM015_RelaySeesNothing(t *testing.T) {
	var mu sync.Mutex
	var crossed bytes.Buffer
	messages := 0
	app, _ := mobileweb.Files()
	r := relaytest.New(t, relayserver.Options{App: app, Bus: relaytest.NewLossy(func(_ relay.Box, payload []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		crossed.Write(payload)
		messages++
		return false
	})})
	m := newMachine(t)
	m.address = strings.TrimPrefix(r.URL, "http://")
	seen.allow(m.url())
	m.startAgent()
	t.Cleanup(m.agent.end)
	p := newPhone(t)
	link := m.pair(p, "Pixel 9 of you@example.com")
	c := m.tool(fromTool("Bash", shell("kubectl rollout restart deployment/web")))
	p.reads("kubectl rollout restart")
	p.card()
	p.tap("Deny and say why")
	p.types("#dw", "wait for the backup")
	p.tapIn(".sheet", "Deny")
	if got := c.ends(); !strings.Contains(got, "wait for the backup") {
		t.Fatalf("the hook printed %q", got)
	}
	p.reads("Denied. Accepted by")
	mu.Lock()
	defer mu.Unlock()
	if messages < 10 || crossed.Len() < 5000 {
		t.Fatalf("only %d messages with %d bytes crossed the relay: this is no whole trip", messages, crossed.Len())
	}
	for _, word := range []string{"kubectl", "rollout", "backup", "Pixel", "example.com", "my-tool", "Bash", "deny", "allow", "answerback/1", "decision", "request_id", "/home/dev",
		"127.0.0.1"} {
		if bytes.Contains(crossed.Bytes(), []byte(word)) {
			t.Errorf("the relay saw %q", word)
		}
	}
	_, secret, _ := strings.Cut(link, "#")
	for _, address := range seen.addresses(m.url()) {
		if upper := strings.ToUpper(address); strings.Contains(upper, secret[:16]) || strings.Contains(upper, secret[len(secret)-16:]) {
			t.Errorf("the page asked the relay for %s", address)
		}
	}
}
