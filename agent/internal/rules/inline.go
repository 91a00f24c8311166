package rules

import (
	"regexp"
	"strings"
)

var (
	sedRuns    = regexp.MustCompile(`(?:^|[;\n}]|\d|/)\s*e(?:\s|$)|/[gpi0-9]*e[gpi0-9]*\s*(?:;|$|\n)|(?:^|[;\n}])\s*[0-9$,]*w\s`)
	sedCommand = regexp.MustCompile(`(?:^|[;\n}])\s*[0-9$,]*[ew]\s`)
	awkRuns    = regexp.MustCompile(`system\s*\(|\|\s*getline|\|\s*"|print[^|]*\||>\s*"|>\s*[A-Za-z_$(]|@load`)
)

// sign is what is looked for in code of other languages, which is not parsed:
// all of the groups must be found, of each group one of its words. The code is
// lower case, without spaces before brackets.
type sign struct {
	id     string
	groups []string
}

var signs = []sign{
	{"deletes-folder", []string{"rmtree rm_rf rm_r( remove_entry rimraf removesync rmdirs rmsync fs.rm( removedirs deletedirectory delete_dir directory.delete file::path remove_dir_all emptydir"}},
	{"deletes-folder", []string{"remove-item", "-recurse -r"}},
	{"deletes-folder", []string{"rmdir rmdirsync rm(", "recursive"}},
	{"deletes-file", []string{"os.remove os.unlink .unlink( unlinksync unlink( unlink$ file.delete fs.unlink remove-item"}},
	{"hidden-code", []string{"exec( eval( system( spawn( invoke-expression iex loads( popen( function( run( call(",
		"b64decode base64 atob( fromhex unhexlify decompress buffer.from unpack rot13 rot_13 codecs.decode marshal"}},
	{"hidden-code", []string{"-encodedcommand -enc"}},
	{"remote-code", []string{"exec( eval( system( spawn( invoke-expression iex popen( function( import(",
		"urlopen requests.get urllib http:// https:// fetch( http.get open-uri downloadstring net::http lwp curl wget invoke-webrequest"}},
	{"remote-shell", []string{"socket", "dup2 pty.spawn /bin/sh /bin/bash subprocess exec("}},
	{"remote-shell", []string{"/dev/tcp/ /dev/udp/"}},
	{"stops-machine", []string{"os.fork( fork(", "while for"}},
	{"stops-machine", []string{"stop-computer restart-computer"}},
	{"removes-resources", []string{"delete_bucket delete_instance delete_table delete_stack delete_cluster delete_db_instance delete_object terminate_instances"}},
	{"overwrites-disk", []string{"/dev/sd /dev/nvme /dev/vd /dev/hd /dev/mmcblk /dev/disk"}},
	{"reaches-machine", []string{"http:// https:// requests. urllib urlopen socket. fetch( axios http.get http.request net.connect net::http lwp invoke-webrequest invoke-restmethod smtplib paramiko ftplib"}},
	{"reads-secret", []string{".ssh/ id_rsa id_ed25519 .aws/credentials .netrc /etc/shadow .env\" .env' os.environ) os.environ. str(os.environ process.env) json.stringify(process.env env::vars"}},
	{"self", []string{".config/answerback state/answerback answerback/agent.sock answerback-hook"}},
	{"changes-hooks", []string{".claude/settings .codex/hooks .codex/config .gemini/settings .qwen/settings .copilot/hooks .cursor/hooks"}},
}

var signWords = func() [][][]string {
	all := make([][][]string, len(signs))
	for i, s := range signs {
		for _, g := range s.groups {
			all[i] = append(all[i], strings.Fields(g))
		}
	}
	return all
}()

// inlineCode reports code of another language that stands in the call, and what
// its text shows: signs, SQL, and commands among its words.
func (c *call) inlineCode(code string) {
	c.add("runs-inline-code")
	c.signs(code)
}

func (c *call) signs(code string) {
	if len(code) > MaxShell {
		c.add("too-large")
		return
	}
	c.s.spend(100 + 12*len(code))
	low := beforeBrackets.Replace(strings.ToLower(code))
	reads, sends := false, false
	for i, s := range signs {
		if signed(low, signWords[i]) {
			c.add(s.id)
			reads, sends = reads || s.id == "reads-secret", sends || s.id == "reaches-machine"
		}
	}
	if reads && sends {
		c.add("sends-secret")
	}
	if dropsData(code) {
		c.add("drops-data")
	}
	c.dangers(codeWords(code))
}

var beforeBrackets = strings.NewReplacer(" (", "(", "\t(", "(", "\n(", "(")

func signed(code string, groups [][]string) bool {
	for _, group := range groups {
		found := false
		for _, word := range group {
			found = found || strings.Contains(code, word)
		}
		if !found {
			return false
		}
	}
	return true
}

// codeWords takes code apart at quotes, brackets and commas: system("rm -rf x")
// and ["rm", "-rf", "x"] both hold the words rm, -rf, x.
func codeWords(code string) []field {
	var fields []field
	for word := range strings.FieldsFuncSeq(code, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`()[]{},;|&\\!:", r) }) {
		if len(fields) == maxFields {
			break
		}
		fields = append(fields, knownField(word))
	}
	return fields
}

// inline looks for SQL among the words of a program that is not known.
func (c *call) inline(args []field) {
	for _, a := range args {
		c.s.spend(len(a.text))
		if len(a.text) <= MaxShell && dropsData(a.text) {
			c.add("drops-data")
		}
	}
}
