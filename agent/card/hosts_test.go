package card

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// hostTexts are texts and the warnings that they give. The phone app passes the same, from testdata/hosts.json.
var hostTexts = map[string][]HostWarning{
	"curl https://\u0430pple.com/x":                        {{"\u0430pple.com", "xn--pple-43d.com", "\u0430pple.com", true}},
	"curl https://xn--pple-43d.com":                        {{"xn--pple-43d.com", "xn--pple-43d.com", "\u0430pple.com", true}},
	"curl https://XN--PPLE-43D.com/":                       {{"XN--PPLE-43D.com", "xn--pple-43d.com", "\u0430pple.com", true}},
	"ssh dev@\u0430pple.com":                               {{"\u0430pple.com", "xn--pple-43d.com", "\u0430pple.com", true}},
	"ping \u0430pple.com":                                  {{"\u0430pple.com", "xn--pple-43d.com", "\u0430pple.com", true}},
	"https://m\u00fcnchen.de":                              {{"m\u00fcnchen.de", "xn--mnchen-3ya.de", "m\u00fcnchen.de", false}},
	"https://\u043f\u0440\u0438\u043c\u0435\u0440.example": {{"\u043f\u0440\u0438\u043c\u0435\u0440.example", "xn--e1afmkfd.example", "\u043f\u0440\u0438\u043c\u0435\u0440.example", false}},
	"https://\u4f8b\u3048.jp":                              {{"\u4f8b\u3048.jp", "xn--r8jz45g.jp", "\u4f8b\u3048.jp", false}}, // Han and Hiragana
	"https://git\u200bhub.com":                             {{"git\u200bhub.com", "github.com", "git\u200bhub.com", false}},
	"https://\uff47ithub.com":                              {{"\uff47ithub.com", "github.com", "\uff47ithub.com", false}},
	"https://evil.com\u3002example.com":                    nil, // told apart by its full stop, which is shown; all labels are ASCII
}

func TestB088_HomographHosts(t *testing.T) {
	for text, want := range hostTexts {
		if got := Hosts(text); !slices.Equal(got, want) {
			t.Errorf("%q:\n%+v\nwant\n%+v", text, got, want)
		}
	}
}

func TestB088_HostVectors(t *testing.T) {
	want, err := json.MarshalIndent(hostTexts, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/hosts.json", append(want, '\n'))
}

func TestB088_PlainTextGivesNoWarning(t *testing.T) {
	for _, text := range []string{
		"", "git status", "https://example.com/ü", "cat r\u00e9sum\u00e9.pdf", "echo \u043f\u0440\u0438\u0432\u0435\u0442.", "python3 a.py && ls b.c",
		"user@example.com", "http://127.0.0.1:7380", "xn--", "echo xn--nothing", "https://[::1]/",
	} {
		if got := Hosts(text); len(got) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// The samples of RFC 3492, section 7.1, that are lower case.
func TestPunycodeSamples(t *testing.T) {
	for text, code := range map[string]string{
		"\u0644\u064a\u0647\u0645\u0627\u0628\u062a\u0643\u0644\u0645\u0648\u0634\u0639\u0631\u0628\u064a\u061f": "egbpdaj6bu4bxfgehfvwxn",
		"\u4ed6\u4eec\u4e3a\u4ec0\u4e48\u4e0d\u8bf4\u4e2d\u6587":                                                 "ihqwcrb4cv8a8dqg056pqjye",
		"3\u5e74b\u7d44\u91d1\u516b\u5148\u751f":                                                                 "3b-ww4c5e180e575a65lsy2b",
		"\u305d\u306e\u30b9\u30d4\u30fc\u30c9\u3067":                                                             "d9juau41awczczp",
		"\u30d1\u30d5\u30a3\u30fcde\u30eb\u30f3\u30d0":                                                           "de-jg4avhby1noc0d",
		"b\u00fccher": "bcher-kva",
	} {
		if got := punyEncode(text); got != code {
			t.Errorf("encode %q = %q, want %q", text, got, code)
		}
		if got, ok := punyDecode(code); !ok || got != text {
			t.Errorf("decode %q = %q %v, want %q", code, got, ok, text)
		}
	}
	for _, bad := range []string{"99999999999999999999", "a-\u00e9", "bcher-kv", "-", "a_b!"} {
		if got, ok := punyDecode(bad); ok {
			t.Errorf("decode %q = %q", bad, got)
		}
	}
}

func FuzzHosts(f *testing.F) {
	f.Add("curl https://\u0430pple.com/x", "bcher-kva")
	f.Fuzz(func(t *testing.T, text, label string) {
		for _, w := range Hosts(text) {
			if !strings.Contains(text, w.Written) {
				t.Fatalf("%q is not in %q", w.Written, text)
			}
		}
		if got, ok := punyDecode(label); ok && punyEncode(got) != strings.ToLower(label) {
			t.Fatalf("%q decodes to %q, which is %q", label, got, punyEncode(got))
		}
	})
}
