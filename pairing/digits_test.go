package pairing

import (
	"errors"
	"testing"
)

func TestWrongDigitsThreeTimesBurn(t *testing.T) {
	p := upToDigits(t, "a")
	wrong := "000000"
	if p.digits == wrong {
		wrong = "000001"
	}
	for left := 2; left >= 0; left-- {
		ok, triesLeft, err := p.agent.Digits(wrong)
		if ok || triesLeft != left || (left > 0) != (err == nil) {
			t.Fatalf("%v, %d left, %v", ok, triesLeft, err)
		}
	}
	if ok, _, err := p.agent.Digits(p.digits); ok || !errors.Is(err, ErrBurnt) {
		t.Errorf("the right ones, too late: %v, %v", ok, err)
	}
	if msg3, _, err := p.agent.Finish(testNow, nil); msg3 != nil || !errors.Is(err, ErrBurnt) {
		t.Errorf("finished: %v", err)
	}
	if reason := stopReason(p.device, p.agent.Stop(StopWrongDigits)); reason != StopWrongDigits {
		t.Errorf("the device hears %v", reason)
	}
}

func TestWhatIsNotSixDigitsIsNoTry(t *testing.T) {
	p := upToDigits(t, "a")
	for _, typed := range []string{"", " ", "12345", "1234567", "y", "yes", "12345a", "１２３４５６", "12345\x00", "+12345", "1e5000", p.digits + "0"} {
		if ok, left, err := p.agent.Digits(typed); ok || left != 3 || !errors.Is(err, ErrSixDigits) {
			t.Errorf("%q: %v, %d left, %v", typed, ok, left, err)
		}
	}
	spaced := " " + p.digits[:3] + " - " + p.digits[3:] + " "
	if ok, left, err := p.agent.Digits(spaced); !ok || left != 3 || err != nil {
		t.Errorf("%q: %v, %d left, %v", spaced, ok, left, err)
	}
}

func TestWrongDigitsTakeBackRightOnes(t *testing.T) {
	p := upToDigits(t, "a")
	wrong := []byte(p.digits)
	wrong[0] = '0' + (wrong[0]-'0'+1)%10
	p.agent.Digits(p.digits)
	p.agent.Digits(string(wrong))
	if _, _, err := p.agent.Finish(testNow, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("%v", err)
	}
}

func TestStepsOutOfOrder(t *testing.T) {
	a := newAgent(t, "a")
	if ok, _, err := a.Digits("000000"); ok || !errors.Is(err, ErrOrder) {
		t.Errorf("digits before a device: %v", err)
	}
	if _, _, err := a.Finish(testNow, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("Finish before a device: %v", err)
	}
	p := upToDigits(t, "b")
	if _, _, err := p.agent.Finish(testNow, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("Finish before the digits: %v", err)
	}
	p.finish(t)
	if _, _, err := p.agent.Finish(testNow, nil); !errors.Is(err, ErrOrder) {
		t.Errorf("Finish twice: %v", err)
	}
	if ok, _, err := p.agent.Digits(p.digits); ok || !errors.Is(err, ErrOrder) {
		t.Errorf("digits after Finish: %v", err)
	}
	if stop := p.agent.Stop(StopCancelled); stop != nil {
		t.Error("a stop after the end")
	}
}
