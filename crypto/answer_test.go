package crypto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func goodAnswer(d Decision, via Via) Answer {
	a := Answer{
		Agent: testAgent, Device: testDevice, Request: [16]byte([]byte("sixteen bytes...")),
		CardDigest: CardDigest([]byte("card")), Decision: d, Via: via, MadeMS: testNow,
	}
	if d == Answered {
		a.Payload = []byte(`{"q":"a"}`)
	}
	return a
}

// goodAnswers has one of every kind that exists.
func goodAnswers() (all []Answer) {
	for d := Allow; d <= HandBack; d++ {
		for via := ViaNotification; via <= ViaPasskey; via++ {
			all = append(all, goodAnswer(d, via))
		}
	}
	for rule := range 4 {
		a := goodAnswer(Allow, ViaApp)
		a.Flags = RuleFlags(rule)
		all = append(all, a)
	}
	words := goodAnswer(Deny, ViaApp)
	words.Payload = []byte("use trash instead")
	return append(all, words)
}

func TestParseAnswerGivesBackWhatWasMade(t *testing.T) {
	for _, a := range goodAnswers() {
		b := a.Bytes()
		got, err := ParseAnswer(b)
		if err != nil || !reflect.DeepEqual(got, a) || !bytes.Equal(got.Bytes(), b) {
			t.Errorf("%+v: %+v, %v", a, got, err)
		}
	}
}

func TestAnswerLayout(t *testing.T) {
	a := goodAnswer(Deny, ViaApp)
	a.Payload = []byte("no")
	b := a.Bytes()
	if len(b) != AnswerSize+2 {
		t.Fatalf("%d bytes", len(b))
	}
	for name, f := range map[string]struct {
		from, to int
		want     []byte
	}{
		"label": {0, 20, []byte("answerback/1 answer\x00")}, "suite": {20, 21, []byte{1}},
		"agent": {21, 37, testAgent[:]}, "device": {37, 53, testDevice[:]}, "request": {53, 69, a.Request[:]},
		"digest": {69, 101, a.CardDigest[:]}, "decision": {101, 102, []byte{2}}, "flags": {102, 103, []byte{0}},
		"via": {103, 104, []byte{2}}, "made": {104, 112, binary.BigEndian.AppendUint64(nil, testNow)},
		"length": {112, 116, []byte{0, 0, 0, 2}}, "payload": {116, 118, []byte("no")},
	} {
		if !bytes.Equal(b[f.from:f.to], f.want) {
			t.Errorf("%s: %x", name, b[f.from:f.to])
		}
	}
}

// M001: an answer without the decision, with another type, out of range or
// doubled was counted as Allow elsewhere. Here a decision is one byte with no
// zero value, and everything around it is exact.
func TestM001_OnlyTheExactAllowAllows(t *testing.T) {
	good := goodAnswer(Allow, ViaApp).Bytes()
	for decision := range 256 {
		b := slices.Clone(good)
		b[101] = byte(decision)
		a, err := ParseAnswer(b)
		if valid := decision == 1 || decision == 2 || decision == 4; (err == nil) != valid {
			t.Errorf("decision %d: %v", decision, err)
		}
		if err != nil && a.Decision == Allow {
			t.Errorf("decision %d: refused, but says allow", decision)
		}
	}
	if (Answer{}).Check() == nil {
		t.Error("the zero answer is taken")
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "the label": good[:20], "no decision": slices.Delete(slices.Clone(good), 101, 102),
		"two decisions": slices.Insert(slices.Clone(good), 101, 1), "doubled": slices.Concat(good, good),
		"null": []byte("null"), "JSON": []byte(`{"decision":"allow"}`), "false": []byte(`"false"`),
		"zeros": make([]byte, AnswerSize), "ones": bytes.Repeat([]byte{1}, AnswerSize), "yes": []byte("yes"),
	} {
		if a, err := ParseAnswer(b); !errors.Is(err, ErrAnswer) || a.Decision != 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestParseAnswerRefusesOtherLengths(t *testing.T) {
	for _, a := range goodAnswers() {
		b := a.Bytes()
		for n := range b {
			if _, err := ParseAnswer(b[:n]); !errors.Is(err, ErrAnswer) {
				t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
			}
		}
		if _, err := ParseAnswer(append(b, 0)); !errors.Is(err, ErrAnswer) {
			t.Fatalf("one byte more: %v", err)
		}
	}
}

func TestParseAnswerRefusesOtherHeads(t *testing.T) {
	good := goodAnswer(Allow, ViaApp).Bytes()
	for i := range 21 {
		b := slices.Clone(good)
		b[i] ^= 1
		if _, err := ParseAnswer(b); !errors.Is(err, ErrAnswer) {
			t.Errorf("byte %d of label and suite changed: %v", i, err)
		}
	}
}

// M007: an answer carries a decision and nothing that widens anything else.
func TestM007_FlagsAndPayloadWidenNothing(t *testing.T) {
	for d := Allow; d <= HandBack; d++ {
		for via := ViaNotification; via <= ViaPasskey; via++ {
			for flags := range 256 {
				b := goodAnswer(d, via).Bytes()
				b[102] = byte(flags)
				_, err := ParseAnswer(b)
				rule := flags&1 == 1 && flags < 8 && d == Allow && via != ViaNotification
				if want := flags == 0 || rule; (err == nil) != want {
					t.Errorf("decision %d, via %d, flags %#x: %v", d, via, flags, err)
				}
			}
		}
	}
	for _, d := range []Decision{Allow, HandBack} {
		a := goodAnswer(d, ViaApp)
		a.Payload = []byte(`{"mode":"bypass"}`)
		if _, err := ParseAnswer(a.Bytes()); !errors.Is(err, ErrAnswer) {
			t.Errorf("decision %d with a payload: %v", d, err)
		}
	}
}

func TestParseAnswerRefusesValuesOutOfRange(t *testing.T) {
	for name, change := range map[string]func(*Answer){
		"via 0": func(a *Answer) { a.Via = 0 }, "via 4": func(a *Answer) { a.Via = 4 }, "via 255": func(a *Answer) { a.Via = 255 },
		"time over 2^53":    func(a *Answer) { a.MadeMS = MaxNumber + 1 },
		"empty answers":     func(a *Answer) { a.Decision = Answered; a.Payload = nil },
		"payload too long":  func(a *Answer) { a.Payload = bytes.Repeat([]byte{'x'}, MaxPayload+1) },
		"payload not UTF-8": func(a *Answer) { a.Payload = []byte("\xff") },
		"a lone surrogate":  func(a *Answer) { a.Payload = []byte("\xed\xa0\x80") },
		"an overlong slash": func(a *Answer) { a.Payload = []byte("\xc0\xaf") },
	} {
		a := goodAnswer(Deny, ViaApp)
		change(&a)
		if _, err := ParseAnswer(a.Bytes()); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := SignAnswer(testKey("device"), a, nil); !errors.Is(err, ErrAnswer) {
			t.Errorf("%s: signed: %v", name, err)
		}
	}
	longest := goodAnswer(Deny, ViaApp)
	longest.Payload = []byte(strings.Repeat("é", MaxPayload/2))
	if _, err := ParseAnswer(longest.Bytes()); err != nil {
		t.Errorf("the longest payload: %v", err)
	}
}

// B116: the phone's clock is information only. Nothing on the device's way to an
// answer asks for it: SealDevice and OpenDevice take no time.
func TestB116_DeviceClockDecidesNothing(t *testing.T) {
	agent, device := pairOf("a")
	if _, err := device.OpenDevice(testDevice, sealCard(t, agent, testNow, "card")); err != nil {
		t.Fatal(err)
	}
	for name, made := range map[string]uint64{
		"a day back": testNow - dayMS, "ten minutes ahead": testNow + 600_000, "a year ahead": testNow + 365*dayMS,
		"1970": 0, "as far as it goes": MaxNumber,
	} {
		a := goodAnswer(Allow, ViaApp)
		a.MadeMS = made
		m, err := SignAnswer(testKey("device"), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		sealed, err := device.SealDevice(testDevice, Message{Type: TypeAnswer, Body: m.Bytes()}, &stream{name: name})
		if err != nil {
			t.Fatal(err)
		}
		opened, err := agent.OpenAgent(testDevice, testNow, sealed)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := ParseAnswerMessage(opened.Body); err != nil || got.Answer.MadeMS != made {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestRuleFlags(t *testing.T) {
	for index := range 4 {
		a := Answer{Flags: RuleFlags(index)}
		if got, ok := a.Rule(); !ok || got != index {
			t.Errorf("rule %d reads as %d, %v", index, got, ok)
		}
	}
	if _, ok := (Answer{}).Rule(); ok {
		t.Error("no flags make a rule")
	}
	if RuleFlags(4) != RuleFlags(0) || RuleFlags(255)&^7 != 0 {
		t.Error("an index out of range sets other bits")
	}
}
