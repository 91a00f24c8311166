package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// value is one value that a variable may have: one field for a plain variable,
// several for an array. The walk follows no branches, so a variable may have
// several values; all of them are looked at.
type value []field

func (s *scan) set(name string, v value) {
	values := s.vars[name]
	if len(values) >= maxValues {
		values = []value{{field{from: unknown}}}
	}
	s.vars[name] = append(values, v)
}

// assigns walks the substitutions in assignments and remembers the values.
func (s *scan) assigns(list []*syntax.Assign) {
	for _, a := range list {
		s.clauses(a, flow{})
		if a.Name == nil {
			continue
		}
		s.guardVariable(a)
		switch {
		case a.Array != nil:
			s.set(a.Name.Value, s.array(a.Array))
		case a.Value != nil:
			s.assign(a)
		}
	}
}

func (s *scan) assign(a *syntax.Assign) {
	for _, fields := range s.expandQuoted(a.Value) {
		v := join(fields)
		if old := s.vars[a.Name.Value]; a.Append && len(old) > 0 {
			last := join(old[len(old)-1])
			v = field{text: last.text + v.text, known: last.known && v.known, from: max(last.from, v.from)}
		}
		s.set(a.Name.Value, value{v})
	}
}

func (s *scan) array(a *syntax.ArrayExpr) value {
	var v value
	for _, e := range a.Elems {
		if e.Value == nil {
			continue
		}
		for _, fields := range s.expand(e.Value)[:1] {
			v = append(v, fields...)
		}
	}
	return v
}

// guarded are variables that decide which code other programs load or run.
var guarded = words(`PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV ENV
	PROMPT_COMMAND PS4 ZDOTDIR SHELLOPTS BASHOPTS GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR
	GIT_ASKPASS GIT_PROXY_COMMAND GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_SEQUENCE_EDITOR
	PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONHOME
	PERL5LIB PERL5OPT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS GOFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CC CXX LD
	SUDO_ASKPASS SSH_ASKPASS HOME XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME KUBECONFIG DOCKER_HOST`)

func (s *scan) guardVariable(a *syntax.Assign) {
	if guarded[a.Name.Value] && !a.Naked {
		s.add("changes-environment", s.source(a))
		if a.Value != nil {
			c := &call{s: s, piece: s.source(a)}
			c.dangers(s.expandQuoted(a.Value)[0])
		}
	}
}

// values are the values that $name may have; none means that nothing is known.
func (s *scan) values(name string) []value {
	switch name {
	case "HOME":
		if _, set := s.vars[name]; !set && s.in.Home != "" {
			return []value{{knownField(s.in.Home)}}
		}
	case "PWD":
		if _, set := s.vars[name]; !set && s.cwd != "" {
			return []value{{knownField(s.cwd)}}
		}
	case "IFS":
		if _, set := s.vars[name]; !set {
			return []value{{knownField(" ")}}
		}
	}
	return s.vars[name]
}

// words makes a set of a list of words.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
