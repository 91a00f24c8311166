package rules

import (
	"path"
	"strings"
)

func (c *call) writer() { c.write(c.operands("-m -r -t -d -s --mode --reference --date --size")...) }

// copy writes its last operand, or -t's folder, and reads the others. scp and
// rsync may reach another machine.
func (c *call) copy() {
	ops := c.operands("-t -m -o -g -S -e -P -i -F -J -l -c -D --target-directory --mode --owner --group --suffix --rsh --exclude --include --exclude-from --filter --backup-dir --rsync-path")
	if dir, ok := c.value("-t", "--target-directory"); ok {
		ops = append(ops, dir)
	}
	remote := false
	for i, f := range ops {
		if c.networked() && isRemote(f.text) {
			remote = true
			continue
		}
		if i == len(ops)-1 {
			c.writeCopy(f, ops)
		} else if c.name == "ln" || c.name == "link" {
			c.s.changes(first(c.s.resolve(f.text)), c.piece, true)
		}
	}
	if remote {
		c.add("reaches-machine")
		c.s.sends++
	}
	if c.name == "rsync" {
		c.rsync()
	}
}

func first(p string, _ bool) string { return p }

func (c *call) networked() bool { return c.name == "scp" || c.name == "rsync" }

// isRemote says that an operand is host:path or an rsync URL.
func isRemote(operand string) bool {
	host, _, ok := strings.Cut(operand, ":")
	return ok && host != "" && !strings.Contains(host, "/") || strings.Contains(operand, "://")
}

// writeCopy writes the target; where the target is a folder, that is the file
// in it.
func (c *call) writeCopy(target field, ops []field) {
	c.write(target)
	for _, src := range ops[:len(ops)-1] {
		content := c.content(src)
		c.s.wrote(target, flow{kind: max(content.kind, unknown), text: content.text})
		if target.known && src.known {
			c.s.wrote(knownField(target.text+"/"+path.Base(src.text)), content)
		}
	}
}

func (c *call) rsync() {
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "--del") {
			c.add("deletes-folder")
		}
	}
	if c.has("--remove-source-files") {
		c.add("deletes-many")
	}
	if shell, ok := c.value("-e", "--rsh", "--rsync-path"); ok {
		c.runField(shell)
	}
}

// move writes both ends; what is moved to /dev/null is gone.
func (c *call) move() {
	ops := c.operands("-t -S --target-directory --suffix")
	if dir, ok := c.value("-t", "--target-directory"); ok {
		ops = append(ops, dir)
	}
	for i, f := range ops {
		c.s.write(f, c.piece, true)
		if i == len(ops)-1 && f.text == "/dev/null" {
			c.add("destroys-data")
		}
	}
	if n := len(ops); n > 1 {
		c.writeCopy(ops[n-1], ops)
	}
}

// permissions: chmod +x is everyday work; the rest changes who may use files.
func (c *call) permissions() {
	ops := c.operands("-m -x -M -X --reference --from --modify")
	if len(ops) == 0 {
		return
	}
	mode, files := ops[0], ops[1:]
	recursive := c.has("-R", "--recursive")
	if !strings.HasSuffix(c.name, "chmod") || recursive || !mode.known || wide(mode.text) {
		c.add("changes-permissions")
	}
	for _, f := range files {
		c.s.write(f, c.piece, true)
		p, ok := c.s.resolve(f.text)
		if recursive && ok && (p == "/" || p == c.s.in.Home || strings.Count(strings.Trim(p, "/"), "/") == 0) {
			c.add("destroys-data") // nobody can tell afterwards what the rights were
		}
	}
}

// wide says that a mode gives others the right to write, or a program its
// owner's rights.
func wide(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		return len(mode) > 3 && mode[len(mode)-4] != '0' || mode != "" && strings.ContainsRune("2367", rune(mode[len(mode)-1]))
	}
	return strings.Contains(mode, "s") || strings.Contains(mode, "o+w") || strings.Contains(mode, "a+w") || strings.Contains(mode, "+w") && mode[0] == '+'
}

func (c *call) tar() {
	extracting := c.has("-x", "--extract", "--get") || len(c.args) > 0 && !strings.HasPrefix(c.args[0].text, "-") && strings.Contains(c.args[0].text, "x")
	if dir, ok := c.value("-C", "--directory"); ok && extracting {
		c.write(dir)
	}
	for _, a := range c.args {
		for _, o := range []string{"--to-command", "--use-compress-program", "--checkpoint-action", "--rsh-command", "--info-script", "--new-volume-script"} {
			if strings.HasPrefix(a.text, o) {
				c.add("runs-unseen-code")
				c.runTail(a, "=")
			}
		}
	}
	if c.has("--remove-files") {
		c.add("deletes-many")
	}
	if extracting && (c.has("-P", "--absolute-names")) {
		c.add("writes-outside")
	}
	if program, ok := c.value("-I"); ok && c.name != "bsdtar" {
		c.runField(program)
	}
	if f, ok := c.value("-f", "--file"); ok && isRemote(f.text) {
		c.add("reaches-machine")
		c.s.sends++
	}
}

// runTail runs what stands after the last mark, as in --checkpoint-action=exec=TEXT.
func (c *call) runTail(a field, mark string) {
	if i := strings.LastIndex(a.text, mark); i >= 0 {
		c.runField(field{text: a.text[i+1:], known: a.known, from: a.from})
	}
}

func (c *call) archive() {
	if dir, ok := c.value("-d"); ok && c.name == "unzip" {
		c.write(dir)
	}
	for _, a := range c.args {
		if dir, ok := strings.CutPrefix(a.text, "-o"); ok && dir != "" && strings.HasPrefix(c.name, "7z") {
			c.write(field{text: dir, known: a.known})
		}
	}
	if c.name == "zip" && c.has("-m", "--move") {
		c.add("deletes-many")
	}
	if command, ok := c.value("-TT", "--unzip-command"); ok {
		c.runField(command)
	}
	if c.name == "zip" {
		if ops := c.operands(""); len(ops) > 0 {
			c.write(ops[0])
		}
	}
}

// editor: its commands can run anything.
func (c *call) editor() {
	for i, a := range c.args {
		if strings.HasPrefix(a.text, "+") && len(a.text) > 1 || a.text == "--eval" || a.text == "-c" || a.text == "--cmd" || a.text == "-S" || a.text == "-l" {
			c.add("runs-inline-code")
			c.signs(text(c.args[i:]).text)
		}
	}
	if c.in.kind > nothing && (c.name == "ed" || c.name == "ex") {
		c.inlineCode(c.in.text)
	}
	c.write(c.operands("-c --cmd -S -u --eval -l -s")...)
}

// debugger runs the commands that stand in its words, a shell's among them.
func (c *call) debugger() {
	for i, a := range c.args {
		switch a.text {
		case "-ex", "-eval-command", "--eval-command", "-iex", "-o", "-O", "--one-line", "-x", "--command", "-s", "--source":
			c.inlineCode(text(c.args[i:]).text)
			return
		}
	}
	c.dangers(c.args)
}

func (c *call) patch() {
	if dir, ok := c.value("-d", "--directory"); ok {
		c.write(dir)
	}
	if f, ok := c.value("-o", "--output"); ok {
		c.write(f)
	}
	if c.in.kind > literal {
		c.code(c.in.kind)
	}
}
