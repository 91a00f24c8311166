package caller

// VerdictKind is what was decided.
type VerdictKind byte

// The kinds. The zero kind is no opinion.
const (
	NoOpinion VerdictKind = 0
	Allow     VerdictKind = 1
	Deny      VerdictKind = 2
	Answers   VerdictKind = 3 // of a KindQuestion
)

// Verdict is what the agent decided about one call. The zero Verdict is no
// opinion.
type Verdict struct {
	Kind VerdictKind

	// Words are why it was denied: the person's own, or, without By, those of
	// the rule, policy or filter that did it.
	Words string
	// By names the device whose person denied, for example "Pixel 9". Empty:
	// no person did, and the text does not say so.
	By string
	// Host is this machine's name, or "".
	Host string

	// Answers of a question: by the question's own text, the chosen labels and
	// own words. See AnswersFit.
	Answers map[string][]string

	// Input replaces the tool's input of an Allow: what a filter made of it,
	// as one JSON object. Nil, or equal to the call's: nothing is replaced.
	Input []byte
}
