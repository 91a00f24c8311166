package caller

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// claudeJSON is a PermissionRequest with the given fields put in the place of
// its own, or beside them.
func claudeJSON(fields ...string) []byte {
	doc := `{"session_id":"s","transcript_path":"/t","cwd":"/home/dev/project","prompt_id":"p","permission_mode":"default",` +
		`"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"true"},"permission_suggestions":[]}`
	for _, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		at := strings.Index(doc, name+":")
		if at < 0 {
			doc = doc[:len(doc)-1] + "," + f + "}"
			continue
		}
		s := scanner{doc: []byte(doc), pos: at + len(name) + 1}
		if s.value() != nil {
			panic(f)
		}
		rest := doc[s.pos:]
		if strings.HasSuffix(f, ":") { // the field is to be missing
			doc, f, rest = doc[:at], "", strings.TrimPrefix(rest, ",")
		} else {
			doc = doc[:at]
		}
		doc += f + rest
	}
	return []byte(doc)
}

func TestClaudeParse(t *testing.T) {
	in := claudeJSON(`"effort":{"level":"high"}`, `"agent_id":"a7"`, `"agent_type":"Explore"`, `"something_new":[1,{"x":null}]`,
		`"tool_input":{ "command" : "ls \u0041\n" ,"description":"List"}`)
	c, err := claude{}.Parse("PermissionRequest", in)
	if err != nil {
		t.Fatal(err)
	}
	want := Call{Caller: "claude", Event: "PermissionRequest", Kind: KindCall, Session: "s", SubagentID: "a7", SubagentType: "Explore",
		Folder: "/home/dev/project", Mode: "default", Tool: "Bash", Description: "List", Target: "ls A\n", Exact: "ls A\n"}
	if c.Caller != want.Caller || c.Event != want.Event || c.Kind != want.Kind || c.Session != want.Session || c.Folder != want.Folder ||
		c.Mode != want.Mode || c.Tool != want.Tool || c.Description != want.Description || c.Target != want.Target || c.Exact != want.Exact {
		t.Errorf("got %+v", c)
	}
	if !c.CanAllow || !c.CanDeny || c.NoAllow != "" {
		t.Errorf("a whole call cannot be answered: %+v", c)
	}
	if got, want := string(c.Input), `{ "command" : "ls \u0041\n" ,"description":"List"}`; got != want {
		t.Errorf("the input is %s, want the caller's bytes %s", got, want)
	}
	if string(c.Raw) != string(in) {
		t.Error("Raw is not standard input")
	}
}

// B117: a subagent is named, waits a minute, and has no prompt beside the hook.
func TestB117_Subagent(t *testing.T) {
	main, err := claude{}.Parse("", claudeJSON())
	if err != nil {
		t.Fatal(err)
	}
	sub, err := claude{}.Parse("", claudeJSON(`"agent_id":"a7"`, `"agent_type":"Explore"`))
	if err != nil {
		t.Fatal(err)
	}
	if sub.SubagentID != "a7" || sub.SubagentType != "Explore" || sub.OwnPrompt || !main.OwnPrompt {
		t.Errorf("subagent %+v\nmain %+v", sub, main)
	}
	ev, _ := claude{}.Event("PermissionRequest")
	for _, tt := range []struct {
		call  Call
		asked time.Duration
		want  time.Duration
	}{
		{main, 0, 590 * time.Second}, {sub, 0, 60 * time.Second}, {main, 2 * time.Second, 2 * time.Second},
		{sub, 90 * time.Second, 90 * time.Second}, {main, time.Hour, 590 * time.Second},
	} {
		if got := ev.Wait(tt.call, tt.asked); got != tt.want {
			t.Errorf("waits %v, want %v", got, tt.want)
		}
	}
	if ev.Limit < ev.WaitMax+5*time.Second {
		t.Errorf("the caller's limit %v leaves no time after the wait of %v", ev.Limit, ev.WaitMax)
	}
}

func TestClaudeRefusesFields(t *testing.T) {
	for _, f := range []string{
		`"session_id":`, `"session_id":""`, `"session_id":7`, `"session_id":null`, `"session_id":["s"]`, `"session_id":"` + strings.Repeat("s", 257) + `"`,
		`"session_id":"\ud800"`, `"hook_event_name":`, `"hook_event_name":null`, `"hook_event_name":"permissionrequest"`,
		`"cwd":`, `"cwd":""`, `"cwd":"project"`, `"cwd":"~"`, `"cwd":false`, `"cwd":"/a\u0000b"`, `"cwd":"/` + strings.Repeat("d", 4096) + `"`,
		`"tool_name":`, `"tool_name":""`, `"tool_name":{}`, `"tool_name":"` + strings.Repeat("t", 257) + `"`,
		`"tool_input":`, `"tool_input":null`, `"tool_input":"{}"`, `"tool_input":[]`, `"tool_input":1`, `"tool_input":true`,
		`"permission_mode":1`, `"transcript_path":{}`, `"prompt_id":[]`, `"permission_suggestions":{}`, `"permission_suggestions":null`,
		`"effort":"high"`, `"mcp_server":"perm"`, `"agent_id":7`, `"agent_id":null`, `"agent_type":{}`,
	} {
		c, err := claude{}.Parse("PermissionRequest", claudeJSON(f))
		if err == nil || c.Caller != "" {
			t.Errorf("%s was taken: %+v", f, c)
		}
		if !errors.Is(err, ErrField) && !errors.Is(err, ErrEvent) {
			t.Errorf("%s: error is %v", f, err)
		}
	}
}

// B080: what is empty or missing is a card without Allow, or no card; never a
// call that a person could allow without seeing it.
func TestB080_EmptyInput(t *testing.T) {
	inputs := map[string][]string{
		"Bash": {`{}`, `{"command":""}`, `{"command":" \n\t"}`, `{"command":"\u200b\ufeff"}`, `{"command":null}`, `{"command":["rm","-rf","/"]}`,
			`{"command":{"x":1}}`, `{"Command":"rm"}`, `{"description":"harmless"}`},
		"Write":        {`{}`, `{"content":"x"}`, `{"file_path":""}`, `{"file_path":7}`},
		"Edit":         {`{}`, `{"file_path":null}`},
		"NotebookEdit": {`{}`, `{"file_path":"/x"}`},
		"WebFetch":     {`{}`, `{"url":""}`, `{"prompt":"p"}`},
		"Task":         {`{}`, ` { } `},
		"deploy":       {`{}`, `{"command":""}`, `{"command":" "}`},
	}
	for tool, list := range inputs {
		for _, input := range list {
			fields := []string{`"tool_name":"` + tool + `"`, `"tool_input":` + input}
			for _, adapter := range []Adapter{claude{}, codex{}, qwen{}, open{"my-tool", true}} {
				c, err := adapter.Parse("", claudeJSON(fields...))
				if err != nil || c.CanAllow || c.NoAllow == "" || !c.CanDeny {
					t.Errorf("%s %s %s: %+v, %v", adapter.Name(), tool, input, c, err)
				}
				if !adapter.Reply("", c, Verdict{Kind: Allow}).Equal(Reply{}) {
					t.Errorf("%s %s %s: an Allow got out", adapter.Name(), tool, input)
				}
			}
		}
	}
	for _, input := range []string{`null`, `"rm -rf /"`, `[]`, `7`, `true`} {
		c, err := open{"my-tool", true}.Parse("", claudeJSON(`"tool_input":`+input))
		if err != nil || c.CanAllow || c.NoAllow == "" {
			t.Errorf("open reply, input %s: %+v, %v", input, c, err)
		}
	}
	if c, err := (claude{}).Parse("", claudeJSON(`"tool_name":"mcp__db__list"`, `"tool_input":{}`)); err != nil || !c.CanAllow {
		t.Errorf("an MCP tool that takes nothing: %+v, %v", c, err)
	}
	if c, err := (claude{}).Parse("", claudeJSON(`"tool_input":{"command":"\ud800"}`)); err != nil || !c.CanAllow || c.Target != `{"command":"\ud800"}` {
		t.Errorf("a lone surrogate is there to be seen: %+v, %v", c, err)
	}
}

func TestOpenParse(t *testing.T) {
	o := open{"my-tool", true}
	c, err := o.Parse("PermissionRequest", []byte(`{"tool_name":"deploy","tool_input":{"to":"prod"}}`))
	if err != nil || c.Caller != "my-tool" || c.Event != "PermissionRequest" || c.Folder != "" || c.Session != "" || !c.CanAllow ||
		c.Target != `{"to":"prod"}` || c.OwnPrompt {
		t.Errorf("the least that a tool can send: %+v, %v", c, err)
	}
	for _, doc := range []string{
		`{"tool_name":"deploy"}`, `{"tool_input":{}}`, `{"tool_name":"","tool_input":{}}`, `{"tool_name":1,"tool_input":{}}`,
		`{"tool_name":"d","tool_input":{},"cwd":"."}`, `{"tool_name":"d","tool_input":{},"session_id":5}`, `{}`, `[]`, ``, `{"toolName":"bash","toolInput":{}}`,
	} {
		if c, err := o.Parse("PermissionRequest", []byte(doc)); err == nil {
			t.Errorf("%s was taken: %+v", doc, c)
		}
	}
	if _, err := o.Parse("", []byte(`{"tool_name":"d","tool_input":{"a":1}}`)); !errors.Is(err, ErrEvent) {
		t.Errorf("no event at all: %v", err)
	}
	ev, ok := o.Event("PermissionRequest")
	if !ok || ev.Wait(c, 0) != 2*time.Minute || ev.Wait(c, time.Hour) != time.Hour || ev.Grace != 0 || ev.RunsRewrite || ev.Questions {
		t.Errorf("event %+v", ev)
	}
}

// H5: without --reply nobody is waited for, and nothing is printed.
func TestNamedCallerWithoutReply(t *testing.T) {
	a, err := For("my-tool", "")
	if err != nil {
		t.Fatal(err)
	}
	ev, ok := a.Event("PermissionRequest")
	if !ok || ev.Waits || ev.Allows || ev.Denies || ev.Wait(Call{}, time.Hour) != 0 {
		t.Errorf("event %+v", ev)
	}
	c, err := a.Parse("PermissionRequest", claudeJSON())
	if err != nil || c.CanAllow || c.CanDeny || c.NoAllow == "" || c.Tool != "Bash" {
		t.Errorf("call %+v, %v", c, err)
	}
	for _, kind := range []VerdictKind{NoOpinion, Allow, Deny, Answers} {
		if r := a.Reply("PermissionRequest", c, Verdict{Kind: kind}); !r.Equal(Reply{}) {
			t.Errorf("verdict %d: %+v", kind, r)
		}
	}
}

func TestInputStaysAsSent(t *testing.T) {
	for _, input := range []string{
		`{"command":"x","n":1.50e+3,"big":12345678901234567890123}`, "{\n\t\"command\" : \"a\\u0062\"\n}", `{"command":"\ud83d\ude00\ud800\/"}`,
		`{"__proto__":{"x":1},"command":"c","constructor":null}`,
	} {
		for _, adapter := range []Adapter{claude{}, codex{}, qwen{}, open{"my-tool", true}} {
			c, err := adapter.Parse("", claudeJSON(`"tool_input":`+input))
			if err != nil || string(c.Input) != input {
				t.Errorf("%s: %s became %s, %v", adapter.Name(), input, c.Input, err)
			}
		}
	}
}
