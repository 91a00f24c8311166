package rules

import "strings"

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
	if len(input) > maxMembers {
		out.add("too-large", "")
	}
	s := plainScan(in, out)
	tool := strings.ToLower(in.Tool)
	kind := toolKinds[tool]
	if strings.HasPrefix(in.Tool, "mcp__") || strings.HasPrefix(tool, "mcp_") {
		kind = mcpTool
	}
	switch kind {
	case shellTool:
		s.shellInput(input)
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

// maxShells bounds the commands that one input holds: it should be one.
const maxShells = 8

// shell classifies one command of an input.
func (s *scan) shell(command string) {
	if s.shells++; s.shells > maxShells {
		s.out.add("too-large", command)
		return
	}
	classifyShell(s.in, s.out, command)
}

// shellInput finds the command: a string, or a list of words as exec takes it.
func (s *scan) shellInput(input []member) {
	in, out := s.in, s.out
	found := false
	for _, m := range input {
		switch m.name {
		case "command", "cmd", "script", "commands", "input":
			if text, ok := m.text(); ok {
				found = true
				s.shell(text)
			} else if argv, ok := m.list(); ok {
				found = true
				s.argv(argv)
			}
		case "cwd", "workdir", "directory", "dir_path", "working_directory":
			if dir, ok := m.text(); ok {
				folder, known := s.resolve(dir)
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

// argv classifies a command that no shell splits.
func (s *scan) argv(argv []string) {
	in, out := s.in, s.out
	whole := strings.Join(argv, " ")
	if s.shells++; s.shells > maxShells || len(argv) > maxFields || len(whole) > MaxShell {
		out.add("too-large", whole)
		return
	}
	inner := &scan{walk: &walk{in: in, out: out, whole: whole}, text: whole, outer: whole, cwd: in.Folder}
	inner.fresh()
	fields := make([]field, len(argv))
	for i, w := range argv {
		fields[i] = knownField(w)
	}
	inner.bounded(func() { inner.run(fields, flow{}, whole, false) })
}
