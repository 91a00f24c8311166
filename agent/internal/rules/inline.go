package rules

import "regexp"

var (
	sedRuns = regexp.MustCompile(`(?:^|[;\n}]|\d|/)\s*e(?:\s|$)|/[gpi0-9]*e[gpi0-9]*\s*(?:;|$|\n)|(?:^|[;\n}])\s*[0-9$,]*w\s`)
	awkRuns = regexp.MustCompile(`system\s*\(|\|\s*getline|\|\s*"|print[^|]*\||>\s*"|>\s*[A-Za-z_$(]|@load`)
)

// inlineSigns are what is looked for in code of other languages, which is not
// parsed: a sign adds its reason to "runs code given inline".
var inlineSigns = []struct {
	id   string
	sign *regexp.Regexp
}{
	{"deletes-folder", regexp.MustCompile(`(?i)rmtree|rm_rf|rm_r\b|remove_entry|rimraf|removeSync|rmdirs|rmSync|fs\.rm\b|rm\s*\([^)]*recursive|rmdir[A-Za-z]*\s*\([^)]*recursive|\brm["',\s]+-[a-z]*r|\brm["',\s]+--recursive|Remove-Item[^\n;|]*-Recurse|os\.removedirs|deleteDirectory|delete_dir|Directory\.Delete|File::Path`)},
	{"deletes-file", regexp.MustCompile(`(?i)os\.(?:remove|unlink)|\.unlink\b|unlinkSync|\bunlink\b|File\.delete|fs\.unlink|Remove-Item|\brm["',\s]+["'./\w]`)},
	{"overwrites-disk", regexp.MustCompile(`(?i)\bmkfs|\bdd["',\s]+(?:if|of)=|/dev/(?:sd|nvme|vd|hd|mmcblk|disk)`)},
	{"rewrites-history", regexp.MustCompile(`(?i)git["',\s]+push[^\n;]*(?:--force|["'\s]-f\b|--mirror|--delete)`)},
	{"loses-work", regexp.MustCompile(`(?i)git["',\s]+(?:reset["',\s]+--hard|clean["',\s]+-[a-z]*f)`)},
	{"drops-data", sqlDrops},
	{"removes-resources", regexp.MustCompile(`(?i)kubectl["',\s]+delete|terraform["',\s]+destroy|\bdelete_(?:bucket|instance|table|stack|cluster|db_instance|object)|terminate_instances`)},
	{"hidden-code", regexp.MustCompile(`(?i)(?:exec|eval|system|spawn|Invoke-Expression|iex|loads)\b[\s\S]{0,200}(?:b64decode|base64|atob|fromhex|unhexlify|decompress|Buffer\.from|unpack|rot13|codecs\.decode|marshal)|-enc(?:odedcommand)?\b`)},
	{"remote-code", regexp.MustCompile(`(?i)(?:exec|eval|system|spawn|Function|Invoke-Expression|iex|import)\b[\s\S]{0,200}(?:urlopen|requests\.get|urllib|https?://|fetch\(|http\.get|open-uri|DownloadString|Net::HTTP|LWP|curl|wget)|(?:DownloadString|urlopen|requests\.get|curl\s|wget\s)[\s\S]{0,200}(?:exec|eval|\biex\b|\|\s*(?:ba|z|da)?sh\b)`)},
	{"remote-shell", regexp.MustCompile(`(?i)socket[\s\S]{0,400}(?:dup2|pty\.spawn|subprocess|/bin/(?:ba)?sh|exec)|/dev/tcp/`)},
	{"stops-machine", regexp.MustCompile(`(?i)\b(?:shutdown|reboot|poweroff|halt)\b\s*["',(\s-]|os\.fork\s*\(\)[\s\S]*while|while[\s\S]*os\.fork|Stop-Computer|Restart-Computer`)},
	{"reaches-machine", regexp.MustCompile(`(?i)https?://|requests\.|urllib|urlopen|socket\.|fetch\(|axios|http\.(?:get|request|client)|net\.connect|Net::HTTP|LWP|Invoke-WebRequest|Invoke-RestMethod|smtplib|paramiko|ftplib`)},
	{"reads-secret", regexp.MustCompile(`(?i)\.ssh/|id_rsa|id_ed25519|\.aws/credentials|\.netrc|/etc/shadow|\.env\b["')]|os\.environ\b\s*[^\[.]|process\.env\b\s*[^.\[]`)},
	{"self", regexp.MustCompile(`(?i)\.config/answerback|state/answerback|answerback/agent\.sock|\banswerback-hook\b`)},
	{"changes-hooks", regexp.MustCompile(`(?i)\.claude/settings|\.codex/(?:hooks|config)|\.gemini/settings|\.qwen/settings|\.copilot/hooks|\.cursor/hooks`)},
}

// inlineCode reports code of another language that stands in the call, and what
// its text shows.
func (c *call) inlineCode(code string) {
	c.add("runs-inline-code")
	c.signs(code)
}

func (c *call) signs(code string) {
	if len(code) > MaxShell {
		c.add("too-large")
		return
	}
	reads, sends := false, false
	for _, s := range inlineSigns {
		if s.sign.MatchString(code) {
			c.add(s.id)
			reads, sends = reads || s.id == "reads-secret", sends || s.id == "reaches-machine"
		}
	}
	if reads && sends {
		c.add("sends-secret")
	}
}

// inline looks for SQL among the words of a program that is not known.
func (c *call) inline(args []field) {
	for _, a := range args {
		if len(a.text) <= MaxShell && sqlDrops.MatchString(a.text) {
			c.add("drops-data")
		}
	}
}
