package device_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"answerback/agent/card"
	"answerback/agent/device"
	abcrypto "answerback/crypto"
	"answerback/pairing"
)

func TestPairOverTheRelay(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	var asked pairing.Bundle
	digits := make(chan string, 1)
	link, done := a.pairWith(digits)
	s, err := device.Pair(within(t, 20*time.Second), strings.ToUpper(link), device.PairOptions{
		Name: "terminal", Platform: "Linux",
		OnConfirm: func(b pairing.Bundle) bool { asked = b; return true },
		OnDigits:  func(d string) { digits <- d },
	}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if asked.AgentName != "studio" || s.Agent != a.id || s.HostName != "studio.example.org" || s.Relay != r.url() || s.Name != "terminal" {
		t.Errorf("%+v %+v", asked, s)
	}
	if s.Device != abcrypto.DeviceID(s.SignKey.Public().(ed25519.PublicKey)) || s.SignKey == nil {
		t.Error("the key is not this device's")
	}
	run(t, s, device.Options{}) // the first hello ends it
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestB093_CodeUsedByTwoDevices(t *testing.T) {
	a := newAgent(t, newRelay(t))
	link, done := a.pairWith(nil)
	shown, ends := make(chan string, 1), make(chan error, 1)
	go func() {
		_, err := device.Pair(within(t, 20*time.Second), link, device.PairOptions{Name: "x", OnDigits: func(d string) { shown <- d }}, device.Options{})
		ends <- err
	}()
	<-shown
	_, err := device.Pair(within(t, 20*time.Second), link, device.PairOptions{Name: "y"}, device.Options{})
	var stopped pairing.ErrStopped
	if !errors.As(err, &stopped) || stopped.Reason != pairing.StopTwoDevices {
		t.Errorf("the second device: %v", err)
	}
	if err := <-done; !errors.Is(err, pairing.ErrTwoDevices) {
		t.Errorf("the agent: %v", err)
	}
	if err := <-ends; !errors.As(err, &stopped) {
		t.Errorf("the first device: %v", err)
	}
}

func TestWrongDigitsThreeTimes(t *testing.T) {
	a := newAgent(t, newRelay(t))
	digits := make(chan string, 3)
	link, done := a.pairWith(digits)
	_, err := device.Pair(within(t, 20*time.Second), link, device.PairOptions{Name: "x", OnDigits: func(d string) {
		wrong := "000000"
		if d == wrong {
			wrong = "000001"
		}
		for range 3 {
			digits <- wrong
		}
	}}, device.Options{})
	var stopped pairing.ErrStopped
	if !errors.As(err, &stopped) || stopped.Reason != pairing.StopWrongDigits {
		t.Errorf("%v", err)
	}
	if err := <-done; !errors.Is(err, pairing.ErrBurnt) {
		t.Errorf("the agent: %v", err)
	}
}

func TestPairEndsWithASentence(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	link, _ := a.pairWith(nil)
	_, offer, _, err := pairing.ParseLink(link)
	if err != nil {
		t.Fatal(err)
	}
	swapped, unknown := offer, offer
	swapped.Fingerprint[0]++
	unknown.Secret[0]++
	ok := device.PairOptions{Name: "x"}
	for name, c := range map[string]struct {
		link string
		ask  device.PairOptions
		want error
	}{
		"no link":                   {"hello", ok, pairing.ErrLink},
		"its end alone":             {link[strings.Index(link, "#")+1:], ok, pairing.ErrLinkPart},
		"declined":                  {link, device.PairOptions{Name: "x", OnConfirm: func(pairing.Bundle) bool { return false }}, device.ErrDeclined},
		"no name":                   {link, device.PairOptions{}, pairing.ErrConfig},
		"a code of another machine": {pairing.Link(r.url(), swapped, ""), ok, pairing.ErrNotOurs},
		"a code that nobody drew":   {pairing.Link(r.url(), unknown, ""), ok, device.ErrUnreachable},
		"no relay there":            {"http://127.0.0.1:1/p" + link[strings.Index(link, "#"):], ok, device.ErrUnreachable},
	} {
		s, err := device.Pair(within(t, 1500*time.Millisecond), c.link, c.ask, device.Options{})
		if !errors.Is(err, c.want) || s.SignKey != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// usedState is that of a device that has answered once.
func usedState(t *testing.T) device.State {
	t.Helper()
	_, a, d := setUp(t, device.Options{})
	a.answering(a.accept)
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil {
		t.Fatal(err)
	}
	return d.State()
}

func TestStateReadsBackTheSame(t *testing.T) {
	s := usedState(t)
	b, err := s.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := throughBytes(t, s).Marshal()
	if err != nil || string(again) != string(b) {
		t.Errorf("%v:\n%s\n%s", err, b, again)
	}
}

func TestStateThatIsNone(t *testing.T) {
	b, err := usedState(t).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "null", "{}", "[]", string(b) + "x", string(b[:len(b)-1])} {
		if _, err := device.ParseState([]byte(bad)); !errors.Is(err, device.ErrState) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
	for name, value := range map[string]any{
		"version": 2, "agent_key": "00", "device": "00", "sign_seed": strings.Repeat("00", 32), "read_keys": []string{"00"}, "write_keys": nil, "chain": "zz", "mode": "bypass",
		"heads": []map[string]any{{"size": 1, "root": "00", "made": 1}}, "seen": []map[string]any{{"request": "00"}}, "outbox": []map[string]any{{"request": "00"}},
	} {
		changed := map[string]any{}
		for k, v := range members {
			changed[k] = v
		}
		changed[name] = value
		bad, _ := json.Marshal(changed)
		if _, err := device.ParseState(bad); !errors.Is(err, device.ErrState) {
			t.Errorf("another %s was taken: %v", name, err)
		}
	}
}

// TestKeyIsAskedForEachDecision: a terminal keeps its key behind a passphrase, and the state without it.
func TestKeyIsAskedForEachDecision(t *testing.T) {
	r := newRelay(t)
	a := newAgent(t, r)
	a.answering(a.accept)
	s := a.pair(device.Options{})
	key := s.SignKey
	s.SignKey = nil
	s = throughBytes(t, s)
	if _, err := device.Open(s, device.Options{}); err == nil {
		t.Error("a device without any key was opened")
	}
	var decisions []abcrypto.Decision
	given := errors.New("wrong passphrase")
	hand := func(d abcrypto.Decision) (ed25519.PrivateKey, error) {
		decisions = append(decisions, d)
		return key, given
	}
	d, _ := run(t, s, device.Options{Key: hand})
	w := a.ask(routine())
	waitCard(t, d, w)
	if _, err := d.Answer(within(t, 5*time.Second), w.Card.Request, allow); !errors.Is(err, given) {
		t.Errorf("%v", err)
	}
	given = nil
	_, other, _ := ed25519.GenerateKey(rand.Reader)
	right := key
	key = other
	if _, err := d.Answer(within(t, 5*time.Second), w.Card.Request, allow); err == nil {
		t.Error("another key signed")
	}
	key = right
	if got, err := d.Answer(within(t, 10*time.Second), w.Card.Request, allow); err != nil || got.Outcome != card.Accepted || len(decisions) != 3 || decisions[2] != abcrypto.Allow {
		t.Errorf("%+v %v %v", got, err, decisions)
	}
}

func TestPasskeyConfirmsTheVeryAnswer(t *testing.T) {
	var challenge [32]byte
	var refuse error
	_, a, d := setUp(t, device.Options{Passkey: func(c [32]byte) ([]byte, error) { challenge = c; return []byte("finger"), refuse }})
	w := a.ask(routine())
	waitCard(t, d, w)
	by := device.Reply{Decision: abcrypto.Allow, Via: abcrypto.ViaPasskey}
	refuse = errors.New("closed")
	if _, err := d.Answer(canceled, w.Card.Request, by); !errors.Is(err, device.ErrNoPasskey) || a.count(abcrypto.TypeAnswer) != 0 {
		t.Errorf("%v", err)
	}
	refuse = nil
	got := make(chan abcrypto.AnswerMessage, 4)
	a.answering(func(m abcrypto.Message) {
		if parsed, err := abcrypto.ParseAnswerMessage(m.Body); err == nil {
			got <- parsed
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	d.Answer(ctx, w.Card.Request, by)
	m := <-got
	if string(m.Assertion) != "finger" || abcrypto.UVChallenge(m.Raw) != challenge {
		t.Errorf("%+v", m)
	}
}

func FuzzParseState(f *testing.F) {
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := device.ParseState(b)
		if err != nil {
			return
		}
		made, err := s.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := device.ParseState(made); err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, made)
		}
	})
}
