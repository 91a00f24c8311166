package rules

import "strings"

// rm with -r takes a folder and all in it; run once per line or file, it takes
// whatever it is handed.
func (c *call) rm() {
	switch {
	case c.has("-r", "-R", "--recursive"):
		c.add("deletes-folder")
	case c.many:
		c.add("deletes-many")
	default:
		c.add("deletes-file")
	}
	for _, a := range c.args {
		if !a.known && (a.text == "" || a.text[0] == '-') {
			c.add("unresolved") // an option may hide in it
		}
	}
	c.deletes(c.operands(""))
	c.out = flow{}
}

func (c *call) deletes(ops []field) {
	for _, f := range ops {
		c.s.write(f, c.piece, true)
	}
}

func (c *call) rimraf() {
	c.add("deletes-folder")
	c.deletes(c.operands(""))
}

func (c *call) unlink() {
	if c.many {
		c.add("deletes-many")
	} else if c.name != "rmdir" {
		c.add("deletes-file")
	}
	c.deletes(c.operands(""))
}

func (c *call) shred() {
	c.add("overwrites-data")
	c.deletes(c.operands("-n -s"))
}

// dd writes block by block wherever of= points.
func (c *call) dd() {
	for _, a := range c.args {
		name, v, _ := strings.Cut(a.text, "=")
		target := field{text: v, known: a.known, from: a.from}
		switch {
		case name == "of" && a.known && strings.HasPrefix(v, "/dev/") && !matches(disks, strings.Split(v, "/")[2]):
			c.write(target)
		case name == "of":
			c.add("overwrites-data")
			c.write(target)
		case name == "if":
			c.read(target)
		}
	}
	for _, a := range c.args {
		if !a.known && a.text == "" {
			c.add("unresolved")
		}
	}
}

// disk is a program that writes partition tables, file systems or keys to a disk.
func (c *call) disk() {
	if c.has("-l", "--list", "--help", "--version") && len(c.operands("")) < 2 {
		return
	}
	c.add("overwrites-disk")
}

// find runs commands on what it finds, or deletes it.
func (c *call) find() {
	for i, a := range c.args {
		switch a.text {
		case "-delete":
			c.add("deletes-folder")
		case "-exec", "-execdir", "-ok", "-okdir":
			c.findRuns(c.args[i+1:])
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			if i+1 < len(c.args) {
				c.write(c.args[i+1])
			}
		}
		if !a.known && a.text == "" && i > 0 {
			c.add("unresolved")
		}
	}
}

func (c *call) findRuns(argv []field) {
	end := len(argv)
	for i, a := range argv {
		if a.text == ";" || a.text == "+" && i > 0 && argv[i-1].text == "{}" {
			end = i
			break
		}
	}
	c.s.run(replace(argv[:end], "{}", field{from: unknown}), flow{kind: unknown}, c.piece, true)
}

func (c *call) fd() {
	for i, a := range c.args {
		switch a.text {
		case "-x", "--exec", "-X", "--exec-batch":
			c.s.run(replace(c.args[i+1:], "{}", field{from: unknown}), flow{kind: unknown}, c.piece, true)
			return
		}
	}
}
