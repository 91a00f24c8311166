package rules

import "mvdan.cc/sh/v3/syntax"

// maxBraceWords bounds the words that one word with braces stands for.
const maxBraceWords = 64

// braces takes a word apart into the words that its braces stand for: a{b,c}d
// is abd and acd. ok is false where they are too many, or a sequence.
func (s *scan) braces(words [][]syntax.WordPart, before, parts []syntax.WordPart) (all [][]syntax.WordPart, ok bool) {
	for i, part := range parts {
		b, is := part.(*syntax.BraceExp)
		if !is {
			continue
		}
		if b.Sequence {
			return nil, false
		}
		before = append(before[:len(before):len(before)], parts[:i]...)
		for _, elem := range b.Elems {
			s.spend(5 * (len(before) + len(parts)))
			rest := append(elem.Parts[:len(elem.Parts):len(elem.Parts)], parts[i+1:]...)
			if words, ok = s.braces(words, before, rest); !ok {
				return nil, false
			}
		}
		return words, true
	}
	if len(words) == maxBraceWords {
		return nil, false
	}
	return append(words, append(before[:len(before):len(before)], parts...)), true
}
