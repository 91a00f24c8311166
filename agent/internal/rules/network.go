package rules

import (
	"net/netip"
	"path"
	"strings"
)

// downloadValued are the options of curl and wget that take a value.
const downloadValued = `-o -O -d -F -T -X -H -u -U -A -e -b -c -x -m -w -K -E -D -Y -y -z -C -r -t -P -i -a -Q --output --output-document --data --data-raw
	--data-binary --data-urlencode --form --upload-file --request --header --user --user-agent --referer --cookie --cookie-jar --proxy --max-time
	--write-out --config --cert --key --cacert --retry --method --body-data --body-file --post-data --post-file --directory-prefix --resolve --connect-to --url --json --connect-timeout --retry-delay --dump-header`

// download is curl and its kin: where it goes, what it sends, where it writes.
func (c *call) download() {
	ops := c.operands(downloadValued)
	if u, ok := c.value("--url"); ok {
		ops = append(ops, u)
	}
	if c.name == "wget" {
		ops = c.operands(strings.Replace(downloadValued, "-d ", " ", 1))
	}
	local := len(ops) > 0
	for _, f := range ops {
		local = local && c.address(f)
	}
	if !local {
		c.add("reaches-machine")
		c.s.sends++
	}
	c.method()
	c.saves(ops)
	if config, ok := c.value("-K", "--config", "-i", "--input-file"); ok && config.text != "" && c.name != "http" {
		c.add("unresolved")
	}
}

// address looks at one URL; it says whether it is this machine.
func (c *call) address(f field) (here bool) {
	if strings.HasPrefix(f.text, "file://") {
		c.read(field{text: strings.TrimPrefix(f.text, "file://"), known: f.known})
		return true
	}
	switch placeOf(hostOf(f.text)) {
	case thisMachine:
		return true
	case insideNetwork:
		c.add("reaches-inside")
	}
	return false
}

// method: DELETE removes, other methods than GET send.
func (c *call) method() {
	m, _ := c.value("-X", "--request", "--method")
	if ops := c.operands(""); c.name == "http" || c.name == "https" || c.name == "xh" {
		if len(ops) > 0 {
			m = ops[0]
		}
	}
	switch strings.ToUpper(m.text) {
	case "DELETE":
		c.add("removes-resources")
	case "POST", "PUT", "PATCH":
		c.add("sends-data")
	}
	for _, o := range []string{"-d", "-F", "-T", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--form", "--upload-file", "--post-data", "--post-file", "--body-data", "--body-file", "--json"} {
		if v, ok := c.value(o); ok && !(o == "-d" && c.name == "wget") && !(o == "-T" && c.name == "wget") && !(o == "-F" && c.name == "wget") {
			c.add("sends-data")
			if v.text == "-" || strings.HasSuffix(v.text, "@-") || strings.HasSuffix(v.text, "/dev/stdin") {
				c.s.sends++
			}
		}
	}
}

// saves says where the body goes: to the output, or to a file that is then
// known to hold what came from the network.
func (c *call) saves(urls []field) {
	c.out = flow{kind: fetched}
	target, named := c.value("-o", "--output")
	if c.name == "wget" || c.name == "aria2c" {
		target, named = c.value("-O", "-o", "--output-document", "--out")
		for _, a := range c.args { // -qO-: in a cluster
			if i := strings.Index(a.text, "O"); i > 1 && a.text[0] == '-' && a.text[1] != '-' && i < len(a.text)-1 {
				target, named = field{text: a.text[i+1:], known: a.known}, true
			}
		}
	}
	switch {
	case named && (target.text == "-" || target.text == "/dev/stdout"):
	case named:
		c.write(target)
		c.s.wrote(target, flow{kind: fetched})
		c.out = flow{}
	case c.name == "wget" || c.name == "aria2c" || c.has("-O", "--remote-name", "--remote-name-all", "-J"):
		for _, u := range urls {
			c.s.wrote(field{text: path.Base(u.text), known: u.known}, flow{kind: fetched})
		}
		if dir, ok := c.value("-P", "--directory-prefix", "--output-dir"); ok {
			c.write(dir)
		}
		c.out = flow{}
	}
}

// ssh runs its words after the host on another machine.
func (c *call) ssh() {
	c.add("reaches-machine")
	c.s.sends++
	for i, a := range c.args {
		o := a.text
		if o == "-o" && i+1 < len(c.args) {
			o = "-o" + c.args[i+1].text
		}
		low := strings.ToLower(o)
		if strings.HasPrefix(low, "-oproxycommand") || strings.HasPrefix(low, "-olocalcommand") || strings.HasPrefix(low, "-oknownhostscommand") {
			c.add("runs-unseen-code")
			if i := strings.IndexAny(o, "= "); i > 0 {
				c.runField(field{text: o[i+1:], known: a.known})
			}
		}
	}
	if c.has("-R", "-D", "-L", "-w") {
		c.add("opens-port")
	}
	argv := c.command("-p -i -l -o -F -J -L -R -D -E -W -b -c -e -I -m -O -Q -S -w -B", 1)
	switch {
	case len(argv) > 0:
		cwd := c.s.cwd
		c.runField(text(argv))
		c.s.cwd = cwd
	case c.in.kind > nothing:
		c.runText(c.in)
	}
	c.out = flow{kind: fetched}
}

func (c *call) reach() {
	c.add("reaches-machine")
	c.s.sends++
	if c.in.kind == literal && strings.Contains(c.in.text, "\nrm") {
		c.add("removes-resources")
	}
	c.out = flow{kind: fetched}
}

// netcat: with -e it hands a shell to the other side.
func (c *call) netcat() {
	c.add("reaches-machine")
	c.s.sends++
	if c.has("-e", "-c", "--exec", "--sh-exec", "--lua-exec") && c.name != "socat" {
		c.add("remote-shell")
	}
	for _, a := range c.args {
		if low := strings.ToLower(a.text); c.name == "socat" && (strings.Contains(low, "exec:") || strings.Contains(low, "system:") || strings.Contains(low, "shell:")) {
			c.add("remote-shell")
		}
	}
	if c.has("-l", "--listen") || strings.Contains(strings.ToLower(text(c.args).text), "listen:") {
		c.add("opens-port")
	}
	c.out = flow{kind: fetched}
}

type place byte

const (
	elsewhere place = iota
	insideNetwork
	thisMachine
)

// hostOf is the host in a URL, or in what a program takes for one.
func hostOf(u string) string {
	if _, rest, ok := strings.Cut(u, "://"); ok {
		u = rest
	}
	u, _, _ = strings.Cut(u, "/")
	u, _, _ = strings.Cut(u, "?")
	u, _, _ = strings.Cut(u, "#")
	if i := strings.LastIndexByte(u, '@'); i >= 0 {
		u = u[i+1:]
	}
	if strings.HasPrefix(u, "[") {
		host, _, _ := strings.Cut(u[1:], "]")
		return strings.ToLower(host)
	}
	host, _, _ := strings.Cut(u, ":")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// placeOf says where a host is, as far as its name tells.
func placeOf(host string) place {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return thisMachine
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap()
		switch {
		case addr.IsLoopback():
			return thisMachine
		case addr.IsUnspecified(), addr.IsPrivate(), addr.IsLinkLocalUnicast():
			return insideNetwork
		}
		return elsewhere
	}
	if strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".lan") || host != "" && !strings.Contains(host, ".") {
		return insideNetwork
	}
	return elsewhere
}
