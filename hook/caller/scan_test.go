package caller

import (
	"errors"
	"strings"
	"testing"
)

func nested(n int) string {
	return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
}

func TestCheckObjectTakes(t *testing.T) {
	for _, doc := range []string{
		`{}`, " \t\r\n{ }\n", `{"a":1}`, `{"":""}`, `{"a":[true,false,null,{}]}`,
		`{"a":-0.5e+10,"b":0,"c":1E-2,"d":123456789012345678901234567890}`,
		`{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, `{"a":"\ud800"}`, `{"\udc00":1,"\udc01":2}`,
		`{"é":1,"e":2,"😀":3}`, `{"__proto__":1,"constructor":2}`, nested(maxDepth),
		`{"a":{"b":1},"b":{"b":2}}`, `{"a":"` + strings.Repeat("x", MaxInput-8) + `"}`,
	} {
		if err := checkObject([]byte(doc)); err != nil {
			t.Errorf("%.60q: %v", doc, err)
		}
	}
}

func TestCheckObjectRefuses(t *testing.T) {
	many := `{`
	for i := range 40 {
		many += `"` + strings.Repeat("n", i+1) + `":1,`
	}
	for _, tt := range []struct {
		doc  string
		want error
	}{
		{``, ErrJSON}, {` `, ErrJSON}, {"\x00", ErrJSON}, {`null`, ErrJSON}, {`[]`, ErrJSON}, {`"{}"`, ErrJSON}, {`1`, ErrJSON}, {`[{}]`, ErrJSON},
		{`{`, ErrJSON}, {`{}}`, ErrJSON}, {`{}{}`, ErrJSON}, {`{} x`, ErrJSON}, {"{}\x00", ErrJSON}, {"{}\n{}", ErrJSON}, {"log\n{}", ErrJSON},
		{`{"a":1,}`, ErrJSON}, {`{,}`, ErrJSON}, {`{"a"}`, ErrJSON}, {`{"a":}`, ErrJSON}, {`{a:1}`, ErrJSON}, {`{'a':1}`, ErrJSON}, {`{"a":1 "b":2}`, ErrJSON},
		{`{"a" 1}`, ErrJSON}, {`{1:1}`, ErrJSON}, {`{"a":[1,]}`, ErrJSON}, {`{"a":[1 2]}`, ErrJSON}, {`{"a":[}`, ErrJSON}, {`{"a":(1)}`, ErrJSON},
		{`{"a":01}`, ErrJSON}, {`{"a":+1}`, ErrJSON}, {`{"a":.5}`, ErrJSON}, {`{"a":5.}`, ErrJSON}, {`{"a":1e}`, ErrJSON}, {`{"a":-}`, ErrJSON},
		{`{"a":NaN}`, ErrJSON}, {`{"a":Infinity}`, ErrJSON}, {`{"a":0x1}`, ErrJSON}, {`{"a":True}`, ErrJSON}, {`{"a":tru}`, ErrJSON}, {`{"a":truex}`, ErrJSON}, {`{"a":nul`, ErrJSON},
		{`{"a":"`, ErrJSON}, {`{"a":"\x"}`, ErrJSON}, {`{"a":"\u12"}`, ErrJSON}, {`{"a":"\u12g4"}`, ErrJSON}, {`{"a":"\`, ErrJSON}, {`{"a":"\u`, ErrJSON},
		{"{\"a\":\"\n\"}", ErrJSON}, {"{\"a\":\"\x00\"}", ErrJSON}, {"{\"a\":\"\x1f\"}", ErrJSON},
		{`{/*x*/}`, ErrJSON}, {"{}//x", ErrJSON}, {"\ufeff{}", ErrJSON}, {"{}\u00a0", ErrJSON}, {"\v{}", ErrJSON},
		{"{\"a\":\"\xff\"}", ErrUTF8}, {"{\"\xc0\x80\":1}", ErrUTF8}, {"{\"a\":\"\xed\xa0\x80\"}", ErrUTF8}, {"{\"a\":\"\xf4\x90\x80\x80\"}", ErrUTF8}, {"{}\xff", ErrUTF8},
		{`{"a":1,"a":1}`, ErrDuplicate}, {`{"a":1,"A":1}`, ErrDuplicate}, {`{"a":1,"\u0061":1}`, ErrDuplicate}, {`{"a":1,"\u0041":1}`, ErrDuplicate},
		{`{"k":1,"K":1}`, ErrDuplicate}, {`{"s":1,"ſ":1}`, ErrDuplicate}, {`{"É":1,"é":1}`, ErrDuplicate}, {`{"σ":1,"ς":1}`, ErrDuplicate},
		{`{"a":{"b":[{"c":1,"C":2}]}}`, ErrDuplicate}, {`{"":1,"":2}`, ErrDuplicate}, {`{"\ud800":1,"\ud800":2}`, ErrDuplicate},
		{`{"tool_input":{},"Tool_Input":{}}`, ErrDuplicate}, {many + `"NNNNN":1}`, ErrDuplicate},
		{nested(maxDepth + 1), ErrDepth}, {nested(100000), ErrDepth}, {strings.Repeat(`{"a":`, 65) + `1` + strings.Repeat(`}`, 65), ErrDepth},
		{`{"a":"` + strings.Repeat("x", MaxInput-7) + `"}`, ErrSize},
	} {
		if err := checkObject([]byte(tt.doc)); !errors.Is(err, tt.want) {
			t.Errorf("%.80q: error is %v, want %v", tt.doc, err, tt.want)
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	err := checkObject([]byte(`{"a":1,"A":2}`))
	if want := "caller: parse input: an object has the same name twice, at byte 7"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
	_, err = claude{}.Parse("", []byte(`{"tool_name":"Bash","tool_input":[]}`))
	if want := "caller: parse input: hook_event_name has to be a string that is not empty"; err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
}

func TestUnquote(t *testing.T) {
	for _, tt := range []struct {
		in, want string
		exact    bool
	}{
		{`""`, "", true},
		{`"a\"\\\/\b\f\n\r\tz"`, "a\"\\/\b\f\n\r\tz", true},
		{`"\u0000\u00e9\u20AC\ud83d\ude00"`, "\x00é€😀", true},
		{`"\ud800"`, "\xed\xa0\x80", false},
		{`"\ude00\ud83d"`, "\xed\xb8\x80\xed\xa0\xbd", false},
		{`"\ud83dx\ude00"`, "\xed\xa0\xbdx\xed\xb8\x80", false},
		{`"\ud83d\u0041"`, "\xed\xa0\xbdA", false},
	} {
		if got, exact := unquote([]byte(tt.in)); got != tt.want || exact != tt.exact {
			t.Errorf("%s is %q, exact %v", tt.in, got, exact)
		}
	}
}

func TestQuoteShowsNothingHidden(t *testing.T) {
	in := "a\"\\/<>&é😀\n\t\r\x00\x1b\x7f\u0085\u00a0\u00ad\u200b\u200e\u202e\u2028\u2066\ufeff\ufe0f\U000e0041\xff"
	want := `"a\"\\/<>&é😀\n\t\u000d\u0000\u001b\u007f\u0085\u00a0\u00ad\u200b\u200e\u202e\u2028\u2066\ufeff\ufe0f\udb40\udc41` + "\ufffd" + `"`
	if got := string(quote(nil, in)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCompactChangesWhiteSpaceOnly(t *testing.T) {
	in := " { \"a b\" : [ 1.50 ,\t\"x  \\\" y\" , { } ] ,\r\n \"c\":null } "
	if got, want := string(compact([]byte(in))), `{"a b":[1.50,"x  \" y",{}],"c":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
