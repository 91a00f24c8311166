package rules

import (
	"net/url"
	"regexp"
	"strings"
)

var pathNames = words(`file_path notebook_path path filepath absolute_path dir_path directory file filename target_file destination new_path old_path source uri relative_workspace_path paths`)

// writes looks at where a tool writes, and at the files that a patch names.
func (s *scan) writes(input []member) {
	found := false
	for _, m := range input {
		text, ok := m.text()
		switch {
		case ok && pathNames[m.name]:
			found = true
			s.write(knownField(strings.TrimPrefix(text, "file://")), text, false)
		case ok:
			for _, file := range patchFiles.FindAllStringSubmatch(text, maxFields) {
				found = true
				s.write(knownField(strings.TrimSpace(file[2])), file[2], false)
				if file[1] == "Delete File" {
					s.add("deletes-file", file[2])
				}
			}
		}
	}
	if !found {
		s.add("not-read", "")
	}
}

var patchFiles = regexp.MustCompile(`(?m)^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$`)

func (s *scan) readsPaths(input []member) {
	for _, m := range input {
		if text, ok := m.text(); ok && (pathNames[m.name] || m.name == "pattern" || m.name == "glob") {
			s.read(knownField(strings.TrimPrefix(text, "file://")), text)
		}
	}
}

// docs are hosts that hold documentation and code for everyone: to read a page
// there tells them little.
var docs = words(`docs.rs crates.io pkg.go.dev go.dev developer.mozilla.org docs.python.org pypi.org nodejs.org www.npmjs.com npmjs.com
	github.com raw.githubusercontent.com gitlab.com stackoverflow.com en.wikipedia.org www.rfc-editor.org datatracker.ietf.org
	developer.apple.com developer.android.com learn.microsoft.com docs.github.com kubernetes.io doc.rust-lang.org www.w3.org
	www.typescriptlang.org react.dev vuejs.org docs.docker.com man7.org www.postgresql.org sqlite.org code.claude.com docs.anthropic.com`)

// maxQuiet is how long an address may be and still tell its host little.
const maxQuiet = 300

// fetches looks at the hosts that a tool reaches.
func (s *scan) fetches(input []member) {
	found := false
	for _, m := range input {
		text, ok := m.text()
		if !ok || text == "" || m.name != "url" && m.name != "uri" && !strings.Contains(text, "://") {
			continue
		}
		for _, address := range addresses.FindAllString(text, maxFields) {
			found = true
			s.fetch(address)
		}
		if m.name == "url" && !strings.Contains(text, "://") {
			found = true
			s.fetch("https://" + text)
		}
	}
	if !found {
		s.add("not-read", "")
	}
}

var addresses = regexp.MustCompile("(?i)[a-z][a-z0-9+.-]*://[^\\s\"'<>`]+")

func (s *scan) fetch(address string) {
	u, err := url.Parse(address)
	host := hostOf(address)
	switch {
	case err != nil || u.User != nil:
		s.add("reaches-machine", address)
	case u.Scheme == "file":
		s.read(knownField(u.Path), address)
	case placeOf(host) != elsewhere:
		s.add("reaches-inside", address)
	case u.Scheme != "https" || !docs[host] || len(address) > maxQuiet:
		s.add("reaches-machine", address)
	}
}

var (
	deletes = words(`delete remove drop destroy purge wipe truncate erase uninstall terminate revoke kill unpublish trash clear reset force nuke rm del prune`)
	changes = words(`create update write send post put patch publish deploy merge execute exec run push transfer pay upload insert set add edit
		modify move rename close open approve submit invoke call apply install start stop restart reply comment assign click type fill press evaluate
		navigate fork commit invite grant share schedule archive cancel book order buy sign enable disable upsert save replace import sync trigger query`)
	looks = words(`get list read search fetch describe find show view lookup status info count check ls cat head tail snapshot screenshot
		diff history log logs help version resolve explain inspect preview validate summarize browse download`)
)

// namedTool is a tool of a server or of a home-made caller: what its name says,
// and what its arguments hold.
func (s *scan) namedTool(tool string, kind toolKind, input []member) {
	name := tool
	if kind == mcpTool {
		if i := strings.LastIndex(tool, "__"); i >= 0 {
			name = tool[i+2:]
		}
	}
	s.add2(toolReason(name, kind), tool)
	s.arguments(input, toolReason(name, kind) != "")
}

// add2 adds a reason where there is one.
func (s *scan) add2(id, piece string) {
	if id != "" {
		s.out.add(id, piece)
	}
}

// toolReason reads a tool's name word by word; a name that says nothing is
// unknown.
func toolReason(name string, kind toolKind) string {
	list := nameWords(name)
	has := func(set map[string]bool) bool {
		for _, w := range list {
			if set[w] {
				return true
			}
		}
		return false
	}
	switch {
	case has(deletes):
		return "tool-deletes"
	case has(changes):
		return "tool-changes"
	case has(looks):
		return ""
	}
	return "unknown-tool"
}

// nameWords parts deleteUser, delete_user and delete-user into words.
func nameWords(name string) []string {
	spaced := camel.ReplaceAllString(name, "$1 $2")
	return strings.FieldsFunc(strings.ToLower(spaced), func(r rune) bool { return r < 'a' || r > 'z' })
}

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// arguments looks into all texts of a tool's input, at any depth: commands, SQL,
// paths and addresses.
func (s *scan) arguments(input []member, writes bool) {
	left := maxFields
	for _, m := range input {
		eachText(m.name, m.value, func(name, text string) bool {
			if left--; left < 0 {
				s.add("too-large", "")
				return false
			}
			s.argumentText(name, text, writes)
			return true
		})
	}
}

func (s *scan) argumentText(name, text string, writes bool) {
	switch {
	case len(text) > MaxShell:
		s.add("too-large", "")
		return
	case name == "command" || name == "cmd" || name == "script" || name == "shell" || name == "bash":
		s.shell(text)
	case name == "code" || name == "function" || name == "expression" || name == "javascript" || name == "python":
		c := &call{s: s, piece: text}
		c.inlineCode(text)
	case pathNames[name] && writes:
		s.write(knownField(strings.TrimPrefix(text, "file://")), text, true)
	}
	if dropsData(text) {
		s.add("drops-data", text)
	}
	if len(text) < 4096 && text != "" && !strings.ContainsAny(text, "\n") {
		s.read(knownField(strings.TrimPrefix(text, "file://")), text)
	}
}
