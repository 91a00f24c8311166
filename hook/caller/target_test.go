package caller

import "testing"

func callOf(t *testing.T, tool, input string) Call {
	t.Helper()
	c, err := claude{}.Parse("", claudeJSON(`"tool_name":"`+tool+`"`, `"tool_input":`+input))
	if err != nil {
		t.Fatalf("%s %s: %v", tool, input, err)
	}
	return c
}

func TestTargetAndExact(t *testing.T) {
	for _, tt := range []struct{ tool, input, target, exact string }{
		{"Bash", `{"command":"npm test","description":"Run","timeout":5000}`, "npm test", "npm test"},
		{"Bash", `{"command":"npm test","run_in_background":true}`, "npm test", `{"command":"npm test","run_in_background":true}`},
		{"Bash", `{ "command":"npm test", "dangerouslyDisableSandbox":true }`, "npm test", `{"command":"npm test","dangerouslyDisableSandbox":true}`},
		{"Bash", `{"command":"{\"command\":\"x\"}"}`, `{"command":"x"}`, `{"command":"{\"command\":\"x\"}"}`},
		{"Write", `{"file_path":"/a","content":"x"}`, "/a", `{"file_path":"/a","content":"x"}`},
		{"Edit", `{"file_path":"/a","old_string":"x","new_string":"y"}`, "/a", `{"file_path":"/a","old_string":"x","new_string":"y"}`},
		{"NotebookEdit", `{"notebook_path":"/n","new_source":"x"}`, "/n", `{"notebook_path":"/n","new_source":"x"}`},
		{"WebFetch", `{"url":"https://example.com/","prompt":"p"}`, "https://example.com/", "https://example.com/"},
		{"WebFetch", `{"url":"https://example.com/","method":"POST"}`, "https://example.com/", `{"url":"https://example.com/","method":"POST"}`},
		{"mcp__perm__danger", `{ "what" : "z  z" }`, `{"what":"z  z"}`, `{"what":"z  z"}`},
		{"Task", `{"command":"x"}`, `{"command":"x"}`, `{"command":"x"}`},
	} {
		c := callOf(t, tt.tool, tt.input)
		if c.Target != tt.target || c.Exact != tt.exact {
			t.Errorf("%s %s\ntarget %s\n exact %s\n  want %s\n   and %s", tt.tool, tt.input, c.Target, c.Exact, tt.target, tt.exact)
		}
		if want := tt.tool + " " + tt.target; Summary(c) != want {
			t.Errorf("summary %q, want %q", Summary(c), want)
		}
	}
}

// Calls of one tool that do different things never have one Exact.
func TestExactTellsCallsApart(t *testing.T) {
	for tool, inputs := range map[string][]string{
		"Bash": {
			`{"command":"x"}`, `{"command":"x "}`, `{"command":"X"}`, `{"command":"x","run_in_background":true}`, `{"command":"x","run_in_background":false}`,
			`{"command":"x","dangerouslyDisableSandbox":true}`, `{"command":"{\"command\":\"x\",\"run_in_background\":true}"}`,
			`{"command":"\ud800"}`, `{"command":"\ud801"}`, `{"command":"\ufffd"}`, `{"command":"{\"command\":\"\\ud800\"}"}`, `{"command":"x\u200b"}`,
		},
		"Edit":     {`{"file_path":"/a","new_string":"1"}`, `{"file_path":"/a","new_string":"2"}`, `{"file_path":"/a"}`, `{"file_path":"/A"}`},
		"WebFetch": {`{"url":"https://a/"}`, `{"url":"https://a/","headers":{}}`, `{"url":"{\"url\":\"https://a/\",\"headers\":{}}"}`},
	} {
		seen := map[string]string{}
		for _, input := range inputs {
			exact := callOf(t, tool, input).Exact
			if before, ok := seen[exact]; ok {
				t.Errorf("%s: %s and %s are both %q", tool, before, input, exact)
			}
			seen[exact] = input
		}
	}
}

func TestSummaryOfOthers(t *testing.T) {
	if got := Summary(Call{Tool: "x"}); got != "x" {
		t.Errorf("summary %q", got)
	}
	c, err := claude{}.Parse("", recorded(t, "claude-code/PermissionRequest.AskUserQuestion.json"))
	if err != nil || Summary(c) != "AskUserQuestion Which color?" {
		t.Errorf("summary %q, %v", Summary(c), err)
	}
}
