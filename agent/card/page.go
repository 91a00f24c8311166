package card

import abcrypto "answerback/crypto"

// MaxPage is the largest body of a page in bytes; MaxRecords how many records it holds.
const (
	MaxPage    = abcrypto.MaxBody
	MaxRecords = 256
)

// Page is a piece of the agent's history. Cursor asks for the next; empty is the end.
type Page struct {
	Cursor  string
	Records []Record
}

// Record is one ended call. It holds no input: a device keeps what it has seen itself.
type Record struct {
	Request RequestID
	Index   uint64 // position of the outcome in the log
	Time    uint64
	Caller  string
	Folder  string
	Tool    string
	Class   Class
	Outcome End
	Device  string
}

// Marshal writes the page's body.
func (p Page) Marshal() ([]byte, error) { return finish("page", MaxPage, p.fields) }

// ParsePage reads a page's body, at most MaxPage bytes.
func ParsePage(b []byte) (Page, error) { return parsed[Page]("page", b, MaxPage) }

func (p *Page) fields(f *fields) {
	f.text("cursor", &p.Cursor, 0, MaxName)
	list(f, "records", &p.Records, MaxRecords, (*Record).fields)
}

func (r *Record) fields(f *fields) {
	f.hex("request_id", r.Request[:])
	f.number("index", &r.Index, 0, MaxNumber)
	f.number("time", &r.Time, 1, MaxNumber)
	f.text("caller", &r.Caller, 1, MaxName)
	f.text("folder", &r.Folder, 0, MaxPath)
	f.text("tool", &r.Tool, 0, MaxWord)
	word(f, "class", &r.Class, Routine, Sensitive, Destructive)
	word(f, "outcome", &r.Outcome, EndAllowed, EndDenied, EndAnswered, EndHandedBack, EndWithdrawn, EndExpired, EndTerminal)
	f.maybe("device", &r.Device, MaxName)
}
