package audit

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func leafOf(t testing.TB, r Record) []byte {
	t.Helper()
	leaf, err := seal(r)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

func TestRecordPrintsWhatItParsed(t *testing.T) {
	for _, r := range []Record{asked(), outcome(), {Type: Started, Time: 1}, {Type: Revoked, Time: 1, Device: hexOf("1", 16)},
		{Type: Refused, Time: 1, Reason: "the signature does not hold <&>  \x00"}} {
		leaf := leafOf(t, r)
		again, err := Parse(leaf)
		if err != nil {
			t.Fatalf("%s: %v", leaf, err)
		}
		if printed, err := again.bytes(); err != nil || !bytes.Equal(printed, leaf) {
			t.Errorf("printed %s, %v", printed, err)
		}
		if again.Enforcement != "advisory" || len(again.Salt) != 32 || again.Version != 1 {
			t.Errorf("record %+v", again)
		}
	}
}

func TestSaltsDiffer(t *testing.T) {
	if a, b := leafOf(t, asked()), leafOf(t, asked()); bytes.Equal(a, b) {
		t.Error("two records of one call are the same leaf")
	}
}

// Bytes that are not exactly a record's are refused.
func TestParseRefuses(t *testing.T) {
	good := string(leafOf(t, outcome()))
	for name, leaf := range map[string]string{
		"empty":               "",
		"null":                "null",
		"array":               "[]",
		"trailing byte":       good + " ",
		"second object":       good + good,
		"leading space":       " " + good,
		"unknown field":       strings.Replace(good, `{"version"`, `{"x":1,"version"`, 1),
		"repeated field":      strings.Replace(good, `"type":"outcome"`, `"type":"outcome","type":"outcome"`, 1),
		"other case":          strings.Replace(good, `"type"`, `"Type"`, 1),
		"reordered":           strings.Replace(good, `"decision":"allow","by":"device"`, `"by":"device","decision":"allow"`, 1),
		"space inside":        strings.Replace(good, `"type":`, `"type": `, 1),
		"escaped letter":      strings.Replace(good, `"allow"`, `"\u0061llow"`, 1),
		"empty field":         strings.Replace(good, `"type":"outcome"`, `"type":"outcome","words":""`, 1),
		"another version":     strings.Replace(good, `"version":1`, `"version":2`, 1),
		"another enforcement": strings.Replace(good, `advisory`, `enforced`, 1),
		"no salt":             strings.Replace(good, `"salt":"`, `"salt":"0`, 1),
		"upper-case id":       strings.Replace(good, hexOf("a", 16), hexOf("A", 16), 1),
		"unknown type":        strings.Replace(good, `"type":"outcome"`, `"type":"income"`, 1),
		"unknown decision":    strings.Replace(good, `"decision":"allow"`, `"decision":"allowed"`, 1),
		"unknown decider":     strings.Replace(good, `"by":"device"`, `"by":"phone"`, 1),
		"time as a string":    strings.Replace(good, `"time":1764500004100`, `"time":"1764500004100"`, 1),
		"bad base64":          strings.Replace(good, `"signature":"A`, `"signature":"*`, 1),
		"loose base64":        strings.Replace(good, `AA"}`, `AB"}`, 1),
		"no answer":           dropField(good, `,"answer":"`),
		"no signature":        dropField(good, `,"signature":"`),
		"too large":           strings.Replace(good, `"caller":"claude"`, `"caller":"`+strings.Repeat("c", MaxRecord)+`"`, 1),
	} {
		if r, err := Parse([]byte(leaf)); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: parsed as %+v, %v", name, r, err)
		}
	}
	if _, err := Parse([]byte(good)); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

func dropField(leaf, field string) string {
	before, rest, _ := strings.Cut(leaf, field)
	_, after, _ := strings.Cut(rest, `"`)
	return before + after
}

// No record shows an Allow without what it rests on, or says too little.
func TestAppendRefuses(t *testing.T) {
	l := newLog(t)
	for name, change := range map[string]func(r *Record){
		"allow by nobody":        func(r *Record) { r.By = "" },
		"allow by the agent":     func(r *Record) { r.By = ByAgent },
		"allow at the terminal":  func(r *Record) { r.By = ByTerminal },
		"allow in time":          func(r *Record) { r.By = ByTime },
		"rule without a name":    func(r *Record) { r.By = ByRule },
		"policy without a name":  func(r *Record) { r.By = ByPolicy },
		"device without answer":  func(r *Record) { r.Answer = nil },
		"device with half a sig": func(r *Record) { r.Signature = r.Signature[:32] },
		"device without id":      func(r *Record) { r.Device = "" },
		"no request":             func(r *Record) { r.RequestID = "" },
		"no time":                func(r *Record) { r.Time = 0 },
		"no type":                func(r *Record) { r.Type = "" },
		"bad digest":             func(r *Record) { r.CallDigest = "00" },
		"asked without a caller": func(r *Record) { *r = asked(); r.Caller = "" },
		"asked without a digest": func(r *Record) { *r = asked(); r.CallDigest = "" },
		"refused without reason": func(r *Record) { *r = Record{Type: Refused, Time: 1} },
		"paired without device":  func(r *Record) { *r = Record{Type: Paired, Time: 1} },
	} {
		r := outcome()
		change(&r)
		if _, _, err := l.Append(r); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if l.Size() != 0 {
		t.Errorf("%d records were written", l.Size())
	}
}

// However large a caller makes its texts, the record can be written.
func TestLongTextsAreCut(t *testing.T) {
	r := asked()
	long := strings.Repeat("\x01é", 1<<20)
	r.Caller, r.Session, r.Folder, r.Name, r.Words, r.Human = long, long, long, long, long, "\xff\xfe"
	for range 100 {
		r.Targets, r.Reasons, r.AgentChain = append(r.Targets, long), append(r.Reasons, long), append(r.AgentChain, long)
	}
	r.Params = map[string]string{"command": "head" + long + "tail"}
	leaf := leafOf(t, r)
	again, err := Parse(leaf)
	if err != nil {
		t.Fatal(err)
	}
	command := again.Params["command"]
	if !strings.HasPrefix(command, "head") || !strings.HasSuffix(command, "tail") || !strings.Contains(command, "bytes left out") {
		t.Errorf("the command's ends are gone: %.40q", command)
	}
	if len(again.Targets) != maxList+1 || again.Targets[maxList] != "(85 more)" {
		t.Errorf("%d targets, the last %.20q", len(again.Targets), again.Targets[len(again.Targets)-1])
	}
}

func FuzzParse(f *testing.F) {
	f.Add(leafOf(f, asked()))
	f.Add(leafOf(f, outcome()))
	f.Add([]byte(`{"version":1,"salt":"00000000000000000000000000000000","type":"started","time":1,"enforcement":"advisory"}`))
	f.Fuzz(func(t *testing.T, leaf []byte) {
		r, err := Parse(leaf)
		if err != nil {
			return
		}
		if again, err := r.bytes(); err != nil || !bytes.Equal(again, leaf) {
			t.Fatalf("parsed %q, printed %q, %v", leaf, again, err)
		}
	})
}
