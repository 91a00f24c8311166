package hook

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// FuzzRequest: what an agent accepts has one form only, and it takes exactly
// its own bytes.
func FuzzRequest(f *testing.F) {
	var seed bytes.Buffer
	_ = WriteCall(&seed, sampleCall())
	_ = WriteControl(&seed, []byte(`{"verb":"pending"}`))
	f.Add(seed.Bytes())
	f.Add([]byte("\x06\x00\x00\x00\x02{}"))
	f.Add([]byte("\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bytes.NewReader(in)
		req, err := ReadRequest(r)
		if err != nil {
			if req.Call != nil || req.Control != nil {
				t.Fatalf("a request beside the error %v", err)
			}
			return
		}
		var out bytes.Buffer
		if req.Call != nil {
			err = WriteCall(&out, *req.Call)
		} else {
			err = WriteControl(&out, req.Control)
		}
		if used := in[:len(in)-r.Len()]; err != nil || !bytes.Equal(out.Bytes(), used) {
			t.Fatalf("read %q, wrote %q, %v", used, out.Bytes(), err)
		}
	})
}

// FuzzFrame: what a hook accepts has one form only, and no verdict exits with
// anything but 0 or 2.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x0c\x00\x00\x00\x00\x03out\x00\x00\x00\x00"))
	f.Add([]byte("\x02\x00\x00\x00\x15\x01" + strings.Repeat("\x01", 16) + "\x00\x09\x00\xb0"))
	f.Add([]byte("\x03"))
	f.Add([]byte("\x05\x00\x00\x00\x01\x02"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bytes.NewReader(in)
		frame, err := ReadFrame(r)
		if err != nil {
			return
		}
		used := in[:len(in)-r.Len()]
		var out bytes.Buffer
		switch frame.Type {
		case TypeHeld:
			if frame.Held.Wait == 0 {
				return // allowed to be read, never written
			}
			err = WriteHeld(&out, frame.Held)
		case TypeBeat:
			err = WriteBeat(&out)
		case TypeVerdict:
			err = WriteVerdict(&out, frame.Verdict)
		case TypeUnsupported:
			err = writeFrame(&out, TypeUnsupported, []byte{frame.Version})
		default:
			t.Fatalf("type %d", frame.Type)
		}
		if err != nil || !bytes.Equal(out.Bytes(), used) {
			t.Fatalf("read %q, wrote %q, %v", used, out.Bytes(), err)
		}
	})
}

// FuzzArgs: whatever the command line says, without an agent the process
// prints a row of the table and never exits with 1.
func FuzzArgs(f *testing.F) {
	for _, s := range []string{
		"--agent\x00claude\x00PermissionRequest",
		"--agent\x00my-tool\x00--reply\x00answerback\x00--wait\x002s\x00PermissionRequest",
		"--agent=gemini\x00--fail-mode=closed\x00BeforeTool\x00BeforeTool",
		"--peer-uid\x004294967295\x00--socket\x00/nowhere/x\x00--probe",
		"--agent", "--", "-", "--wait\x001e9h", "\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := append(strings.Split(line, "\x00"), "--socket=/nowhere/answerback/agent.sock")
		var out, errs bytes.Buffer
		exit := Run(args, strings.NewReader("{}"), &out, &errs)
		if exit != 0 || errs.Len() != 0 {
			t.Fatalf("exit %d, stderr %q", exit, errs.Bytes())
		}
		switch out.String() {
		case "", claudeGateDeny, copilotGateDeny, geminiAsk, geminiDeny:
		default:
			t.Fatalf("printed %q", out.Bytes())
		}
	})
}

// FuzzConversation: whatever an agent sends, only a whole verdict is used.
func FuzzConversation(f *testing.F) {
	held := "\x02\x00\x00\x00\x15\x01" + strings.Repeat("\x01", 16) + "\x00\x00\x07\xd0"
	verdict := "\x04\x00\x00\x00\x0c\x00\x00\x00\x00\x03out\x00\x00\x00\x00"
	f.Add([]byte(held + "\x03\x03" + verdict))
	f.Add([]byte(verdict))
	f.Add([]byte(held + held + verdict))
	f.Add([]byte("\x03" + verdict))
	f.Fuzz(func(t *testing.T, in []byte) {
		v, ok := ask(now(), options{caller: "claude"}, []byte("{}"), &script{Reader: bytes.NewReader(in)})
		if ok && !endsWithVerdict(in, v) {
			t.Fatalf("a verdict %+v out of %q", v, in)
		}
		if !ok && (v.Stdout != nil || v.Stderr != nil || v.Exit != 0) {
			t.Fatalf("no verdict, but %+v", v)
		}
	})
}

// endsWithVerdict says whether the bytes of v as a frame are in the stream.
func endsWithVerdict(in []byte, v Verdict) bool {
	var b bytes.Buffer
	return WriteVerdict(&b, v) == nil && bytes.Contains(in, b.Bytes())
}

// script is a connection to an agent that says what it was given.
type script struct {
	io.Reader
	noDeadlines
}
