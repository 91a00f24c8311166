package rules

// flow is what is known of a stream of text: a command's output, a variable, a
// file written by the call. Worse kinds are higher; a filter keeps the kind.
type flow struct {
	kind kind
	text string // the text itself, where it is known: literal, or decoded here
	path string // the file that it was read from, where it is one
}

type kind byte

const (
	nothing kind = iota
	literal      // text that stands in the call
	unknown      // text that the call does not show
	decoded      // text that came out of a decoder
	fetched      // text that came from the network
)

func worse(a, b flow) flow {
	if b.kind > a.kind {
		return b
	}
	if a.kind == literal && b.kind == literal {
		return flow{kind: literal, text: a.text + b.text}
	}
	return a
}
