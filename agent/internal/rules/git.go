package rules

import "strings"

// gitReads are the subcommands that change nothing but the working copy or the
// index, and nothing that is lost.
var gitReads = words(`add status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe cat-file shortlog
	commit merge cherry-pick revert init stash mv am apply format-patch bundle archive count-objects fsck name-rev merge-base
	show-ref show-branch symbolic-ref var version help whatchanged range-diff notes sparse-checkout maintenance cherry check-ignore
	check-attr diff-tree diff-index diff-files for-each-ref hash-object write-tree read-tree commit-tree verify-commit verify-tag
	fetch pull clone remote submodule branch tag checkout switch restore reset clean rebase worktree bisect config lfs rm gc reflog`)

// git skips the global options, and looks at what -c sets and -C enters.
func (c *call) git() {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		taken := 1
		switch a := args[0].text; {
		case a == "-c" || a == "--config-env":
			taken = 2
			if len(args) > 1 {
				c.gitConfig(args[1])
			}
		case strings.HasPrefix(a, "-c") && len(a) > 2:
			c.gitConfig(field{text: a[2:], known: args[0].known})
		case a == "-C" || a == "--git-dir" || a == "--work-tree":
			taken = 2
			if len(args) > 1 {
				c.gitFolder(args[1])
			}
		case a == "--namespace" || a == "--super-prefix" || a == "--attr-source":
			taken = 2
		case strings.HasPrefix(a, "--git-dir=") || strings.HasPrefix(a, "--work-tree="):
			c.gitFolder(field{text: after(a, "="), known: args[0].known})
		case strings.HasPrefix(a, "--exec-path="):
			c.add("changes-environment")
		}
		args = args[min(taken, len(args)):]
	}
	if len(args) == 0 {
		return
	}
	verb := args[0]
	if !verb.known {
		c.code(max(verb.from, unknown))
		c.add("unresolved")
	}
	c.args = args[1:]
	c.gitVerb(verb.text)
}

// gitFolder: a repository elsewhere is written to, whatever the subcommand.
func (c *call) gitFolder(f field) {
	if p, ok := c.s.resolve(f.text); !f.known || !ok || !c.s.in.inFolder(p) {
		c.add("writes-outside")
	}
}

// gitRuns are parts of configuration keys whose value git runs.
var gitRuns = []string{"alias.", "sshcommand", "pager", "editor", "hookspath", ".cmd", ".command", "helper", "fsmonitor", "external", "filter.",
	"askpass", "textconv", "driver", ".program", "gitproxy", "uploadpack", "receivepack", "protocol.", "insteadof", "include", "clonefilter"}

func (c *call) gitConfig(f field) {
	name, v, _ := strings.Cut(f.text, "=")
	name = strings.ToLower(name)
	for _, key := range gitRuns {
		if !strings.Contains(name, key) {
			continue
		}
		c.add("changes-git-hooks")
		script := strings.TrimPrefix(v, "!")
		if strings.HasPrefix(name, "alias.") && script == v {
			script = "git " + v
		}
		if !strings.Contains(name, "pager") || strings.Contains(v, " ") {
			c.runField(field{text: script, known: f.known, from: f.from})
		}
		return
	}
}

func (c *call) gitVerb(verb string) {
	if handle, ok := gitVerbs[verb]; ok {
		handle(c)
		return
	}
	c.gitNetwork(verb)
	if !gitReads[verb] {
		c.add("unknown-program") // may be an alias
		c.dangers(c.args)
	}
}

// gitNetwork: fetching from the repository's own remotes is everyday work; an
// address in the call is another machine.
func (c *call) gitNetwork(verb string) {
	for _, a := range c.args {
		t := a.text
		switch {
		case strings.HasPrefix(t, "ext::"):
			c.runField(field{text: strings.TrimPrefix(t, "ext::"), known: a.known})
		case strings.HasPrefix(t, "--upload-pack") || strings.HasPrefix(t, "--receive-pack") || strings.HasPrefix(t, "--exec=") ||
			strings.HasPrefix(t, "--open-files-in-pager") || verb == "grep" && strings.HasPrefix(t, "-O") || verb == "difftool" && strings.HasPrefix(t, "--extcmd"):
			c.add("runs-unseen-code")
			c.runTail(a, "=")
		case isRemote(t) && (verb == "clone" || verb == "fetch" || verb == "pull" || verb == "remote" || verb == "ls-remote" || verb == "submodule" || verb == "archive"):
			c.add("reaches-machine")
			c.s.sends++
		}
	}
	if verb == "clone" || verb == "init" || verb == "worktree" {
		if ops := c.operands("-b -o --branch --origin --depth --reference --config -c --template"); len(ops) > 1 {
			c.write(ops[len(ops)-1])
		}
		if config, ok := c.value("-c", "--config"); ok {
			c.gitConfig(config)
		}
	}
}
