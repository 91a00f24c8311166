package card

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"testing"
)

func TestShortIDsAreTypeableAndToldApart(t *testing.T) {
	shape := regexp.MustCompile(`^[a-hjkmnp-tv-z][a-hjkmnp-tv-z0-9]{3,4}$`)
	var open []RequestID
	for range 2000 {
		var id RequestID
		rand.Read(id[:])
		open = append(open, id)
	}
	seen := map[string]RequestID{}
	for _, id := range open {
		short := ShortID(id, open...)
		if !shape.MatchString(short) {
			t.Fatalf("%s is not of the shape", short)
		}
		if len(short) == 4 {
			if other, twice := seen[short]; twice {
				t.Fatalf("%s and %s are both %s", id, other, short)
			}
			seen[short] = id
		}
	}
	if a, b := ShortID(open[0]), ShortID(open[0], open[0]); a != b || len(a) != 4 {
		t.Errorf("%q and %q for one id", a, b)
	}
}

func TestRequestIDText(t *testing.T) {
	id, err := ParseRequestID(testRequest.String())
	if err != nil || id != testRequest {
		t.Fatalf("%v %v", id, err)
	}
	for _, bad := range []string{"", "00", "0102030405060708090A0B0C0D0E0F10", testRequest.String() + "00", " " + testRequest.String()[1:], "g" + testRequest.String()[1:]} {
		if _, err := ParseRequestID(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestNewTakesItsIDFromRandom(t *testing.T) {
	c := routine()
	c.Request = RequestID{}
	w, err := New(c, bytes.NewReader(testRequest[:]))
	if err != nil || w.Card.Request != testRequest || w.Digest != Digest(w.Body) {
		t.Errorf("%v %v", w.Card.Request, err)
	}
	if _, err := New(c, bytes.NewReader(testRequest[:15])); err == nil {
		t.Error("a card was made without an id")
	}
}
