package rules

import (
	"encoding/base64"
	"slices"
	"strings"
)

func (c *call) echo() {
	args, escapes := c.args, false
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		args = args[1:]
	}
	f := text(args)
	if escapes || strings.Contains(f.text, `\`) { // some shells' echo undoes escapes without -e
		f.text = unescapeC(f.text)
	}
	c.puts(f, "\n")
}

// puts is what a program prints of its words.
func (c *call) puts(f field, end string) {
	if f.known {
		c.out = flow{kind: literal, text: f.text + end}
		return
	}
	c.out = flow{kind: max(f.from, unknown)}
}

func (c *call) printf() {
	args := c.args
	if len(args) > 1 && args[0].text == "-v" {
		c.s.set(args[1].text, value{{from: unknown}})
		return
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	format, rest := args[0], args[1:]
	out := unescapeC(format.text)
	var b strings.Builder
	for i := 0; i < len(out); i++ {
		if out[i] != '%' || i+1 == len(out) {
			b.WriteByte(out[i])
			continue
		}
		i++
		if out[i] == '%' {
			b.WriteByte('%')
		} else if len(rest) > 0 {
			b.WriteString(unescapeC(rest[0].text))
			rest = rest[1:]
		}
	}
	for _, a := range rest {
		b.WriteString(" " + a.text)
	}
	all := join(args)
	c.puts(field{text: b.String(), known: all.known, from: all.from}, "")
}

func (c *call) cat() {
	ops := c.operands("")
	if len(ops) == 0 {
		c.out = c.in
		return
	}
	c.out = flow{}
	for _, f := range ops {
		c.out = worse(c.out, c.content(f))
	}
}

// content is what is known of a file's text.
func (c *call) content(f field) flow {
	if f.text == "-" || f.text == "/dev/stdin" {
		return c.in
	}
	if p, ok := c.s.resolve(f.text); ok && f.known {
		if written, is := c.s.files[p]; is {
			return written
		}
		return flow{kind: max(unknown, f.from), path: p}
	}
	return flow{kind: max(unknown, f.from)}
}

func (c *call) tee() {
	ops := c.operands("")
	c.write(ops...)
	for _, f := range ops {
		c.s.wrote(f, c.in)
	}
	c.out = c.in
}

func (c *call) pwd() { c.puts(field{text: c.s.cwd, known: c.s.cwd != ""}, "\n") }

// which prints a program's path: for the walk, its name.
func (c *call) which() {
	if ops := c.operands(""); len(ops) > 0 {
		c.puts(ops[len(ops)-1], "\n")
	}
}

// decoder turns text into other text: what comes out and is run was hidden.
// Known text in base64, or written backwards, is decoded here and looked into.
func (c *call) decoder() {
	in := c.in
	for _, f := range c.operands("-k -K -pass -in -out -e -w --wrap") {
		if f.text != "d" && f.text != "enc" && f.text != "base64" && c.name != "tr" {
			in = worse(in, c.content(f))
		}
	}
	if f, ok := c.value("-in", "-out"); ok && c.name == "openssl" {
		c.write(f)
	}
	if !c.decodes() {
		c.out = flow{kind: max(unknown, in.kind)}
		return
	}
	c.out = flow{kind: max(decoded, in.kind)}
	if in.kind == literal {
		c.out.text = decode(c.name, in.text)
	}
}

func (c *call) decodes() bool {
	switch c.name {
	case "rev", "tr", "gunzip", "zcat", "bzcat", "xzcat", "zstdcat", "uudecode":
		return true
	case "xxd":
		return c.has("-r")
	case "openssl":
		return c.has("-d")
	}
	return c.has("-d", "-D", "--decode", "--decompress", "--uncompress")
}

// decode gives the decoded text, or "" where that is not done here.
func decode(program, text string) string {
	switch program {
	case "base64", "openssl":
		plain, err := base64.StdEncoding.DecodeString(strings.Map(dropSpace, text))
		if err != nil {
			plain, _ = base64.RawStdEncoding.DecodeString(strings.Map(dropSpace, text))
		}
		return string(plain)
	case "rev":
		runes := []rune(strings.TrimRight(text, "\n"))
		slices.Reverse(runes)
		return string(runes)
	}
	return ""
}

func dropSpace(r rune) rune {
	if strings.ContainsRune(" \t\r\n", r) {
		return -1
	}
	return r
}

// sed with -i writes its files; its e command and flag run text.
func (c *call) sed() {
	script, given := c.value("-e", "--expression")
	ops := c.operands("-e -f -l --expression --file")
	if !given && len(ops) > 0 {
		script, ops = ops[0], ops[1:]
	}
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "-") && (isOption(a.text, "-i") || isOption(a.text, "--in-place")) {
			c.write(ops...)
		}
	}
	if sedRuns.MatchString(script.text) {
		c.inlineCode(script.text)
		c.dangers(codeWords(sedCommand.ReplaceAllString(script.text, " ")))
	}
	if _, ok := c.value("-f", "--file"); ok || !script.known {
		c.add("runs-unseen-code")
	}
	c.fileOperands(ops)
}

// fileOperands is what comes out of a filter that reads files, or its input.
func (c *call) fileOperands(ops []field) {
	c.out = flow{kind: max(unknown, c.in.kind)}
	for _, f := range ops {
		c.out.kind = max(c.out.kind, c.content(f).kind)
	}
}

// awk prints, as a rule; a program that starts others or writes files is code.
func (c *call) awk() {
	ops := c.operands("-F -v -f --field-separator --assign --file")
	if _, ok := c.value("-f", "--file"); ok {
		c.add("runs-unseen-code")
	} else if len(ops) > 0 {
		if !ops[0].known {
			c.code(max(ops[0].from, unknown))
		}
		if awkRuns.MatchString(ops[0].text) {
			c.inlineCode(ops[0].text)
		}
		ops = ops[1:]
	}
	c.fileOperands(ops)
}
