package caller

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

const twoQuestions = `{ "questions" : [
  {"question":"Which?","header":"H","multiSelect":true,"options":[{"label":"A","description":"a","preview":"x"},{"label":"B, b"},{"label":"C\u200b"}],"new":1},
  {"question":"Name \"it\"","options":[]}
], "metadata": {"n": 1.50} }`

func questionCall(t *testing.T, input string) Call {
	t.Helper()
	c, err := claude{}.Parse("", claudeJSON(`"tool_name":"AskUserQuestion"`, `"tool_input":`+input))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestH11_QuestionIsParsed(t *testing.T) {
	c := questionCall(t, twoQuestions)
	if c.Kind != KindQuestion || c.CanAllow || !c.CanDeny || c.NoAllow == "" || len(c.Questions) != 2 {
		t.Fatalf("call %+v", c)
	}
	q := c.Questions[0]
	if q.Text != "Which?" || q.Header != "H" || !q.Multi || !slices.Equal(q.Options, []Option{{"A", "a"}, {"B, b", ""}, {"C\u200b", ""}}) {
		t.Errorf("question %+v", q)
	}
	if q := c.Questions[1]; q.Text != `Name "it"` || q.Multi || q.Options != nil {
		t.Errorf("question %+v", q)
	}
}

// B119: what was chosen arrives, all of it, under the caller's own text; the
// rest of the input stays as it was sent.
func TestB119_MultiSelectArrives(t *testing.T) {
	c := questionCall(t, twoQuestions)
	answers := map[string][]string{"Which?": {"A", "B, b", "my\u200b own"}, `Name "it"`: {"x\ny"}}
	if !AnswersFit(c, answers) {
		t.Error("the answers do not fit")
	}
	got := string(claude{}.Reply("", c, Verdict{Kind: Answers, Answers: answers}).Stdout)
	want := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":` +
		string(compact([]byte(strings.TrimSuffix(twoQuestions, "}")))) + `,"answers":{"Which?":"A, B, b, my own","Name \"it\"":"x\ny"}}}}}` + "\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Error("the reply is not JSON")
	}
}

func TestLabelsGoBackAsTheyCame(t *testing.T) {
	c := questionCall(t, twoQuestions)
	v := Verdict{Kind: Answers, Answers: map[string][]string{"Which?": {"C\u200b"}, `Name "it"`: {"n"}}}
	if got := string(claude{}.Reply("", c, v).Stdout); !strings.Contains(got, `"Which?":"C\u200b"`) {
		t.Errorf("got %s", got)
	}
}

// A question is answered, or it stays with its user. Nothing else is consent.
func TestH11_NothingElseAnswersAQuestion(t *testing.T) {
	c := questionCall(t, twoQuestions)
	good := map[string][]string{"Which?": {"A"}, `Name "it"`: {"n"}}
	but := func(change func(map[string][]string)) Verdict {
		m := maps.Clone(good)
		change(m)
		return Verdict{Kind: Answers, Answers: m}
	}
	for name, v := range map[string]Verdict{
		"allow":              {Kind: Allow},
		"allow with answers": {Kind: Allow, Answers: good},
		"allow of a rewrite": {Kind: Allow, Input: []byte(`{"questions":[],"answers":{}}`)},
		"no answers":         {Kind: Answers},
		"one missing":        but(func(m map[string][]string) { delete(m, "Which?") }),
		"one too many":       but(func(m map[string][]string) { m["Other?"] = []string{"x"} }),
		"another text":       but(func(m map[string][]string) { delete(m, "Which?"); m["which?"] = []string{"A"} }),
		"an empty choice":    but(func(m map[string][]string) { m["Which?"] = nil }),
		"an empty word":      but(func(m map[string][]string) { m["Which?"] = []string{""} }),
		"an invisible word":  but(func(m map[string][]string) { m["Which?"] = []string{"\u200b"} }),
		"two where one goes": but(func(m map[string][]string) { m[`Name "it"`] = []string{"a", "b"} }),
		"cancelled":          {Kind: NoOpinion, Answers: good},
	} {
		if r := (claude{}).Reply("", c, v); !r.Equal(Reply{}) {
			t.Errorf("%s: %q", name, r.Stdout)
		}
		if v.Kind == Answers && AnswersFit(c, v.Answers) {
			t.Errorf("%s: the answers fit", name)
		}
	}
	call, err := claude{}.Parse("", claudeJSON())
	if err != nil {
		t.Fatal(err)
	}
	if r := (claude{}).Reply("", call, Verdict{Kind: Answers, Answers: good}); !r.Equal(Reply{}) || AnswersFit(call, good) {
		t.Errorf("answers to a call that asks nothing: %q", r.Stdout)
	}
}

func TestQuestionsRefused(t *testing.T) {
	q := `{"question":"Q","options":[]}`
	for _, input := range []string{
		`{}`, `{"questions":[]}`, `{"questions":{}}`, `{"questions":null}`, `{"questions":[1]}`, `{"questions":["Q"]}`, `{"questions":[[]]}`, `{"questions":[{}]}`,
		`{"questions":[{"question":""}]}`, `{"questions":[{"question":7}]}`, `{"questions":[{"question":"Q","multiSelect":"true"}]}`,
		`{"questions":[{"question":"Q","header":[]}]}`, `{"questions":[{"question":"Q","options":{}}]}`, `{"questions":[{"question":"Q","options":["A"]}]}`,
		`{"questions":[{"question":"Q","options":[{"label":""}]}]}`, `{"questions":[{"question":"Q","options":[{"label":1}]}]}`,
		`{"questions":[{"question":"Q","options":[{"label":"\udc00"}]}]}`, `{"questions":[{"question":"\ud800"}]}`,
		`{"questions":[` + q + `,` + q + `]}`, `{"questions":[` + q + `,{"question":"q"}]}`, `{"questions":[` + q + `],"answers":{"Q":"A"}}`,
		`{"questions":[{"question":"Q","options":[` + strings.Repeat(`{"label":"A"},`, 32) + `{"label":"A"}]}]}`,
	} {
		if c, err := (claude{}).Parse("", claudeJSON(`"tool_name":"AskUserQuestion"`, `"tool_input":`+input)); err == nil || c.Kind != 0 {
			t.Errorf("%.80s was taken: %+v", input, c)
		}
	}
}

// The open reply has no answers: no form, no Allow.
func TestQuestionOfAHomeMadeTool(t *testing.T) {
	o := open{"my-tool", true}
	c, err := o.Parse("", claudeJSON(`"tool_name":"AskUserQuestion"`, `"tool_input":`+twoQuestions))
	if err != nil || c.Kind != KindQuestion || c.CanAllow || c.NoAllow == "" || c.Questions != nil {
		t.Errorf("call %+v, %v", c, err)
	}
	for _, kind := range []VerdictKind{Allow, Answers} {
		if r := o.Reply("", c, Verdict{Kind: kind}); !r.Equal(Reply{}) {
			t.Errorf("verdict %d: %q", kind, r.Stdout)
		}
	}
}
