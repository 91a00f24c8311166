package rules

import (
	"regexp"
	"strings"
)

// dangerousName finds a task, target or script whose name says what it does.
var dangerousName = regexp.MustCompile(`(?i)(?:^|[:_./-])(?:deploy|publish|release|destroy|drop|wipe|purge|reset|rollback|teardown|nuke|prod|production|push|upload|delete|uninstall|promote)(?:$|[:_./-])`)

// taskRunner runs a task of the project: make test, npm run build.
func (c *call) taskRunner() {
	c.table()
	if dir, ok := c.value("-C", "--directory", "--prefix", "--cwd"); ok {
		if p, found := c.s.resolve(dir.text); !found || !c.s.in.inFolder(p) {
			c.add("runs-outside")
		}
	}
	if file, ok := c.value("-f", "--file", "--makefile", "--justfile"); ok && strings.HasSuffix(c.name, "make") {
		if content := c.content(file); content.text != "" {
			c.inlineCode(content.text)
		} else {
			c.otherFile(file)
		}
	}
	for _, a := range c.operands("-C -f -j -I -o -W --directory --file --prefix --cwd -w --workspace --filter -F -p") {
		name, v, assigned := strings.Cut(a.text, "=")
		if assigned && strings.HasSuffix(c.name, "make") {
			if name == "SHELL" || name == ".SHELLFLAGS" || strings.ContainsAny(v, "$`;|") {
				c.add("changes-environment")
			}
			continue
		}
		if dangerousName.MatchString(a.text) {
			c.add("named-danger")
		}
		if !a.known && a.text == "" {
			c.add("unresolved")
		}
	}
	if text, ok := c.value("--eval"); ok && strings.HasSuffix(c.name, "make") {
		c.codeField(text)
	}
}

// goTool: what is built from the folder is routine; -exec and its kin run
// another program, and PATH@VERSION is fetched.
func (c *call) goTool() {
	for _, o := range []string{"-exec", "-toolexec", "-vettool", "--exec", "--toolexec"} {
		if v, ok := c.value(o); ok {
			c.s.run(splitFields(v), flow{kind: unknown}, c.piece, false)
			c.add("runs-unseen-code")
		}
	}
	ops := c.operands("-o -C -run -count -exec -toolexec -tags -timeout -bench -mod -modfile -ldflags -gcflags -p -cpu -coverprofile")
	if out, ok := c.value("-o"); ok {
		c.write(out)
	}
	if len(ops) == 0 {
		return
	}
	switch ops[0].text {
	case "run":
		if len(ops) > 1 && strings.Contains(ops[1].text, "@") {
			c.add("runs-package")
		}
		if len(ops) > 1 && strings.HasPrefix(programName(strings.Split(ops[1].text, "@")[0]), "answerback") {
			c.add("self")
		}
	case "install", "get":
		if strings.Contains(text(ops).text, "@") || ops[0].text == "get" {
			c.add("installs-packages")
		}
	case "clean":
		if c.has("-modcache", "-cache") {
			c.add("removes-packages")
		}
	case "env":
		if c.has("-w", "-u") {
			c.add("changes-environment")
		}
	case "build", "test", "vet", "fmt", "list", "mod", "generate", "doc", "version", "tool", "work", "fix", "help", "bug", "telemetry":
	default:
		c.add("unknown-program")
	}
}

// container runs what follows an image or a pod's name somewhere else.
func (c *call) container() {
	c.table()
	ops := c.operands("-n --namespace --context -f --filename -c --container -v --volume -e --env -p --publish -u --user -w --workdir --name --network --mount --entrypoint -l -o --kubeconfig --cluster -t --tag")
	if len(ops) == 0 {
		return
	}
	verb := ops[0].text
	if verb != "run" && verb != "exec" && verb != "debug" {
		return
	}
	for _, o := range []string{"-v", "--volume", "--mount"} {
		if v, ok := c.value(o); ok {
			c.mounts(v)
		}
	}
	if c.has("--privileged") || c.has("--pid") {
		c.add("runs-as-root")
	}
	for i, a := range c.args {
		if a.text == "--" && a.known {
			c.s.run(c.args[i+1:], c.in, c.piece, c.many)
			return
		}
	}
	c.dangers(c.args)
}

// mounts: a folder of this machine that the container writes to.
func (c *call) mounts(v field) {
	source, _, _ := strings.Cut(v.text, ":")
	for _, part := range strings.Split(v.text, ",") {
		for _, key := range []string{"source=", "src="} {
			if p, ok := strings.CutPrefix(part, key); ok {
				source = p
			}
		}
	}
	if strings.HasPrefix(source, "/") || strings.HasPrefix(source, "~") || strings.HasPrefix(source, ".") {
		c.s.write(field{text: source, known: v.known}, c.piece, true)
	}
}
