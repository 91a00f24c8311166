package rules

import (
	"path"
	"strings"
)

// write reports what writing to a path means. above: what lies under the path
// is written too (a folder moved, deleted, or given to others).
func (s *scan) write(f field, piece string, above bool) {
	if !f.known {
		s.add("unresolved", piece)
		return
	}
	if s.seen("w", f.text) && (!above || s.seen("d", f.text)) {
		return
	}
	p, ok := s.resolve(f.text)
	if dev, is := strings.CutPrefix(p, "/dev/"); is {
		s.device(dev, piece)
		return
	}
	if !ok || !s.in.inFolder(p) {
		s.add("writes-outside", piece)
	}
	s.changes(p, piece, above)
	for _, dir := range systemFolders {
		if p == "/" || under(dir, p) {
			s.add("changes-system", piece)
			return
		}
	}
	if strings.HasPrefix(p, "/proc/sysrq") {
		s.add("stops-machine", piece)
	}
}

var systemFolders = []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/System", "/Library", "/Applications", "/opt", "/var/lib"}

func (s *scan) changes(p, piece string, above bool) {
	if s.in.own(p, above) {
		s.add("self", piece)
	}
	s.zoned(p, func(change, _ string) { s.add(change, piece) })
}

// device reports a write to /dev/NAME.
func (s *scan) device(name, piece string) {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case first == "tcp" || first == "udp": // bash opens a connection for these
		s.add("reaches-machine", piece)
		s.sends++
	case matches(disks, first):
		s.add("overwrites-disk", piece)
	case strings.ContainsAny(name, "*?["):
		s.add("unresolved", piece)
	}
}

// read reports what reading a path means.
func (s *scan) read(f field, piece string) {
	p, _ := s.resolve(f.text)
	if strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/") {
		s.device(strings.TrimPrefix(p, "/dev/"), piece)
		return
	}
	if s.in.own(p, false) {
		s.add("self", piece)
	}
	s.zoned(p, func(_, read string) {
		if read != "" {
			s.add(read, piece)
			s.reads++
		}
	})
}

func (c *call) write(fields ...field) {
	for _, f := range fields {
		c.s.write(f, c.piece, false)
	}
}

func (c *call) read(fields ...field) {
	for _, f := range fields {
		c.s.read(f, c.piece)
	}
}

// texts are programs whose words are text, not paths.
var texts = words(`echo printf true false : test [ [[`)

// touchArgs looks for secrets and Answerback's own files among the words of any
// command, also behind = and @, as in --file=PATH and -d @PATH.
func (c *call) touchArgs() {
	if texts[c.name] {
		return
	}
	for _, a := range c.args {
		for _, t := range []string{a.text, after(a.text, "="), after(a.text, "@"), after(a.text, ":")} {
			if t != "" && len(t) < 4096 && !c.s.seen("r", t) && (!strings.ContainsAny(t, " \t\n") || path.IsAbs(t)) {
				c.read(field{text: t, known: a.known})
			}
		}
	}
}

// seen says that a word was looked at before in the same way and from the same
// folder: wrappers hand the same words on and on.
func (s *scan) seen(way, text string) bool {
	s.spend(10 + len(text)/8)
	key := touch{way, s.cwd, text}
	if s.touched[key] {
		return true
	}
	s.touched[key] = true
	return false
}

type touch struct{ way, cwd, text string }

func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

// runsFile reports what running the file behind a word means; it says whether
// the file lies in the session's folder.
func (s *scan) runsFile(f field, c *call) bool {
	if !f.known {
		c.code(max(f.from, unknown))
		return false
	}
	p, ok := s.resolve(f.text)
	if written, is := s.files[p]; is {
		c.runText(written)
		return true
	}
	if p == "/dev/stdin" || strings.HasPrefix(p, "/dev/fd/") || p == "/proc/self/fd/0" {
		c.runText(c.in)
		return true
	}
	if ok {
		s.out.runs(p)
	}
	if ok && s.in.inFolder(p) {
		return true
	}
	if !strings.HasPrefix(p, "/dev/") && !programFolder(p) {
		c.add("runs-outside")
	}
	return false
}

// programFolder says that p lies where a system keeps its programs.
func programFolder(p string) bool {
	switch path.Dir(p) {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin", "/snap/bin":
		return true
	}
	return false
}
