package card

import (
	"fmt"

	abcrypto "answerback/crypto"
)

// Bounds of the answers to a question.
const (
	MaxQuestions = 16
	MaxChoices   = 32
)

// Reply is what a person answered to one question: its text as the caller wrote it, and one or more answers, each an option's label
// or the person's own words.
type Reply struct {
	Question string
	Values   []string
	Many     bool // the values stood in a list: the question took several
}

// Answers are the replies of one card, in the person's order. As the payload of a signed answer they are one JSON object:
//
//	{"<question>":"<answer>","<question>":["<answer>","<answer>"]}
type Answers []Reply

// Marshal writes the payload. It refuses what ParseAnswers would refuse.
func (a Answers) Marshal() ([]byte, error) {
	out := []byte{'{'}
	for i, r := range a {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, r.Question), ':')
		out = r.appendValues(out)
	}
	out = append(out, '}')
	if _, err := ParseAnswers(out); err != nil {
		return nil, fmt.Errorf("card: write answers: %w", err)
	}
	return out, nil
}

func (r Reply) appendValues(out []byte) []byte {
	if !r.Many && len(r.Values) == 1 {
		return appendString(out, r.Values[0])
	}
	out = append(out, '[')
	for i, v := range r.Values {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, v)
	}
	return append(out, ']')
}

// ParseAnswers reads the payload of an Answered. No question may come twice, and none without an answer.
func ParseAnswers(b []byte) (Answers, error) {
	if len(b) > abcrypto.MaxPayload {
		return nil, fmt.Errorf("card: read answers: %w: more than %d bytes", ErrFormat, abcrypto.MaxPayload)
	}
	v, err := scan(b)
	if err != nil {
		return nil, fmt.Errorf("card: read answers: %w", err)
	}
	if v.shape != shapeObject || len(v.members) == 0 || len(v.members) > MaxQuestions {
		return nil, fmt.Errorf("card: read answers: %w: an object of 1 to %d questions is expected", ErrFormat, MaxQuestions)
	}
	var all Answers
	for _, m := range v.members {
		r, ok := reply(m)
		if !ok {
			return nil, fmt.Errorf("card: read answers: %w: a question has no answer, or one that is no text", ErrFormat)
		}
		all = append(all, r)
	}
	return all, nil
}

func reply(m member) (Reply, bool) {
	r := Reply{Question: m.name, Many: m.value.shape == shapeList}
	items := m.value.items
	if !r.Many {
		items = []value{m.value}
	}
	for _, item := range items {
		if item.shape != shapeString || item.text == "" {
			return Reply{}, false
		}
		r.Values = append(r.Values, item.text)
	}
	return r, m.name != "" && len(r.Values) > 0 && len(r.Values) <= MaxChoices
}
