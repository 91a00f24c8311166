package crypto

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// vector is any case of the files in testdata/vectors that this package reads.
// What makes them is in internal/genvectors, which spells the formats out anew.
type vector struct {
	Name, Op, Expect                            string
	Word, Salt, IKM, PRK, Context, Chain, Nonce string
	Request, Eight, Out, Key, Message, Sig      string
	Plain, Body, Device, Sealed, Bytes, Agent   string
	CardDigest                                  string `json:"card_digest"`
	Payload, Receipt, Challenge                 string
	Parts                                       []string
	N, Direction, Type, Decision, Flags, Via    int
	MS, Now, Made, Seq                          uint64
	Stored, Day                                 Day
	SealedDay                                   Day    `json:"sealed_day"`
	AfterStored                                 Day    `json:"after_stored"`
	AfterChain                                  string `json:"after_chain"`
	ReplyR                                      string `json:"reply_r"`
	ReplyW                                      string `json:"reply_w"`
}

// faults are the words that expect uses for our errors.
var faults = map[string]error{
	"key": ErrKey, "signature": ErrSignature, "open": ErrOpen, "format": ErrFormat, "size": ErrSize, "day": ErrDay,
	"answer": ErrAnswer, "signed": ErrSigned,
}

var errDiffers = errors.New("another value")

func eachVector(t *testing.T, file string, run func(t *testing.T, v vector) error) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Cases []vector }
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Cases) < 20 {
		t.Fatalf("%s holds %d cases", file, len(g.Cases))
	}
	for _, v := range g.Cases {
		err := run(t, v)
		want := faults[v.Expect]
		if v.Expect == "differs" {
			want = errDiffers
		}
		if (v.Expect == "ok") != (err == nil) || v.Expect != "ok" && (want == nil || !errors.Is(err, want)) {
			t.Errorf("%s: %s: expect %s, got %v", file, v.Name, v.Expect, err)
		}
	}
}

func equalHex(got []byte, want string) error {
	if hex.EncodeToString(got) != want {
		return errDiffers
	}
	return nil
}

func TestVectorsOfValues(t *testing.T) {
	for _, file := range []string{"labels.json", "kdf.json", "chain.json", "digits.json"} {
		eachVector(t, file, func(t *testing.T, v vector) error {
			if compute(t, v) != v.Out {
				return errDiffers
			}
			return nil
		})
	}
}

// compute returns what an op gives, as the file writes it.
func compute(t *testing.T, v vector) string {
	t.Helper()
	switch v.Op {
	case "day":
		return strconv.Itoa(int(DayOf(v.MS)))
	case "digits":
		return Digits(unhex(t, v.Eight))
	case "label", "hash", "extract", "expand":
		return hex.EncodeToString(derive(t, v))
	}
	return hex.EncodeToString(ofChain(t, v))
}

func ofChain(t *testing.T, v vector) []byte {
	t.Helper()
	chain, nonce := Chain(unhex(t, v.Chain)), unhex(t, v.Nonce)
	r, w := chain.Reply(nonce)
	next, key := chain.Next(), chain.Key(Direction(v.Direction))
	switch v.Op {
	case "next":
		return next[:]
	case "key":
		return key[:]
	case "reply_r":
		return r[:]
	case "reply_w":
		return w[:]
	case "topic":
		topic := chain.Topic([16]byte(unhex(t, v.Request)))
		return topic[:]
	}
	t.Fatalf("unknown op %q", v.Op)
	return nil
}

func derive(t *testing.T, v vector) []byte {
	t.Helper()
	switch v.Op {
	case "label":
		return Label(v.Word)
	case "hash":
		var parts [][]byte
		for _, p := range v.Parts {
			parts = append(parts, unhex(t, p))
		}
		h := Hash(v.Word, parts...)
		return h[:]
	case "extract":
		prk := Extract(unhex(t, v.Salt), unhex(t, v.IKM))
		return prk[:]
	}
	return Expand(unhex(t, v.PRK), v.Word, unhex(t, v.Context), v.N)
}

func TestVectorsOfKeys(t *testing.T) {
	eachVector(t, "keys.json", func(t *testing.T, v vector) error {
		if v.Op == "check" {
			return CheckPublicKey(unhex(t, v.Key))
		}
		return Verify(unhex(t, v.Key), unhex(t, v.Message), unhex(t, v.Sig))
	})
}

func TestVectorsOfPadding(t *testing.T) {
	eachVector(t, "padding.json", func(t *testing.T, v vector) error {
		typ, body, err := unpad(unhex(t, v.Plain))
		if err == nil && int(typ) != v.Type {
			t.Errorf("%s: type %d", v.Name, typ)
		}
		if err != nil {
			return err
		}
		return equalHex(body, v.Body)
	})
}

func TestVectorsOfEnvelopes(t *testing.T) {
	eachVector(t, "envelope.json", func(t *testing.T, v vector) error {
		r := v.ratchet(t)
		m, err := r.OpenDevice(ID(unhex(t, v.Device)), unhex(t, v.Sealed))
		v.checkOpened(t, r, m, err)
		return err
	})
}

func TestVectorsOfTheAgentsRatchet(t *testing.T) {
	eachVector(t, "agent/ratchet.json", func(t *testing.T, v vector) error {
		r := v.ratchet(t)
		if v.Op == "seal" {
			sealed, err := r.SealAgent(ID(unhex(t, v.Device)), v.Now, Message{Type: TypeState}, &stream{})
			if day, _, _ := Header(sealed); day != v.Day || err == nil && r.Sealed != v.Day {
				t.Errorf("%s: sealed with day %d, remembered %d", v.Name, day, r.Sealed)
			}
			return err
		}
		m, err := r.OpenAgent(ID(unhex(t, v.Device)), v.Now, unhex(t, v.Sealed))
		v.checkOpened(t, r, m, err)
		return err
	})
}

func (v vector) ratchet(t *testing.T) *Ratchet {
	return &Ratchet{Stored: v.Stored, Chain: Chain(unhex(t, v.Chain)), Newest: v.Stored + 1, Sealed: v.SealedDay}
}

func (v vector) checkOpened(t *testing.T, r *Ratchet, m Message, err error) {
	t.Helper()
	if r.Stored != v.AfterStored || r.Newest != v.AfterStored+1 || hex.EncodeToString(r.Chain[:]) != v.AfterChain {
		t.Errorf("%s: the state is then %+v", v.Name, *r)
	}
	if err != nil {
		return
	}
	if int(m.Type) != v.Type || hex.EncodeToString(m.Body) != v.Body || m.Day != v.Day || hex.EncodeToString(m.Nonce[:]) != v.Nonce {
		t.Errorf("%s: opened as %+v", v.Name, m)
	}
	read, write, err := r.ReplyBox(m.Day, m.Nonce)
	if err != nil || hex.EncodeToString(read[:]) != v.ReplyR || hex.EncodeToString(write[:]) != v.ReplyW {
		t.Errorf("%s: reply box %x, %x, %v", v.Name, read, write, err)
	}
}
