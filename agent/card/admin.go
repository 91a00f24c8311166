package card

import abcrypto "answerback/crypto"

// Action says what the agent asks for on an admin card.
type Action string

// What an admin card can ask.
const (
	Admit   Action = "admit"   // a further device
	Recover Action = "recover" // a further device without an old one's Allow: any old one can refuse it for 24 hours
	Policy  Action = "policy"  // a policy that widens
	AddRule Action = "rule"    // a rule asked for at the machine
)

// Ask is what an admin card asks. A device by id and name, or a text to be signed: its difference and the digest of the whole.
type Ask struct {
	Action Action

	// For Admit and Recover.
	Device      abcrypto.ID
	Name        string
	Platform    string
	SameMachine bool

	// For Policy and AddRule.
	Text   string   // what stands on the card: a diff, or the rule
	Digest [32]byte // SHA-256 of the text that will hold
}

// AboutDevice reports whether the request names a device.
func (a Ask) AboutDevice() bool { return a.Action == Admit || a.Action == Recover }

func (a *Ask) fields(f *fields) {
	word(f, "action", &a.Action, Admit, Recover, Policy, AddRule)
	if !a.AboutDevice() {
		f.text("text", &a.Text, 1, MaxCard)
		f.hex("digest", a.Digest[:])
		return
	}
	f.hex("device_id", a.Device[:])
	f.text("name", &a.Name, 1, MaxName)
	f.text("platform", &a.Platform, 0, MaxName)
	f.flag("same_machine", &a.SameMachine)
}
