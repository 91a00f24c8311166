package hook

import (
	"strings"
	"testing"
	"time"
)

func TestArgs(t *testing.T) {
	for line, want := range map[string]options{
		"--agent claude PermissionRequest":                           {caller: "claude", event: "PermissionRequest", owner: -1},
		"PermissionRequest --agent claude":                           {caller: "claude", event: "PermissionRequest", owner: -1},
		"--agent=claude":                                             {caller: "claude", owner: -1},
		"--agent my-tool --reply answerback --wait 2s":               {caller: "my-tool", owner: -1, wait: 2 * time.Second, flags: FlagReply},
		"--agent a --wait 3600 --peer-uid 0 --socket /s":             {caller: "a", wait: time.Hour, socket: "/s"},
		"--agent gemini --fail-mode closed --probe BeforeTool":       {caller: "gemini", event: "BeforeTool", owner: -1, flags: FlagClosed | FlagProbe},
		"--agent gemini --fail-mode open --wait=500ms --peer-uid=12": {caller: "gemini", owner: 12, wait: 500 * time.Millisecond},
	} {
		if got := parseArgs(strings.Fields(line)); got != want {
			t.Errorf("%s\n got %+v\nwant %+v", line, got, want)
		}
	}
}

// Every slip is no opinion, but the row of the table is still the right one.
func TestArgsRefused(t *testing.T) {
	for _, line := range []string{
		"", "--agent", "PermissionRequest",
		"--agent claude --unknown", "--agent claude -h", "--agent claude --help", "--agent claude --", "--agent claude -",
		"--agent claude A B", "--agent claude A A",
		"--agent claude --agent codex", "--agent claude --wait 5 --wait 5", "--agent claude --probe --probe",
		"--agent claude --probe=yes", "--agent claude --Agent codex", "--agent claude -wait 5",
		"--agent Claude", "--agent My_Tool", "--agent abcdefghijklmnopqrstuvwxy", "--agent claude\x00", "--agent é",
		"--agent a --reply", "--agent a --reply json", "--agent a --reply ANSWERBACK", "--agent claude --reply answerback",
		"--agent a --wait 0", "--agent a --wait -5", "--agent a --wait 3601", "--agent a --wait 99ms", "--agent a --wait 1.5",
		"--agent a --wait 61m", "--agent a --wait 99999999999999999999", "--agent a --wait ten", "--agent a --wait=",
		"--agent a --fail-mode", "--agent a --fail-mode ajar", "--agent a --fail-mode OPEN", "--agent a --fail-mode=",
		"--agent a --peer-uid -1", "--agent a --peer-uid 4294967295", "--agent a --peer-uid 0x0", "--agent a --peer-uid root",
		"--agent a --socket", "--agent a --socket=", "--agent a --socket rel/ative", "--agent a --socket @abstract",
		"--agent a E\x01", "--agent a " + strings.Repeat("E", 65),
	} {
		if o := parseArgs(strings.Fields(line)); !o.bad {
			t.Errorf("%q was taken: %+v", line, o)
		}
	}
}

func TestB112_PathTooLong(t *testing.T) {
	if o := parseArgs([]string{"--agent", "a", "--socket", "/" + strings.Repeat("s", 100)}); !o.bad || o.socket != "" {
		t.Errorf("a path of 101 bytes was taken: %+v", o)
	}
	if o := parseArgs([]string{"--agent", "a", "--socket", "/" + strings.Repeat("s", 99)}); o.bad {
		t.Error("a path of 100 bytes was refused")
	}
}

func TestSlipNeverOpensAGate(t *testing.T) {
	for _, line := range []string{
		"--agent gemini BeforeTool --fail-mode closed --unknown",
		"--agent gemini --unknown BeforeTool --fail-mode=closed",
		"--agent gemini BeforeTool --fail-mode close",
		"--agent gemini --fail-mode closed --wait never BeforeTool",
		"--agent gemini --fail-mode closed BeforeTool AfterTool",
		"--agent gemini --fail-mode closed",
	} {
		o := parseArgs(strings.Fields(line))
		if got := fallback(o.caller, o.event, o.flags&FlagClosed != 0); got != geminiDeny {
			t.Errorf("%s: falls back to %q", line, got)
		}
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "my-tool": true, "7": true, strings.Repeat("a", 24): true,
		"": false, strings.Repeat("a", 25): false, "A": false, "a b": false, "a_b": false, "a/b": false, "é": false, "a\n": false,
	} {
		if ValidName(name) != want {
			t.Errorf("ValidName(%q) is %v", name, !want)
		}
	}
}
