package card

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	abcrypto "answerback/crypto"
)

var (
	testKey    = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	otherKey   = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, 32))
	testPub    = testKey.Public().(ed25519.PublicKey)
	testAgent  = abcrypto.ID{0xa}
	testDevice = abcrypto.DeviceID(testPub)
)

func mustNew(t *testing.T, c Card) Written {
	t.Helper()
	w, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func phone() Answerer { return Answerer{Device: testDevice, Key: testPub, Role: Approver} }

// withPasskey is a phone whose passkey says "finger" to the right challenge of this answer.
func withPasskey(a func() abcrypto.Answer) Answerer {
	p := phone()
	p.Passkey = func(challenge [32]byte, assertion []byte) error {
		if challenge != abcrypto.UVChallenge(a().Bytes()) || string(assertion) != "finger" {
			return errors.New("not this finger, or not this answer")
		}
		return nil
	}
	return p
}

// allowOf is the plain Allow of a card.
func allowOf(w Written) abcrypto.Answer {
	return abcrypto.Answer{
		Agent: testAgent, Device: testDevice, Request: w.Card.Request, CardDigest: w.Digest, Decision: abcrypto.Allow,
		Via: abcrypto.ViaNotification, MadeMS: 1,
	}
}

func sign(t *testing.T, a abcrypto.Answer) []byte {
	t.Helper()
	var assertion []byte
	if a.Via == abcrypto.ViaPasskey {
		assertion = []byte("finger")
	}
	m, err := abcrypto.SignAnswer(testKey, a, assertion)
	if err != nil {
		t.Fatal(err)
	}
	return m.Bytes()
}

func TestAnAllowOfTheVeryCard(t *testing.T) {
	w := mustNew(t, routine())
	a := allowOf(w)
	v, err := VerifyAnswer(w.Asked(testAgent), phone(), sign(t, a))
	if err != nil || !v.Allows() {
		t.Fatalf("allows %v: %v", v.Allows(), err)
	}
	sig := v.Signature()
	if v.Word() != WordAllow || v.Request() != w.Card.Request || v.Device() != testDevice || v.Via() != abcrypto.ViaNotification || v.Made() != 1 ||
		!bytes.Equal(v.AnswerBytes(), a.Bytes()) || !ed25519.Verify(testPub, v.AnswerBytes(), sig[:]) || v.ReceiptHash() != abcrypto.ReceiptHash(a.Bytes()) {
		t.Errorf("%+v", v)
	}
}

func TestZeroVerifiedAllowsNothing(t *testing.T) {
	var v Verified
	if v.Allows() || v.Decision() != 0 || v.Word() != "" || v.Words() != "" || v.Answers() != nil {
		t.Error("the zero Verified decides something")
	}
	if _, ok := v.Rule(); ok {
		t.Error("the zero Verified makes a rule")
	}
	w := mustNew(t, routine())
	body := sign(t, allowOf(w))
	if _, err := VerifyAnswer(Asked{}, phone(), body); err == nil {
		t.Error("the zero Asked was matched")
	}
	if _, err := VerifyAnswer(w.Asked(testAgent), Answerer{}, body); err == nil {
		t.Error("the zero Answerer may answer")
	}
}

// TestM001_EveryByteOfAnAnswer: whatever is changed, cut, doubled or added, nothing is allowed.
func TestM001_EveryByteOfAnAnswer(t *testing.T) {
	w := mustNew(t, routine())
	good := sign(t, allowOf(w))
	refused := func(what string, at int, body []byte) {
		if v, err := VerifyAnswer(w.Asked(testAgent), phone(), body); err == nil || v.Allows() || v.Decision() != 0 {
			t.Errorf("%s at %d was taken", what, at)
		}
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			refused("a flipped bit", i, bad)
		}
		refused("the start alone", i, good[:i])
		refused("a byte too many", i, append(append(bytes.Clone(good[:i]), 0), good[i:]...))
		refused("a byte too few", i, append(bytes.Clone(good[:i]), good[i+1:]...))
	}
	refused("the answer doubled", 0, append(bytes.Clone(good), good...))
	for _, text := range []string{"", "null", "true", "yes", "allow", `{"decision":"allow"}`, "perm:allow"} {
		refused("the text "+text, 0, []byte(text))
	}
}

// TestM001_SignedButOutOfRange: the signature holds, and the field is still none that exists.
func TestM001_SignedButOutOfRange(t *testing.T) {
	w := mustNew(t, routine())
	raw := allowOf(w).Bytes()
	for field, at := range map[string]int{"suite": 20, "decision": 101, "flags": 102, "via": 103} {
		for value := range 256 {
			bad := bytes.Clone(raw)
			bad[at] = byte(value)
			v, err := VerifyAnswer(w.Asked(testAgent), phone(), signRaw(bad))
			switch {
			case bytes.Equal(bad, raw):
			case field == "decision" && (value == 2 || value == 4), field == "via" && value == 2:
				if err != nil || field == "decision" && v.Allows() {
					t.Errorf("%s %d: %v", field, value, err)
				}
			case err == nil:
				t.Errorf("%s %d was taken", field, value)
			}
		}
	}
}

func signRaw(raw []byte) []byte {
	return append(append(bytes.Clone(raw), ed25519.Sign(testKey, raw)...), 0, 0)
}

func TestEachRefusalHasItsName(t *testing.T) {
	w := mustNew(t, routine())
	cases := []struct {
		name string
		card func(*Card)
		by   func(*Answerer)
		a    func(*abcrypto.Answer)
		want error
	}{
		{"another agent", nil, nil, func(a *abcrypto.Answer) { a.Agent[0]++ }, ErrAgent},
		{"another device", nil, nil, func(a *abcrypto.Answer) { a.Device[0]++ }, ErrDevice},
		{"another call B006 B053", nil, nil, func(a *abcrypto.Answer) { a.Request[0]++ }, ErrRequest},
		{"another card M006", nil, nil, func(a *abcrypto.Answer) { a.CardDigest[0]++ }, ErrDigest},
		{"answers to a call", nil, nil, func(a *abcrypto.Answer) { a.Decision, a.Payload = abcrypto.Answered, []byte(`{"q":"a"}`) }, ErrDecision},
		{"an allow of a question", question, nil, nil, ErrDecision},
		{"a hand back of an admin card", admin, nil, func(a *abcrypto.Answer) { a.Decision = abcrypto.HandBack }, ErrDecision},
		{"a watcher", nil, func(by *Answerer) { by.Role = Watcher }, nil, ErrRole},
		{"a watcher's deny", nil, func(by *Answerer) { by.Role = Watcher }, func(a *abcrypto.Answer) { a.Decision = abcrypto.Deny }, ErrRole},
		{"no role", nil, func(by *Answerer) { by.Role = "" }, nil, ErrRole},
		{"another key", nil, func(by *Answerer) { by.Key = otherKey.Public().(ed25519.PublicKey) }, nil, ErrSignature},
		{"no key", nil, func(by *Answerer) { by.Key = nil }, nil, ErrSignature},
		{"an empty call B080", func(c *Card) { c.Input = "{}" }, nil, nil, ErrNoAllow},
		{"an undecodable call", func(c *Card) { c.Input = `{"a":1,"A":2}` }, nil, nil, ErrNoAllow},
		{"a cut call M003", func(c *Card) { *c = cutCard() }, nil, nil, ErrNoAllow},
		{"a notification where the app is needed", func(c *Card) { c.Needs.Via = NeedApp }, nil, nil, ErrVia},
		{"a notification of a sensitive call", func(c *Card) { c.Class = Sensitive }, nil, nil, ErrVia},
		{"a notification of a destructive call", func(c *Card) { c.Class = Destructive }, nil, nil, ErrVia},
		{"the app where the passkey is needed", func(c *Card) { c.Needs.Via = NeedPasskey }, nil, app, ErrVia},
		{"destructive without the registered passkey", func(c *Card) { c.Class = Destructive }, always, app, ErrVia},
		{"an admin card from a notification", admin, nil, nil, ErrVia},
		{"an admin card without the registered passkey", admin, always, app, ErrVia},
		{"a claim of a passkey that is not registered", nil, nil, finger, ErrPasskey},
		{"a passkey that says no", nil, never, finger, ErrPasskey},
		{"a deny with a passkey that says no", nil, never, func(a *abcrypto.Answer) { finger(a); a.Decision = abcrypto.Deny }, ErrPasskey},
		{"a rule that is not on the card", nil, nil, func(a *abcrypto.Answer) { app(a); a.Flags = abcrypto.RuleFlags(0) }, ErrRule},
		{"the third rule of two", rules, nil, func(a *abcrypto.Answer) { app(a); a.Flags = abcrypto.RuleFlags(2) }, ErrRule},
		{"a rule without the registered passkey", rules, always, func(a *abcrypto.Answer) { app(a); a.Flags = abcrypto.RuleFlags(0) }, ErrVia},
		{"answers that are none", question, nil, func(a *abcrypto.Answer) { a.Decision, a.Payload = abcrypto.Answered, []byte(`yes`) }, ErrPayload},
		{"answers to no question", question, nil, func(a *abcrypto.Answer) { a.Decision, a.Payload = abcrypto.Answered, []byte(`{}`) }, ErrPayload},
		{"answers from a notification", func(c *Card) { question(c); c.Needs.Via = NeedApp }, nil, func(a *abcrypto.Answer) { a.Decision, a.Payload = abcrypto.Answered, []byte(`{"q":"a"}`) }, ErrVia},
	}
	for _, c := range cases {
		w := w
		if c.card != nil {
			changed := routine()
			c.card(&changed)
			w = mustNew(t, changed)
		}
		by, a := phone(), allowOf(w)
		if c.by != nil {
			c.by(&by)
		}
		if c.a != nil {
			c.a(&a)
		}
		v, err := VerifyAnswer(w.Asked(testAgent), by, sign(t, a))
		if !errors.Is(err, c.want) || v.Allows() || v.Decision() != 0 {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func question(c *Card)          { c.Kind, c.Input = KindQuestion, `{"questions":[{"question":"q"}]}` }
func admin(c *Card)             { *c = admitCard() }
func rules(c *Card)             { c.Rules = full().Rules }
func app(a *abcrypto.Answer)    { a.Via = abcrypto.ViaApp }
func finger(a *abcrypto.Answer) { a.Via = abcrypto.ViaPasskey }
func always(by *Answerer)       { by.Passkey = func([32]byte, []byte) error { return nil } }
func never(by *Answerer)        { by.Passkey = func([32]byte, []byte) error { return errors.New("no") } }

func TestWhatIsNeededIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		card func(*Card)
		a    func(*abcrypto.Answer)
	}{
		"a deny of a cut call from a notification": {func(c *Card) { *c = cutCard() }, func(a *abcrypto.Answer) { a.Decision = abcrypto.Deny }},
		"a deny of a destructive call":             {func(c *Card) { c.Class = Destructive }, func(a *abcrypto.Answer) { a.Decision = abcrypto.Deny }},
		"a hand back where the passkey is needed":  {func(c *Card) { c.Needs.Via = NeedPasskey }, func(a *abcrypto.Answer) { a.Decision = abcrypto.HandBack }},
		"the passkey where it is needed":           {func(c *Card) { c.Needs.Via = NeedPasskey }, finger},
		"the passkey for a destructive call":       {func(c *Card) { c.Class = Destructive }, finger},
		"the passkey where a tap would do":         {nil, finger},
		"answers to a question":                    {question, func(a *abcrypto.Answer) { a.Decision, a.Payload = abcrypto.Answered, []byte(`{"q":["a","b"]}`) }},
		"a declined question":                      {question, func(a *abcrypto.Answer) { a.Decision = abcrypto.Deny }},
		"an admin card with the passkey":           {admin, finger},
	} {
		changed := routine()
		if c.card != nil {
			c.card(&changed)
		}
		w := mustNew(t, changed)
		a := allowOf(w)
		if c.a != nil {
			c.a(&a)
		}
		by := withPasskey(func() abcrypto.Answer { return a })
		v, err := VerifyAnswer(w.Asked(testAgent), by, sign(t, a))
		if err != nil || v.Decision() != a.Decision || v.Allows() != (a.Decision == abcrypto.Allow) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRuleOnTheWay(t *testing.T) {
	c := routine()
	rules(&c)
	w := mustNew(t, c)
	a := allowOf(w)
	a.Via, a.Flags = abcrypto.ViaApp, abcrypto.RuleFlags(1)
	v, err := VerifyAnswer(w.Asked(testAgent), phone(), sign(t, a))
	if index, ok := v.Rule(); err != nil || !ok || index != 1 {
		t.Errorf("rule %d %v: %v", index, ok, err)
	}
	a.Flags = 0
	v, _ = VerifyAnswer(w.Asked(testAgent), phone(), sign(t, a))
	if _, ok := v.Rule(); ok || !v.Allows() {
		t.Error("an Allow without the flag makes a rule")
	}
}

func TestAnswersKeepTheirOrderAndText(t *testing.T) {
	c := routine()
	question(&c)
	w := mustNew(t, c)
	a := allowOf(w)
	a.Decision, a.Payload = abcrypto.Answered, []byte(`{"z?":"own \u202e words","__proto__":["b","a"]}`)
	v, err := VerifyAnswer(w.Asked(testAgent), phone(), sign(t, a))
	got := v.Answers()
	if err != nil || len(got) != 2 || got[0].Question != "z?" || got[0].Values[0] != "own \u202e words" || got[0].Many || got[1].Question != "__proto__" || !got[1].Many || strings.Join(got[1].Values, " ") != "b a" || v.Allows() {
		t.Errorf("%+v: %v", got, err)
	}
}

func TestB121_WordsWithoutControlCharacters(t *testing.T) {
	w := mustNew(t, routine())
	a := allowOf(w)
	a.Decision, a.Payload = abcrypto.Deny, []byte(" use \x1b[31mtrash\x1b[0m\x00\n\tinstead\u202e\u200b, não \r\n")
	v, err := VerifyAnswer(w.Asked(testAgent), phone(), sign(t, a))
	if want := "use [31mtrash[0m\n\tinstead, não"; err != nil || v.Words() != want || v.Allows() {
		t.Errorf("%q, want %q (%v)", v.Words(), want, err)
	}
	if !bytes.Contains(v.AnswerBytes(), a.Payload) {
		t.Error("the words as signed are gone")
	}
}

func FuzzVerifyAnswer(f *testing.F) {
	w, err := New(full(), nil)
	if err != nil {
		f.Fatal(err)
	}
	raw := allowOf(w).Bytes()
	f.Add(raw, true)
	f.Add(signRaw(raw), false)
	f.Fuzz(func(t *testing.T, b []byte, signIt bool) {
		if signIt {
			b = signRaw(b)
		}
		v, err := VerifyAnswer(w.Asked(testAgent), phone(), b)
		if err != nil && v.Decision() != 0 {
			t.Fatal("a refused answer decides")
		}
		if err == nil && (v.Request() != w.Card.Request || v.Via() < abcrypto.ViaApp && v.Allows()) {
			t.Fatal("an answer that does not fit was taken")
		}
	})
}
