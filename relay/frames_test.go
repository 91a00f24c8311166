package relay

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// parsers has every parser of a frame, as a function that parses and, if that
// succeeds, writes the frame again.
var parsers = map[Type]func([]byte) ([]byte, error){
	TypeListen:    func(b []byte) ([]byte, error) { f, err := ParseListen(b); return f.Append(nil), err },
	TypeListening: func(b []byte) ([]byte, error) { f, err := ParseListening(b); return AppendListening(nil, f), err },
	TypeSend:      func(b []byte) ([]byte, error) { f, err := ParseSend(b); return f.Append(nil), err },
	TypeSent:      func(b []byte) ([]byte, error) { f, err := ParseSent(b); return AppendSent(nil, f), err },
	TypeUnsent:    func(b []byte) ([]byte, error) { f, why, err := ParseUnsent(b); return AppendUnsent(nil, f, why), err },
	TypeMessage:   func(b []byte) ([]byte, error) { f, err := ParseMessage(b); return f.Append(nil), err },
	TypeAdmit:     func(b []byte) ([]byte, error) { f, err := ParseAdmit(b); return AppendAdmit(nil, f), err },
	TypePush:      func(b []byte) ([]byte, error) { f, err := ParsePush(b); return f.Append(nil), err },
	TypePushed:    func(b []byte) ([]byte, error) { f, err := ParsePushed(b); return f.Append(nil), err },
	TypeLeave:     func(b []byte) ([]byte, error) { f, err := ParseLeave(b); return AppendLeave(nil, f), err },
	TypeBye:       func(b []byte) ([]byte, error) { f, err := ParseBye(b); return AppendBye(nil, f), err },
}

var aPush = Push{Tag: 8, TTL: 600, Urgency: UrgencyHigh, Topic: Topic{9}, Endpoint: "https://push.example.org/wpush/v2/abc", Body: []byte("sealed")}

// samples has one good frame of every type.
func samples() map[Type][]byte {
	box := Box{7}
	return map[Type][]byte{
		TypeListen:    Listen{R: ReaderKey{1}, HW: KeyHash{2}}.Append(nil),
		TypeListening: AppendListening(nil, box),
		TypeSend:      Send{Tag: 3, HR: KeyHash{4}, W: WriterKey{5}, Payload: []byte("sealed")}.Append(nil),
		TypeSent:      AppendSent(nil, 3),
		TypeUnsent:    AppendUnsent(nil, 3, UnsentNobody),
		TypeMessage:   Message{Box: box, Payload: []byte("sealed")}.Append(nil),
		TypeAdmit:     AppendAdmit(nil, box),
		TypePush:      aPush.Append(nil),
		TypePushed:    Pushed{Tag: 8, Status: 201, RetryAfter: 60}.Append(nil),
		TypeLeave:     AppendLeave(nil, box),
		TypeBye:       AppendBye(nil, ByeDraining),
	}
}

func TestEveryFrameThereAndBack(t *testing.T) {
	good := samples()
	if len(good) != 11 || len(parsers) != 11 {
		t.Fatal("a frame type has no sample or no parser")
	}
	for kind, frame := range good {
		again, err := parsers[kind](frame)
		if err != nil || !bytes.Equal(again, frame) {
			t.Errorf("%v: parsed and written again: %x, %v; want %x", kind, again, err, frame)
		}
	}
}

func TestEveryParserRefuses(t *testing.T) {
	variable := map[Type]bool{TypeSend: true, TypeMessage: true, TypePush: true}
	for kind, frame := range samples() {
		parse := parsers[kind]
		for n := range frame {
			if n > fixedPart(kind) {
				break // a shorter payload is a payload
			}
			if _, err := parse(frame[:n]); !errors.Is(err, ErrMalformed) {
				t.Errorf("%v cut to %d bytes: %v", kind, n, err)
			}
		}
		if _, err := parse(append(frame[:len(frame):len(frame)], 0)); !variable[kind] && !errors.Is(err, ErrMalformed) {
			t.Errorf("%v with a byte more: %v", kind, err)
		}
		for wrong := range 256 {
			other := append([]byte{byte(wrong)}, frame[1:]...)
			if _, err := parse(other); Type(wrong) != kind && !errors.Is(err, ErrMalformed) {
				t.Errorf("%v with type byte %d: %v", kind, wrong, err)
			}
		}
	}
}

// fixedPart is the longest prefix of the sample that cannot be a frame.
func fixedPart(kind Type) int {
	switch kind {
	case TypeSend:
		return SendHeader
	case TypeMessage:
		return MessageHeader
	case TypePush:
		return pushHeader + len(aPush.Endpoint)
	}
	return 1 << 20
}

func TestReasonsOutsideTheTables(t *testing.T) {
	for i := range 256 {
		u, b := UnsentReason(i), ByeReason(i)
		if _, _, err := ParseUnsent(AppendUnsent(nil, 1, u)); (err == nil) != (i >= 1 && i <= 7) {
			t.Errorf("UNSENT reason %d: %v", i, err)
		}
		if _, err := ParseBye(AppendBye(nil, b)); (err == nil) != (i >= 1 && i <= 11) {
			t.Errorf("BYE reason %d: %v", i, err)
		}
	}
}

func TestSizesAtTheirLimit(t *testing.T) {
	send := func(n int) []byte { return Send{Payload: make([]byte, n)}.Append(nil) }
	if _, err := ParseSend(send(MaxPayload)); err != nil || len(send(MaxPayload)) != MaxFrame {
		t.Errorf("the largest SEND: %v", err)
	}
	if _, err := ParseSend(send(MaxPayload + 1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a SEND one byte larger: %v", err)
	}
	message := Message{Payload: make([]byte, MaxFrame-MessageHeader+1)}.Append(nil)
	if _, err := ParseMessage(message); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a MESSAGE over the limit: %v", err)
	}
}

func TestPushRefuses(t *testing.T) {
	long := "https://push.example.org/" + strings.Repeat("a", MaxEndpoint-25)
	for _, tc := range []struct {
		name string
		edit func(*Push)
		want error
	}{
		{"the longest endpoint", func(p *Push) { p.Endpoint = long }, nil},
		{"an endpoint one byte longer", func(p *Push) { p.Endpoint = long + "a" }, ErrTooLarge},
		{"the largest body", func(p *Push) { p.Body = make([]byte, MaxPushBody) }, nil},
		{"a body one byte larger", func(p *Push) { p.Body = make([]byte, MaxPushBody+1) }, ErrTooLarge},
		{"no body", func(p *Push) { p.Body = nil }, ErrMalformed},
		{"no endpoint", func(p *Push) { p.Endpoint = "" }, ErrMalformed},
		{"plain http", func(p *Push) { p.Endpoint = "http://push.example.org/" }, ErrMalformed},
		{"http on loopback", func(p *Push) { p.Endpoint = "http://127.0.0.1:9001/push/a" }, nil},
		{"http on loopback by name", func(p *Push) { p.Endpoint = "http://localhost/push/a" }, nil},
		{"http near loopback", func(p *Push) { p.Endpoint = "http://localhost.example.org/" }, ErrMalformed},
		{"a space", func(p *Push) { p.Endpoint = "https://push.example.org/a b" }, ErrMalformed},
		{"a header's end", func(p *Push) { p.Endpoint = "https://push.example.org/\r\nHost: x" }, ErrMalformed},
		{"no ASCII", func(p *Push) { p.Endpoint = "https://püsh.example.org/" }, ErrMalformed},
		{"the longest life", func(p *Push) { p.TTL = MaxPushTTL }, nil},
		{"a second longer", func(p *Push) { p.TTL = MaxPushTTL + 1 }, ErrMalformed},
		{"urgency 0", func(p *Push) { p.Urgency = 0 }, ErrMalformed},
		{"urgency 3", func(p *Push) { p.Urgency = 3 }, ErrMalformed},
	} {
		p := aPush
		tc.edit(&p)
		if _, err := ParsePush(p.Append(nil)); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

// TestFrameVectors pins the bytes of one frame of each type.
func TestFrameVectors(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("00", n) }
	want := map[Type]string{
		TypeListen:    "01" + "01" + zeros(31) + "02" + zeros(31),
		TypeListening: "02" + "07" + zeros(19),
		TypeSend:      "03" + "0000000000000003" + "04" + zeros(31) + "05" + zeros(31) + hex.EncodeToString([]byte("sealed")),
		TypeSent:      "04" + "0000000000000003",
		TypeUnsent:    "05" + "0000000000000003" + "01",
		TypeMessage:   "06" + "07" + zeros(19) + hex.EncodeToString([]byte("sealed")),
		TypeAdmit:     "07" + "07" + zeros(19),
		TypePush: "08" + "0000000000000008" + "00000258" + "02" + "09" + zeros(23) + "0025" +
			hex.EncodeToString([]byte("https://push.example.org/wpush/v2/abc")) + hex.EncodeToString([]byte("sealed")),
		TypePushed: "09" + "0000000000000008" + "00c9" + "0000003c",
		TypeLeave:  "0a" + "07" + zeros(19),
		TypeBye:    "0b" + "06",
	}
	for kind, frame := range samples() {
		if got := hex.EncodeToString(frame); got != want[kind] {
			t.Errorf("%v is\n%s, want\n%s", kind, got, want[kind])
		}
	}
}

func TestWords(t *testing.T) {
	if got := TypeUnsent.String() + ", " + UnsentSlow.String() + ", " + ByeBusy.String() + ", " + Type(99).String(); got != "UNSENT, the reader is too slow, the box has four live readers already, unknown 99" {
		t.Error(got)
	}
	if ByeOrigin.CloseCode() != 4011 {
		t.Error("the close code of origin is", ByeOrigin.CloseCode())
	}
}

// FuzzFrames gives the bytes to every parser: at most the one of their type
// takes them, and writing what it read gives the same bytes.
func FuzzFrames(f *testing.F) {
	for _, frame := range samples() {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for kind, parse := range parsers {
			again, err := parse(b)
			switch {
			case err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge):
				t.Fatalf("%v: an error of no kind: %v", kind, err)
			case err == nil && (TypeOf(b) != kind || len(b) > MaxFrame || !bytes.Equal(again, b)):
				t.Fatalf("%v took %x and wrote %x", kind, b, again)
			}
		}
	})
}
