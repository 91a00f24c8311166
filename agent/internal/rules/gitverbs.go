package rules

import (
	"slices"
	"strings"
)

// gitVerbs are the subcommands that can lose something or reach out.
var gitVerbs map[string]func(*call)

func init() {
	gitVerbs = map[string]func(*call){
		"push": (*call).gitPush, "send-pack": (*call).gitPush, "reset": (*call).gitReset, "clean": (*call).gitClean,
		"checkout": (*call).gitCheckout, "restore": (*call).gitRestore, "switch": (*call).gitSwitch, "branch": (*call).gitBranch,
		"tag": (*call).gitTag, "stash": (*call).gitStash, "rm": (*call).gitRm, "rebase": (*call).gitRebase, "worktree": (*call).gitWorktree,
		"reflog": (*call).gitReflog, "gc": (*call).gitPrune, "prune": (*call).gitPrune, "update-ref": (*call).gitUpdateRef,
		"filter-branch": lose, "filter-repo": lose, "replace": lose, "checkout-index": lose,
		"submodule": (*call).gitForeach, "bisect": (*call).gitBisect, "config": (*call).gitConfigVerb, "remote": (*call).gitRemote,
		"credential": secret, "credential-store": secret, "credential-cache": secret, "send-email": send, "request-pull": send,
		"daemon": listen, "instaweb": listen, "svn": send, "p4": send, "lfs": (*call).gitLFS,
	}
}

func lose(c *call)   { c.add("loses-work") }
func secret(c *call) { c.add("reads-secret"); c.s.reads++ }
func send(c *call)   { c.add("reaches-machine"); c.add("sends-data"); c.s.sends++ }
func listen(c *call) { c.add("opens-port") }

// gitPush: --force and its kin, a refspec with + or without a source, and
// --mirror replace or delete what the server has.
func (c *call) gitPush() {
	c.add("pushes")
	c.s.sends++
	forced := c.has("-f", "-d", "--force", "--force-with-lease", "--force-if-includes", "--delete", "--mirror", "--prune")
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "+") || strings.HasPrefix(a.text, ":") && len(a.text) > 1 {
			forced = true
		}
		if !a.known && (a.text == "" || a.text[0] == '-' || a.text[0] == '+') {
			c.add("unresolved")
		}
	}
	if forced {
		c.add("rewrites-history")
	}
	c.gitNetwork("push")
	if slices.ContainsFunc(c.args, func(a field) bool {
		return isRemote(a.text) && !strings.Contains(a.text, ":refs") && strings.Contains(a.text, "/")
	}) {
		c.add("reaches-machine")
	}
}

func (c *call) gitReset() {
	if c.has("--hard", "--merge", "--keep") {
		c.add("loses-work")
	}
}

func (c *call) gitClean() {
	if !c.has("-n", "--dry-run", "-i", "--interactive") {
		c.add("loses-work")
	}
}

// gitCheckout of paths, or with force, writes over what is not committed.
func (c *call) gitCheckout() {
	ops := c.operands("-b -B --orphan --conflict")
	creates := c.has("-b", "-B", "--orphan")
	dashes := slices.ContainsFunc(c.args, func(a field) bool { return a.text == "--" })
	paths := dashes || !creates && len(ops) > 1 || len(ops) > 0 && (ops[0].text == "." || strings.HasPrefix(ops[0].text, "./") || ops[0].text == ":/")
	if paths || c.has("-f", "-p", "--force", "--ours", "--theirs", "--pathspec-from-file") {
		c.add("loses-work")
	}
}

func (c *call) gitRestore() {
	if !c.has("-S", "--staged") || c.has("-W", "--worktree") {
		c.add("loses-work")
	}
}

func (c *call) gitSwitch() {
	if c.has("-f", "-C", "--force", "--discard-changes", "--force-create") {
		c.add("loses-work")
	}
}

func (c *call) gitBranch() {
	if c.has("-D", "-M", "-C") || c.has("-f", "--force") && c.has("-d", "-m", "--delete", "--move", "-f") {
		c.add("loses-work")
	} else if c.has("-d", "--delete") {
		c.add("deletes-file")
	}
}

func (c *call) gitTag() {
	if c.has("-d", "-f", "--delete", "--force") {
		c.add("deletes-file")
	}
}

func (c *call) gitStash() {
	if ops := c.operands("-m --message"); len(ops) > 0 && (ops[0].text == "drop" || ops[0].text == "clear") {
		c.add("loses-work")
	}
}

func (c *call) gitRm() {
	if c.has("--cached") {
		return
	}
	if c.has("-r", "-f", "--force") {
		c.add("deletes-folder")
		return
	}
	c.add("deletes-file")
}

func (c *call) gitRebase() {
	if command, ok := c.value("-x", "--exec"); ok {
		c.runField(command)
	}
}

func (c *call) gitWorktree() {
	if ops := c.operands(""); len(ops) > 0 && (ops[0].text == "remove" && c.has("-f", "--force")) {
		c.add("loses-work")
		return
	}
	c.gitNetwork("worktree")
}

func (c *call) gitReflog() {
	if ops := c.operands(""); len(ops) > 0 && (ops[0].text == "expire" || ops[0].text == "delete") {
		c.add("loses-work")
	}
}

func (c *call) gitPrune() {
	if v, ok := c.value("--prune", "--expire"); ok && v.text == "now" || c.has("--prune") && !ok {
		c.add("loses-work")
	}
}

func (c *call) gitUpdateRef() {
	if c.has("-d", "--delete", "--stdin") {
		c.add("loses-work")
	}
}

func (c *call) gitForeach() {
	for i, a := range c.args {
		if a.text == "foreach" {
			rest := c.args[i+1:]
			for len(rest) > 0 && strings.HasPrefix(rest[0].text, "-") {
				rest = rest[1:]
			}
			c.runField(text(rest))
			return
		}
	}
	if c.has("-f", "--force") {
		c.add("loses-work")
	}
	c.gitNetwork("submodule")
}

func (c *call) gitBisect() {
	if len(c.args) > 1 && c.args[0].text == "run" {
		c.s.run(c.args[1:], flow{kind: unknown}, c.piece, true)
	}
}

// gitConfigVerb: a key whose value git runs, or a file that every repository uses.
func (c *call) gitConfigVerb() {
	ops := c.operands("-f --file --blob --type --default")
	if len(ops) > 0 && (ops[0].text == "set" || ops[0].text == "get") {
		ops = ops[1:]
	}
	if c.has("-e", "--edit") {
		c.add("changes-git-hooks")
	}
	if len(ops) < 2 {
		return
	}
	if c.has("--global", "--system") {
		c.add("changes-profile")
	}
	c.gitConfig(field{text: ops[0].text + "=" + ops[1].text, known: ops[0].known && ops[1].known, from: max(ops[0].from, ops[1].from)})
}

func (c *call) gitRemote() {
	c.gitNetwork("remote")
	if ops := c.operands(""); len(ops) > 0 && ops[0].text != "show" && ops[0].text != "get-url" && ops[0].text != "update" {
		c.add("changes-git-hooks")
	}
}

func (c *call) gitLFS() {
	if ops := c.operands(""); len(ops) > 0 && (ops[0].text == "push" || ops[0].text == "migrate") {
		c.add("pushes")
	}
}
