package hook

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func sampleCall() Call {
	return Call{Caller: "claude", Event: "PermissionRequest", Flags: FlagClosed, Wait: 2 * time.Second,
		Elapsed: 3 * time.Millisecond, Stdin: []byte(`{"a":1}`)}
}

func bytesOf(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func callBytes(t *testing.T, c Call) []byte {
	return bytesOf(t, func(w io.Writer) error { return WriteCall(w, c) })
}

func TestCallLayout(t *testing.T) {
	want := "\x01\x00\x00\x00\x30" + "\x01" + "\x00\x06claude" + "\x00\x11PermissionRequest" + "\x02" +
		"\x00\x00\x07\xd0" + "\x00\x00\x00\x03" + "\x00\x00\x00\x07" + `{"a":1}`
	if got := callBytes(t, sampleCall()); string(got) != want {
		t.Errorf("CALL is\n%q, want\n%q", got, want)
	}
}

func TestFramesOfTheAgentLayout(t *testing.T) {
	id := [16]byte{0xaa, 15: 0xbb}
	for _, tt := range []struct {
		name, want string
		write      func(io.Writer) error
	}{
		{"HELD", "\x02\x00\x00\x00\x15\x01\xaa" + strings.Repeat("\x00", 14) + "\xbb\x00\x09\x00\xb0",
			func(w io.Writer) error { return WriteHeld(w, Held{id, 590 * time.Second}) }},
		{"BEAT", "\x03", WriteBeat},
		{"VERDICT", "\x04\x00\x00\x00\x0d\x02\x00\x00\x00\x03out\x00\x00\x00\x01e",
			func(w io.Writer) error { return WriteVerdict(w, Verdict{2, []byte("out"), []byte("e")}) }},
		{"UNSUPPORTED", "\x05\x00\x00\x00\x01\x01", WriteUnsupported},
		{"CONTROL", "\x06\x00\x00\x00\x02{}", func(w io.Writer) error { return WriteControl(w, []byte("{}")) }},
	} {
		if got := bytesOf(t, tt.write); string(got) != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestReadCallGivesWhatWasWritten(t *testing.T) {
	want := sampleCall()
	r := io.MultiReader(iotest.OneByteReader(bytes.NewReader(callBytes(t, want))), strings.NewReader("next"))
	got, err := ReadCall(r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Caller != want.Caller || got.Event != want.Event || got.Flags != want.Flags || got.Wait != want.Wait ||
		got.Elapsed != want.Elapsed || !bytes.Equal(got.Stdin, want.Stdin) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if rest, _ := io.ReadAll(r); string(rest) != "next" {
		t.Errorf("left %q for the next reader, want %q", rest, "next")
	}
}

// edited is a CALL with the byte at i replaced.
func edited(t *testing.T, i int, b byte) string {
	frame := callBytes(t, sampleCall())
	frame[i] = b
	return string(frame)
}

func TestReadRequestRefuses(t *testing.T) {
	good := string(callBytes(t, sampleCall()))
	const flags = 5 + 1 + 8 + 19
	for _, tt := range []struct {
		name, in string
		want     error
	}{
		{"nothing", "", io.EOF},
		{"half a frame", good[:20], io.ErrUnexpectedEOF},
		{"a length cut short", good[:3], io.ErrUnexpectedEOF},
		{"type zero", edited(t, 0, 0), ErrFrame},
		{"an unknown type", edited(t, 0, 7), ErrFrame},
		{"a frame of the agent's", "\x03", ErrFrame},
		{"HTTP", "GET / HTTP/1.1\r\n\r\n", ErrFrame},
		{"a longer length", edited(t, 4, 0x31) + "x", ErrFrame},
		{"a shorter length", edited(t, 4, 0x2f), ErrFrame},
		{"too long a length", edited(t, 1, 0x7f), ErrSize},
		{"the highest length", "\x01\xff\xff\xff\xff", ErrSize},
		{"an unknown flag", edited(t, flags, 8), ErrFrame},
		{"a wait of a month", edited(t, flags+1, 0x9f), ErrFrame},
		{"stdin longer than it is", edited(t, flags+12, 8), ErrFrame},
		{"stdin shorter than it is", edited(t, flags+12, 6), ErrFrame},
		{"a caller in capitals", edited(t, 8, 'C'), ErrFrame},
		{"an event with a space", edited(t, 16, ' '), ErrFrame},
		{"a caller longer than the frame", edited(t, 6, 0xff), ErrFrame},
		{"an empty body", "\x01\x00\x00\x00\x00", ErrFrame},
		{"an empty CONTROL", "\x06\x00\x00\x00\x00", ErrFrame},
		{"too long a CONTROL", "\x06\x00\x01\x00\x01", ErrSize},
		{"version 0", edited(t, 5, 0), VersionError{0}},
		{"version 2", edited(t, 5, 2), VersionError{2}},
		{"version 2 with another body", "\x01\x00\x00\x00\x03\x02xy", VersionError{2}},
	} {
		req, err := ReadRequest(strings.NewReader(tt.in))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: error is %v, want %v", tt.name, err, tt.want)
		}
		if req.Call != nil || req.Control != nil {
			t.Errorf("%s: gave a request beside the error: %+v", tt.name, req)
		}
	}
}

// A verdict has no way to say less than it has to.
func TestM001_ReadFrameRefuses(t *testing.T) {
	verdict := "\x04\x00\x00\x00\x0c\x00\x00\x00\x00\x03out\x00\x00\x00\x00"
	for _, tt := range []struct {
		name, in string
		want     error
	}{
		{"type zero", "\x00", ErrFrame},
		{"a CALL", "\x01\x00\x00\x00\x00", ErrFrame},
		{"a CONTROL", "\x06\x00\x00\x00\x00", ErrFrame},
		{"an unknown type", "\x07\x00\x00\x00\x00", ErrFrame},
		{"text", `{"decision":"allow"}`, ErrFrame},
		{"exit 1", strings.Replace(verdict, "\x0c\x00", "\x0c\x01", 1), ErrFrame},
		{"exit 3", strings.Replace(verdict, "\x0c\x00", "\x0c\x03", 1), ErrFrame},
		{"no exit code", "\x04\x00\x00\x00\x00", ErrFrame},
		{"no stderr field", "\x04\x00\x00\x00\x08\x00\x00\x00\x00\x03out", ErrFrame},
		{"a byte too many", "\x04\x00\x00\x00\x0d" + verdict[5:] + "x", ErrFrame},
		{"stdout longer than it is", strings.Replace(verdict, "\x03out", "\x30out", 1), ErrFrame},
		{"half a verdict", verdict[:12], io.ErrUnexpectedEOF},
		{"too long a verdict", "\x04\x00\x20\x00\x01", ErrSize},
		{"HELD of another version", "\x02\x00\x00\x00\x15\x02" + strings.Repeat("\x01", 20), ErrFrame},
		{"HELD cut short", "\x02\x00\x00\x00\x14\x01" + strings.Repeat("\x00", 19), ErrFrame},
		{"HELD too long", "\x02\x00\x00\x00\x16\x01" + strings.Repeat("\x00", 21), ErrSize},
		{"HELD for a month", "\x02\x00\x00\x00\x15\x01" + strings.Repeat("\x00", 16) + "\x9a\x7e\xc8\x00", ErrFrame},
		{"UNSUPPORTED without a version", "\x05\x00\x00\x00\x00", ErrFrame},
		{"UNSUPPORTED of version 0", "\x05\x00\x00\x00\x01\x00", ErrFrame},
	} {
		f, err := ReadFrame(strings.NewReader(tt.in))
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: error is %v, want %v", tt.name, err, tt.want)
		}
		if f.Type == TypeVerdict && err == nil {
			t.Errorf("%s: gave a verdict", tt.name)
		}
	}
	f, err := ReadFrame(iotest.OneByteReader(strings.NewReader(verdict)))
	if err != nil || f.Type != TypeVerdict || string(f.Verdict.Stdout) != "out" {
		t.Errorf("a good verdict byte by byte: %+v, %v", f, err)
	}
	other := "\x02\x00\x00\x00\x15\x02" + strings.Repeat("\x00", 20)
	if _, err := ReadFrame(strings.NewReader(other)); !errors.Is(err, VersionError{2}) {
		t.Errorf("HELD of version 2: error is %v", err)
	}
}

func TestWritersRefuseWhatReadersWould(t *testing.T) {
	long := func(n int) []byte { return make([]byte, n) }
	call := func(change func(*Call)) func(io.Writer) error {
		c := sampleCall()
		change(&c)
		return func(w io.Writer) error { return WriteCall(w, c) }
	}
	for name, write := range map[string]func(io.Writer) error{
		"a caller with a space": call(func(c *Call) { c.Caller = "my tool" }),
		"no caller":             call(func(c *Call) { c.Caller = "" }),
		"a long caller":         call(func(c *Call) { c.Caller = strings.Repeat("a", 25) }),
		"a long event":          call(func(c *Call) { c.Event = strings.Repeat("a", 65) }),
		"a negative wait":       call(func(c *Call) { c.Wait = -1 }),
		"a wait of two hours":   call(func(c *Call) { c.Wait = 2 * time.Hour }),
		"an unknown flag":       call(func(c *Call) { c.Flags = 0x10 }),
		"too much stdin":        call(func(c *Call) { c.Stdin = long(MaxStdin + 1) }),
		"exit 1":                func(w io.Writer) error { return WriteVerdict(w, Verdict{Exit: 1}) },
		"exit -1":               func(w io.Writer) error { return WriteVerdict(w, Verdict{Exit: -1}) },
		"exit 256":              func(w io.Writer) error { return WriteVerdict(w, Verdict{Exit: 256}) },
		"too much stdout":       func(w io.Writer) error { return WriteVerdict(w, Verdict{Stdout: long(MaxVerdict)}) },
		"HELD for no time":      func(w io.Writer) error { return WriteHeld(w, Held{}) },
		"HELD for two hours":    func(w io.Writer) error { return WriteHeld(w, Held{Wait: 2 * time.Hour}) },
		"an empty CONTROL":      func(w io.Writer) error { return WriteControl(w, nil) },
		"too long a CONTROL":    func(w io.Writer) error { return WriteControl(w, long(MaxControl+1)) },
	} {
		var b bytes.Buffer
		if err := write(&b); err == nil || b.Len() != 0 {
			t.Errorf("%s: wrote %d bytes, error %v", name, b.Len(), err)
		}
	}
}

// A length that promises much costs nothing before the bytes are there.
func TestReadBodyTakesNoMemoryForAPromise(t *testing.T) {
	promise := "\x04\x00\x1f\xff\xff" + "\x00"
	cost := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = ReadFrame(strings.NewReader(promise))
		}
	})
	if n := cost.AllocedBytesPerOp(); n > 16<<10 {
		t.Errorf("a promise of 2 MiB took %d bytes of memory", n)
	}
}

func TestFrameErrorsAreSentences(t *testing.T) {
	_, err := ReadRequest(strings.NewReader("\x01\x00\x00\x00\x01\x07"))
	if want := "version 7 is not spoken here"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want one with %q", err, want)
	}
	if err := WriteVerdict(io.Discard, Verdict{Exit: 1}); err.Error() != "hook: write verdict: the bytes are not a frame of this protocol" {
		t.Errorf("error is %q", err)
	}
}
