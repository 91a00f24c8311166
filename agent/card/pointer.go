package card

// Pointer rings a device where the card itself does not fit a push, or where too many would: names and times, nothing of the call. A device
// that gets one shows no Allow; it fetches the card when a person opens the app.
type Pointer struct {
	Request RequestID
	Kind    PointerKind
	Caller  string
	Host    string
	Class   Class
	Made    uint64 // by the agent's clock, ms
	Expires uint64 // by the agent's clock, ms
	Waiting uint64 // open cards now, this one included
}

// PointerKind says what a pointer points to.
type PointerKind string

// The kinds of pointer.
const (
	PointCall     PointerKind = "call"
	PointQuestion PointerKind = "question"
	PointAdmin    PointerKind = "admin"
	PointTest     PointerKind = "test" // nothing waits: it shows that pushes arrive
)

// Marshal writes the message's body.
func (p Pointer) Marshal() ([]byte, error) { return finish("pointer", MaxMessage, p.fields) }

// ParsePointer reads a pointer's body.
func ParsePointer(b []byte) (Pointer, error) { return parsed[Pointer]("pointer", b, MaxMessage) }

func (p *Pointer) fields(f *fields) {
	f.hex("request_id", p.Request[:])
	word(f, "kind", &p.Kind, PointCall, PointQuestion, PointAdmin, PointTest)
	f.text("caller", &p.Caller, 1, MaxName)
	f.text("host", &p.Host, 1, MaxName)
	word(f, "class", &p.Class, Routine, Sensitive, Destructive)
	f.number("made", &p.Made, 1, MaxNumber)
	f.number("expires", &p.Expires, 1, MaxNumber)
	f.number("waiting", &p.Waiting, 0, MaxOpen)
}
