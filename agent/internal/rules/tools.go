package rules

import (
	"bytes"
	"encoding/json"
	"strings"
)

// toolKind says how a tool's input is looked into.
type toolKind byte

const (
	otherTool toolKind = iota
	shellTool
	writeTool
	readTool
	fetchTool
	quietTool // touches nothing outside the session
	mcpTool
)

var toolKinds = func() map[string]toolKind {
	kinds := map[string]toolKind{}
	for kind, names := range map[toolKind]string{
		shellTool: "bash shell sh zsh local_shell run_shell_command exec_command execute_command run_command terminal run_terminal_cmd shell_command",
		writeTool: "edit multiedit write notebookedit create str_replace str_replace_editor str_replace_based_edit_tool apply_patch write_file replace edit_file create_file delete_file move_file write_to_file insert replace_in_file",
		readTool:  "read glob grep ls view read_file read_many_files list_directory list search_file_content glob_files ripgrep notebookread find_files search_files",
		fetchTool: "webfetch web_fetch fetch fetch_url browser_navigate read_web_page",
		quietTool: "todowrite todoread todo_write update_plan websearch web_search google_web_search exitplanmode enterplanmode askuserquestion bashoutput taskoutput tasklist taskget taskupdate taskcreate toolsearch think memory listmcpresources save_memory lsp",
	} {
		for name := range words(names) {
			kinds[name] = kind
		}
	}
	return kinds
}()

// classifyTool looks into a tool's input by what the tool is.
func classifyTool(in *Input, out *findings) {
	input, ok := members(in.Input)
	if !ok {
		out.add("not-read", "")
		return
	}
	s := plainScan(in, out)
	tool := strings.ToLower(in.Tool)
	kind := toolKinds[tool]
	if strings.HasPrefix(in.Tool, "mcp__") || strings.HasPrefix(tool, "mcp_") {
		kind = mcpTool
	}
	switch kind {
	case shellTool:
		shellInput(in, out, input)
	case writeTool:
		s.writes(input)
	case readTool:
		s.readsPaths(input)
	case fetchTool:
		s.fetches(input)
	case quietTool:
	default:
		s.namedTool(in.Tool, kind, input)
	}
}

// plainScan is a scan without a script, for paths.
func plainScan(in *Input, out *findings) *scan {
	s := &scan{walk: &walk{in: in, out: out, whole: string(in.Input)}, cwd: in.Folder}
	s.fresh()
	return s
}

// member is one name and value at the top of the input. A name may come twice:
// which one a caller takes is not known, so both are looked at.
type member struct {
	name  string
	value []byte
}

// text is the value where it is a string.
func (m member) text() (string, bool) {
	var t string
	if len(m.value) == 0 || m.value[0] != '"' || json.Unmarshal(m.value, &t) != nil {
		return "", false
	}
	return t, true
}

// maxMembers bounds how many members of an input are looked at.
const maxMembers = 200

// members reads the top of a JSON object.
func members(input []byte) (list []member, ok bool) {
	if !json.Valid(input) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(input))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		if text, is := name.(string); is && len(list) < maxMembers {
			list = append(list, member{strings.ToLower(text), value})
		}
	}
	return list, true
}

// shellInput finds the command: a string, or a list of words as exec takes it.
func shellInput(in *Input, out *findings, input []member) {
	found := false
	for _, m := range input {
		switch m.name {
		case "command", "cmd", "script", "commands", "input":
			if text, ok := m.text(); ok {
				found = true
				classifyShell(in, out, text)
			} else if argv, ok := m.list(); ok {
				found = true
				classifyArgv(in, out, argv)
			}
		case "cwd", "workdir", "directory", "dir_path", "working_directory":
			if dir, ok := m.text(); ok {
				folder, known := plainScan(in, out).resolve(dir)
				if !known || !in.inFolder(folder) {
					out.add("runs-outside", dir)
				}
			}
		}
	}
	if !found {
		out.add("not-read", "")
	}
}

func (m member) list() ([]string, bool) {
	var words []string
	if len(m.value) == 0 || m.value[0] != '[' || json.Unmarshal(m.value, &words) != nil || len(words) == 0 {
		return nil, false
	}
	return words, true
}

// classifyArgv classifies a command that no shell splits.
func classifyArgv(in *Input, out *findings, argv []string) {
	whole := strings.Join(argv, " ")
	if len(argv) > maxFields || len(whole) > MaxShell {
		out.add("too-large", whole)
		return
	}
	s := &scan{walk: &walk{in: in, out: out, whole: whole}, text: whole, outer: whole, cwd: in.Folder}
	s.fresh()
	fields := make([]field, len(argv))
	for i, w := range argv {
		fields[i] = knownField(w)
	}
	s.run(fields, flow{}, whole, false)
}
