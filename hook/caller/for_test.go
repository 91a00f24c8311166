package caller

import (
	"errors"
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		name, reply string
		want        error
	}{
		{"claude", "", nil}, {"my-tool", "answerback", nil}, {"my-tool", "", nil}, {"x", "answerback", nil}, {strings.Repeat("a", 24), "answerback", nil},
		{"claude-2", "answerback", nil}, {"-", "answerback", nil},
		{"claude", "answerback", ErrReserved}, {"my-tool", "json", ErrReply}, {"claude", "json", ErrReply},
		{"", "answerback", ErrName}, {"My-Tool", "answerback", ErrName}, {"my tool", "answerback", ErrName}, {"my_tool", "answerback", ErrName},
		{strings.Repeat("a", 25), "answerback", ErrName}, {"t\x00", "answerback", ErrName}, {"tóol", "answerback", ErrName}, {"claude ", "", ErrName},
	} {
		a, err := For(tt.name, tt.reply)
		if !errors.Is(err, tt.want) || (err == nil) != (a != nil) {
			t.Errorf("For(%q, %q) = %v, %v; want %v", tt.name, tt.reply, a, err, tt.want)
		}
		if err == nil && a.Name() != tt.name {
			t.Errorf("For(%q, %q) is named %q", tt.name, tt.reply, a.Name())
		}
	}
}

func TestReservedNames(t *testing.T) {
	names := strings.Fields("claude codex copilot gemini opencode qwen cursor kimi cline amp droid goose pi acp mcp other answerback")
	if len(names) != len(strings.Fields(reserved)) {
		t.Errorf("%d names are reserved, want %d", len(strings.Fields(reserved)), len(names))
	}
	for _, name := range names {
		if !Reserved(name) {
			t.Errorf("%s is not reserved", name)
		}
		if _, err := For(name, OpenReply); !errors.Is(err, ErrReserved) {
			t.Errorf("a tool could call itself %s: %v", name, err)
		}
	}
	for _, name := range []string{"", " ", "claude codex", "code", "claud", "my-tool"} {
		if Reserved(name) {
			t.Errorf("%q is reserved", name)
		}
	}
	for _, name := range Names() {
		if a, err := For(name, ""); err != nil || a.Name() != name || !Reserved(name) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
