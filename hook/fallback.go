package hook

// What the hook prints when no agent answers: constant bytes, by caller, event
// and fail mode. Each is that caller's own no opinion, as measured on the
// programs named in docs/callers.md; a test in hook/caller shows each equal to
// its adapter's. No row is an Allow, and no row exits with 1.

// fallbackText is read by a model, so it says what to do next.
const fallbackText = "Answerback could not reach its agent, and this gate stops calls that nobody has checked. " +
	"Nothing ran. Do not look for another way round. Ask the person to start the agent: answerback agent"

const (
	// Claude Code 2.1.332 (pt_deny), Codex CLI 0.171.0 (pt_deny), qwen-code
	// 0.24.4 (y_pt_deny). On a permission event these bytes are no decision.
	claudeGateDeny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + fallbackText + `"}}` + "\n"
	// GitHub Copilot CLI 1.0.102 (pt_deny).
	copilotGateDeny = `{"permissionDecision":"deny","permissionDecisionReason":"` + fallbackText + `"}` + "\n"
	// Gemini CLI 0.61.0 (deny).
	geminiDeny = `{"decision":"deny","reason":"` + fallbackText + `"}` + "\n"
	// Gemini CLI 0.61.0 (ask, i_ask_yolo): silence would RUN the tool. In the
	// terminal this prompts, also in yolo; headless the tool does not run.
	geminiAsk = `{"decision":"ask","systemMessage":"Answerback could not reach its agent. Decide here, in the terminal."}` + "\n"
)

// Fallback is what the hook prints and exits with when no verdict arrived.
// closed is --fail-mode closed and matters on gates only: a permission event
// always falls back to the caller's own prompt. A command line that names no
// event is taken for the gate where the caller has one, because the other
// event ignores those bytes. An unknown caller gets silence.
func Fallback(caller, event string, closed bool) (exit int, stdout, stderr []byte) {
	return 0, []byte(fallback(caller, event, closed)), nil
}

// fallback is the table: what stands on standard output. Every row exits with
// 0 and has nothing on standard error.
func fallback(caller, event string, closed bool) string {
	switch caller {
	case "claude", "codex", "qwen":
		if closed && (event == "PreToolUse" || event == "") {
			return claudeGateDeny
		}
	case "copilot":
		if closed && (event == "preToolUse" || event == "PreToolUse" || event == "") {
			return copilotGateDeny
		}
	case "gemini":
		if event == "BeforeTool" || event == "" {
			if closed {
				return geminiDeny
			}
			return geminiAsk
		}
	}
	return ""
}

// builtin says whether the hook knows a caller's own dialect. Every other name
// is a home-made tool, which is waited for only with --reply answerback.
func builtin(caller string) bool {
	switch caller {
	case "claude", "codex", "copilot", "gemini", "qwen":
		return true
	}
	return false
}
