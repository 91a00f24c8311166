package card

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	abcrypto "answerback/crypto"
)

// Written is a card as it goes out: the bytes that devices show and sign, and what they were made from.
type Written struct {
	Card   Card
	Body   []byte
	Digest [32]byte
}

// Asked is what an answer to this card has to match, for the agent with this id.
func (w Written) Asked(agent abcrypto.ID) Asked {
	return Asked{
		Agent: agent, Request: w.Card.Request, Digest: w.Digest, Kind: w.Card.Kind, Class: w.Card.Class,
		Via: w.Card.Needs.Via, Rules: len(w.Card.Rules), Offered: w.Card.NoAllow() == Offered,
	}
}

// New writes a card. It gives the card a fresh request id from random where it has none, and where the card would be over MaxCard
// puts the first and last lines of the input in its place: such a card offers no Allow. The error says which member breaks a bound.
func New(c Card, random io.Reader) (Written, error) {
	if c.Request == (RequestID{}) {
		if _, err := io.ReadFull(random, c.Request[:]); err != nil {
			return Written{}, fmt.Errorf("card: new: read randomness: %w", err)
		}
	}
	if len(c.Input) > MaxCard || size(c) > MaxCard {
		c = c.cut()
	}
	body, err := c.Marshal()
	if err != nil {
		return Written{}, err
	}
	return Written{Card: c, Body: body, Digest: Digest(body)}, nil
}

func size(c Card) int {
	out, _ := marshal(c.fields)
	return len(out)
}

// cut leaves the ends of the input, and drops what rests on the whole of it.
func (c Card) cut() Card {
	lines, n := Ends(c.Input), uint64(len(c.Input))
	c.Cut = &Cut{First: lines.First, Last: lines.Last, Lines: lines.Lines, Bytes: n}
	c.Input, c.Rules = "", nil
	changes := make([]Change, len(c.Changes))
	for i, change := range c.Changes {
		changes[i] = Change{Filter: change.Filter}
	}
	c.Changes = changes
	return c
}

// endSize is how many bytes of each end of a large input a cut card shows.
const endSize = 2048

// Ends gives the first and last lines of a JSON text, and counts its lines. A line ends at a newline, and behind the escape \n
// in a string, which is where the text that the JSON holds has its line ends. What is no UTF-8 is left out.
func Ends(input string) Cut {
	input = strings.ToValidUTF8(input, "\ufffd")
	if len(input) <= 2*endSize {
		lines := breakLines(input)
		return Cut{First: clip(lines, false), Lines: uint64(len(lines)), Bytes: uint64(len(input))}
	}
	head, tail := endSize, len(input)-endSize
	for !utf8.RuneStart(input[head]) {
		head--
	}
	for !utf8.RuneStart(input[tail]) {
		tail++
	}
	return Cut{
		First: clip(breakLines(input[:head]), false),
		Last:  clip(breakLines(input[tail:]), true),
		Lines: uint64(len(breakLines(input))), Bytes: uint64(len(input)),
	}
}

// clip keeps the lines of the outer end.
func clip(lines []string, tail bool) []string {
	switch {
	case len(lines) <= MaxLines:
		return lines
	case tail:
		return lines[len(lines)-MaxLines:]
	}
	return lines[:MaxLines]
}

func breakLines(s string) []string {
	var lines []string
	start := 0
	for i := 0; i < len(s); i++ {
		escape := s[i] == '\\' && i+1 < len(s)
		if escape {
			i++
		}
		if s[i] != '\n' && !(escape && s[i] == 'n') {
			continue
		}
		lines = append(lines, strings.TrimSuffix(s[start:i+1], "\n"))
		start = i + 1
	}
	if start < len(s) {
		lines = append(lines, s[start:])
	}
	return lines
}
