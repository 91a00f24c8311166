package caller

import (
	"slices"
	"strings"
)

// Limits of a form that a person can fill in.
const (
	maxQuestions = 16
	maxOptions   = 32
	maxLabel     = 4 << 10
)

// Question is one question of a call of KindQuestion, decoded.
type Question struct {
	Text    string // the caller's own text, which is the key of the answer
	Header  string // a short title, or ""
	Options []Option
	Multi   bool // several options may be chosen
}

// Option is one choice.
type Option struct {
	Label       string // what is given back when it is chosen
	Description string
}

// parseQuestions reads
//
//	{"questions":[{"question":TEXT,"header":TEXT,"multiSelect":BOOL,
//	  "options":[{"label":TEXT,"description":TEXT}, ...]}, ...]}
//
// Two questions with one text could not be answered apart, and an input that
// has answers already is none that a person is asked: both are refused.
func parseQuestions(input []byte) ([]Question, error) {
	f := fieldsOf("tool_input.", input)
	list := f.typed("questions", '[', "an array")
	if list == nil || f.raw("answers") != nil {
		f.fail("questions", "an array that is not answered yet")
		return nil, f.err
	}
	var questions []Question
	var seen names
	for _, item := range itemsOf(list) {
		q, err := parseQuestion(item)
		if err != nil {
			return nil, err
		}
		if !seen.add(quote(nil, q.Text)) {
			f.fail("questions", "of different texts")
			return nil, f.err
		}
		questions = append(questions, q)
	}
	if len(questions) == 0 || len(questions) > maxQuestions {
		f.fail("questions", "1 to 16 questions")
	}
	return questions, f.err
}

func parseQuestion(item []byte) (Question, error) {
	const path = "tool_input.questions."
	if item[0] != '{' {
		return Question{}, &FieldError{path, "objects"}
	}
	f := fieldsOf(path, item)
	q := Question{
		Text:   f.need("question", maxLabel),
		Header: f.text("header", maxLabel),
		Multi:  f.flag("multiSelect"),
	}
	options := f.typed("options", '[', "an array")
	for _, option := range itemsOfOptional(options) {
		if option[0] != '{' {
			f.fail("options", "objects")
			break
		}
		o := fieldsOf(path+"options.", option)
		q.Options = append(q.Options, Option{o.need("label", maxLabel), o.text("description", maxLabel)})
		if o.err != nil && f.err == nil {
			f.err = o.err
		}
	}
	if len(q.Options) > maxOptions {
		f.fail("options", "at most 32 options")
	}
	return q, f.err
}

func itemsOfOptional(array []byte) [][]byte {
	if array == nil {
		return nil
	}
	return itemsOf(array)
}

// AnswersFit says whether the answers can be given back: each question of the
// call has one under its own text, exactly one where it is not Multi, none is
// empty, and nothing else is answered. An answer that does not fit must not be
// accepted, because Reply has no opinion on it.
func AnswersFit(c Call, answers map[string][]string) bool {
	if c.Kind != KindQuestion || len(c.Questions) == 0 || len(answers) != len(c.Questions) {
		return false
	}
	for _, q := range c.Questions {
		given := answers[q.Text]
		if len(given) == 0 || len(given) > maxOptions || len(given) > 1 && !q.Multi {
			return false
		}
		for _, s := range given {
			if clean(q, s) == "" {
				return false
			}
		}
	}
	return true
}

// clean leaves a chosen label as the caller wrote it, and makes a person's own
// words fit for a model.
func clean(q Question, s string) string {
	if slices.ContainsFunc(q.Options, func(o Option) bool { return o.Label == s }) {
		return s
	}
	return CleanWords(s)
}

// answered is the input with the answers in it, as one line:
// {..as sent..,"answers":{TEXT:"label, label"}}. The caller documents that
// several labels are joined by a comma and a space.
func answered(c Call, answers map[string][]string) []byte {
	out := compact(c.Input)
	out = append(out[:len(out)-1], `,"answers":{`...)
	for i, q := range c.Questions {
		if i > 0 {
			out = append(out, ',')
		}
		var given []string
		for _, s := range answers[q.Text] {
			given = append(given, clean(q, s))
		}
		out = append(quote(out, q.Text), ':')
		out = quote(out, strings.Join(given, ", "))
	}
	return append(out, `}}`...)
}
