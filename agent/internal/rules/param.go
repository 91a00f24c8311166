package rules

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param adds what ${..} may be. What is not followed (slices, patterns, case
// changes, indirection) is unknown.
func (s *scan) param(alts []*alternative, p *syntax.ParamExp, quoted bool) []*alternative {
	if p.Length || p.IsSet {
		each(alts, field{text: "0"})
		return alts
	}
	values := s.paramValues(p)
	if len(values) == 0 || len(alts)*len(values) > maxAlternatives {
		each(alts, field{from: s.worstOf(values)})
		return alts
	}
	var out []*alternative
	for i, v := range values {
		branch := alts
		if i < len(values)-1 {
			branch = clone(alts)
		}
		out = append(out, s.addValue(branch, v, quoted, p)...)
	}
	return out
}

func (s *scan) worstOf(values []value) kind {
	from := unknown
	for _, v := range values {
		from = max(from, join(v).from)
	}
	return from
}

func (s *scan) paramValues(p *syntax.ParamExp) []value {
	plain := p.Param != nil && !p.Excl && p.NestedParam == nil && p.Flags == nil && p.Slice == nil &&
		p.Repl == nil && p.Names == 0 && len(p.Modifiers) == 0 && !p.Width
	if !plain {
		return nil
	}
	values := s.values(p.Param.Value)
	if p.Exp == nil {
		return values
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return append(values[:len(values):len(values)], s.defaults(p)...)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return values
	}
	return nil
}

// defaults is the word of ${name:-word} as further values.
func (s *scan) defaults(p *syntax.ParamExp) []value {
	if p.Exp.Word == nil {
		return []value{{knownField("")}}
	}
	var values []value
	for _, fields := range s.expand(p.Exp.Word) {
		v := value{join(fields)}
		values = append(values, v)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			s.set(p.Param.Value, v)
		}
	}
	return values
}

// addValue adds a variable's value: an array gives one field per element.
func (s *scan) addValue(alts []*alternative, v value, quoted bool, p *syntax.ParamExp) []*alternative {
	if len(v) == 1 {
		return s.split(alts, v[0], quoted)
	}
	if len(v) == 0 {
		each(alts, knownField(""))
		return alts
	}
	all := p.Param.Value == "@" || p.Param.Value == "*"
	if p.Index == nil && !all {
		return s.split(alts, v[0], quoted)
	}
	if w, ok := p.Index.(*syntax.Word); !all && (!ok || (w.Lit() != "@" && w.Lit() != "*")) {
		return s.split(alts, indexed(v, w), quoted)
	}
	for _, a := range alts {
		for i, f := range v {
			if i > 0 {
				a.end()
			}
			if len(a.done) < maxFields {
				a.add(f)
			}
		}
	}
	return alts
}

func indexed(v value, w *syntax.Word) field {
	if w != nil {
		if i := strings.IndexByte("0123456789", (w.Lit() + "x")[0]); i >= 0 && len(w.Lit()) == 1 && i < len(v) {
			return v[i]
		}
	}
	return field{from: unknown}
}

func clone(alts []*alternative) []*alternative {
	out := make([]*alternative, len(alts))
	for i, a := range alts {
		c := *a
		c.done = append([]field(nil), a.done...)
		out[i] = &c
	}
	return out
}
