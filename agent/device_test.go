package agent

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"testing"

	"answerback/agent/card"
	abcrypto "answerback/crypto"
)

func sample(t testing.TB) device {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32)).Public().(ed25519.PublicKey)
	d := device{ID: abcrypto.DeviceID(key), Name: "Pixel 9", Platform: "Android 16", Role: card.Approver, Key: key, Paired: 1, LastSeen: 2, Active: true}
	d.Boxes.ReadKey[0][0], d.Boxes.WriteKey[1][31] = 1, 2
	return d
}

// A record that says too little, too much, or what no card could hold is refused, so that it cannot spoil the roster of every card.
func TestDeviceRecordRefuses(t *testing.T) {
	d := sample(t)
	good, err := d.marshal()
	must(t, err)
	if got, err := unmarshalDevice(d.ID, good); err != nil || !equalDevice(got, d) {
		t.Fatalf("%+v came back as %+v, %v", d, got, err)
	}
	for name, change := range map[string]func(map[string]any){
		"no name":            func(m map[string]any) { m["name"] = "" },
		"a long name":        func(m map[string]any) { m["name"] = string(bytes.Repeat([]byte("x"), 65)) },
		"no role":            func(m map[string]any) { delete(m, "role") },
		"a role of no kind":  func(m map[string]any) { m["role"] = "admin" },
		"no key":             func(m map[string]any) { m["key"] = "" },
		"a key of no order":  func(m map[string]any) { m["key"] = "0000000000000000000000000000000000000000000000000000000000000000" },
		"another device's":   func(m map[string]any) { m["key"] = hexKey(t, 8) },
		"half a mailbox":     func(m map[string]any) { m["read"] = []string{"00", "00"} },
		"an unknown member":  func(m map[string]any) { m["allow"] = true },
		"a passkey of words": func(m map[string]any) { m["passkey"] = "yes" },
	} {
		m := map[string]any{}
		must(t, json.Unmarshal(good, &m))
		change(m)
		bad, err := json.Marshal(m)
		must(t, err)
		if got, err := unmarshalDevice(d.ID, bad); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
	for _, bad := range [][]byte{nil, []byte("null"), []byte("[]"), append(bytes.Clone(good), '1'), good[:len(good)-1]} {
		if _, err := unmarshalDevice(d.ID, bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func hexKey(t testing.TB, seed byte) string {
	d := sample(t)
	d.Key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, 32)).Public().(ed25519.PublicKey)
	value, err := d.marshal()
	if err != nil {
		t.Fatal(err)
	}
	var s stored
	if err := json.Unmarshal(value, &s); err != nil {
		t.Fatal(err)
	}
	return s.Key
}

func equalDevice(a, b device) bool {
	same := bytes.Equal(a.Key, b.Key)
	a.Key, b.Key = nil, nil
	av, _ := a.marshal()
	bv, _ := b.marshal()
	return same && a.ID == b.ID && bytes.Equal(av, bv)
}

// FuzzDeviceRecord: whatever is read can stand in a roster, and prints as a record that reads the same.
func FuzzDeviceRecord(f *testing.F) {
	d := sample(f)
	good, err := d.marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"name":"x","role":"approver","read":["",""],"write":["",""],"key":""}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := unmarshalDevice(d.ID, b)
		if err != nil {
			return
		}
		if _, err := roster([]device{got}).Hash(); err != nil {
			t.Errorf("it spoils the roster: %v", err)
		}
		again, err := got.marshal()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := unmarshalDevice(d.ID, again); err != nil || !equalDevice(back, got) {
			t.Errorf("%+v came back as %+v, %v", got, back, err)
		}
	})
}
