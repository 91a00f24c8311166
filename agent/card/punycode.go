package card

import (
	"math"
	"strings"
	"unicode/utf8"
)

// The parameters of Punycode (RFC 3492, section 5).
const (
	punyBase, punyMin, punyMax = 36, 1, 26
	punySkew, punyDamp         = 38, 700
	punyBias, punyStart        = 72, 128
)

const punyDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

// acePrefix starts a label that is written in Punycode (RFC 5890, section 2.3.2.1).
const acePrefix = "xn--"

// punyEncode writes one label in Punycode, without the prefix (RFC 3492, section 6.3).
func punyEncode(label string) string {
	out := strings.Map(func(r rune) rune {
		if r < punyStart {
			return r
		}
		return -1
	}, label)
	done, total := len(out), utf8.RuneCountInString(label)
	bias, n, delta, basic := punyBias, rune(punyStart), 0, done
	if basic > 0 {
		out += "-"
	}
	for done < total {
		m := rune(math.MaxInt32)
		for _, r := range label {
			if r >= n {
				m = min(m, r)
			}
		}
		delta += int(m-n) * (done + 1)
		n = m
		for _, r := range label {
			if r < n {
				delta++
			}
			if r == n {
				out += punyNumber(delta, bias)
				bias = punyAdapt(delta, done+1, done == basic)
				delta, done = 0, done+1
			}
		}
		delta, n = delta+1, n+1
	}
	return out
}

// punyNumber writes delta as a generalized variable-length integer (section 3.3).
func punyNumber(delta, bias int) string {
	var out []byte
	for k := punyBase; ; k += punyBase {
		t := min(max(k-bias, punyMin), punyMax)
		if delta < t {
			return string(append(out, punyDigits[delta]))
		}
		out = append(out, punyDigits[t+(delta-t)%(punyBase-t)])
		delta = (delta - t) / (punyBase - t)
	}
}

func punyAdapt(delta, points int, first bool) int {
	if first {
		delta /= punyDamp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for ; delta > (punyBase-punyMin)*punyMax/2; k += punyBase {
		delta /= punyBase - punyMin
	}
	return k + (punyBase-punyMin+1)*delta/(delta+punySkew)
}

// punyDecode reads one label in Punycode, without the prefix (section 6.2). It takes only what punyEncode writes, case aside.
func punyDecode(label string) (string, bool) {
	label = strings.ToLower(label)
	out, rest := []rune(nil), label
	if at := strings.LastIndexByte(label, '-'); at > 0 {
		out, rest = []rune(label[:at]), label[at+1:]
	}
	bias, n, i := punyBias, punyStart, 0
	for first := true; rest != ""; first = false {
		delta, left, ok := punyRead(rest, bias)
		if i += delta; !ok || i > math.MaxInt32 {
			return "", false
		}
		points := len(out) + 1
		bias = punyAdapt(delta, points, first)
		n, i, rest = n+i/points, i%points, left
		if !utf8.ValidRune(rune(n)) || n > utf8.MaxRune {
			return "", false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	text := string(out)
	return text, punyEncode(text) == label
}

func punyRead(s string, bias int) (delta int, rest string, ok bool) {
	w := 1
	for k := punyBase; s != ""; k += punyBase {
		digit := strings.IndexByte(punyDigits, s[0])
		if digit < 0 || delta > math.MaxInt32 || w > math.MaxInt32 {
			return 0, "", false
		}
		s = s[1:]
		delta += digit * w
		t := min(max(k-bias, punyMin), punyMax)
		if digit < t {
			return delta, s, true
		}
		w *= punyBase - t
	}
	return 0, "", false
}
