package webpush

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSixPushesAMinuteToAnEndpoint(t *testing.T) {
	r, now := newRates(), time.Now()
	for i := range 6 {
		if wait := r.take("a", now); wait != 0 {
			t.Fatalf("push %d waits %v", i, wait)
		}
	}
	if wait := r.take("a", now); wait != 10*time.Second {
		t.Errorf("the seventh waits %v", wait)
	}
	if wait := r.take("b", now); wait != 0 {
		t.Errorf("another endpoint waits %v", wait)
	}
	if wait := r.take("a", now.Add(9*time.Second)); wait != time.Second {
		t.Errorf("9 s later it waits %v", wait)
	}
	if wait := r.take("a", now.Add(10*time.Second)); wait != 0 {
		t.Errorf("10 s later it waits %v", wait)
	}
	sent := 0
	for later := range 600 { // ten minutes, one try a second
		if r.take("c", now.Add(time.Duration(later)*time.Second)) == 0 {
			sent++
		}
	}
	if sent != 65 { // six at once and one each ten seconds
		t.Errorf("%d pushes in ten minutes", sent)
	}
}

func TestTableOfEndpointsIsBounded(t *testing.T) {
	r, now := newRates(), time.Now()
	for i := range maxEndpoints {
		if wait := r.take(fmt.Sprint(i), now); wait != 0 {
			t.Fatalf("endpoint %d waits %v", i, wait)
		}
	}
	if wait := r.take("one more", now); wait != time.Minute || len(r.full) != maxEndpoints {
		t.Errorf("one more waits %v; %d are known", wait, len(r.full))
	}
	if wait := r.take("0", now); wait != 0 {
		t.Errorf("a known one waits %v", wait)
	}
	if wait := r.take("one more", now.Add(between)); wait != 0 || len(r.full) > 3 {
		t.Errorf("later it waits %v; %d are known", wait, len(r.full))
	}
}

func TestLogSaysAThingOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		q := newQuietLog(slog.New(slog.NewTextHandler(&out, nil)))
		for range 120 {
			q.say("fcm.googleapis.com", 403, "refused")
			q.say("fcm.googleapis.com", 500, "refused")
			time.Sleep(time.Second)
		}
		if n := strings.Count(out.String(), "\n"); n != 4 {
			t.Errorf("%d lines:\n%s", n, out.String())
		}
		out.Reset()
		for i := range 2 * maxSaid {
			q.say(fmt.Sprintf("h%d.example.org", i), 421, "not on the list")
		}
		if n := strings.Count(out.String(), "\n"); n > maxSaid || n < maxSaid-2 {
			t.Errorf("%d hosts were named", n)
		}
		time.Sleep(time.Minute)
		out.Reset()
		q.say("a b\nc=d", 421, "not on the list")
		if !strings.Contains(out.String(), "service=unnamed") || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%q", out.String())
		}
	})
}
