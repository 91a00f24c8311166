package rules

import "strings"

// has says that one of the options is given: "--long" (also shortened, as GNU
// allows), or "-x", alone or in a cluster such as -rfx.
func (c *call) has(options ...string) bool {
	for _, a := range c.args {
		if a.known && a.text == "--" {
			return false
		}
		for _, o := range options {
			if isOption(a.text, o) {
				return true
			}
		}
	}
	return false
}

func isOption(arg, option string) bool {
	if strings.HasPrefix(option, "--") {
		name, _, _ := strings.Cut(arg, "=")
		return len(name) > 3 && strings.HasPrefix(name, "--") && strings.HasPrefix(option, name)
	}
	if len(option) > 2 { // one dash, long word, as find and terraform have
		name, _, _ := strings.Cut(arg, "=")
		return name == option
	}
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg[1:], option[1:])
}

// value is what is given to an option: --name=v, --name v, -x v, -xv.
func (c *call) value(options ...string) (field, bool) {
	for i, a := range c.args {
		for _, o := range options {
			if v, ok := attached(a, o); ok {
				return v, true
			}
			if a.text == o && i+1 < len(c.args) {
				return c.args[i+1], true
			}
		}
	}
	return field{}, false
}

func attached(a field, option string) (field, bool) {
	if rest, ok := strings.CutPrefix(a.text, option+"="); ok && strings.HasPrefix(option, "-") {
		return field{text: rest, known: a.known, from: a.from, glob: a.glob}, true
	}
	if rest, ok := strings.CutPrefix(a.text, option); ok && len(option) == 2 && option[0] == '-' && (rest != "" || !a.known) {
		return field{text: rest, known: a.known, from: a.from, glob: a.glob}, true
	}
	return field{}, false
}

// operands are the words that are no options. valued names the options that
// take the next word: letters for -x, words for --word.
func (c *call) operands(valued string) []field {
	_, operands := cutOptions(c.args, valued, false)
	return operands
}

// command is what a wrapper runs: everything from its first operand on, after
// skip operands of the wrapper's own.
func (c *call) command(valued string, skip int) []field {
	_, rest := cutOptions(c.args, valued, true)
	if len(rest) < skip {
		return nil
	}
	return rest[skip:]
}

// cutOptions parts options from operands; with stop, the first operand ends
// the options.
func cutOptions(args []field, valued string, stop bool) (options, operands []field) {
	takes := words(valued)
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "--" && a.known:
			return options, append(operands, args[i+1:]...)
		case len(a.text) > 1 && a.text[0] == '-':
			options = append(options, a)
			if i+1 < len(args) && takesNext(a.text, takes) {
				i++
				options = append(options, args[i])
			}
		case stop:
			return options, append(operands, args[i:]...)
		default:
			operands = append(operands, a)
		}
	}
	return options, operands
}

// takesNext says that an option's value is the next word: --word without "=",
// or a cluster that ends in a letter that takes a value.
func takesNext(arg string, takes map[string]bool) bool {
	if strings.HasPrefix(arg, "--") || takes[arg] {
		return takes[arg]
	}
	for i := 1; i < len(arg); i++ {
		if takes["-"+arg[i:i+1]] {
			return i == len(arg)-1
		}
	}
	return false
}

// text joins words as a shell's eval does.
func text(fields []field) field { return join(fields) }
