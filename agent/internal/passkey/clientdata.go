package passkey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/protocol"
)

// parseClientData reads the client data (WebAuthn level 3, section 5.8.1) by exact names. Members that nobody here knows are let be, as the
// specification asks; a name that comes twice in any letter case, bad UTF-8 and trailing bytes are refused, because two readers could
// disagree about them. A cross-origin frame says so in crossOrigin and topOrigin, and the app is never in one.
func parseClientData(raw []byte) (c protocol.CollectedClientData, err error) {
	members, err := membersOf(raw)
	if err != nil {
		return c, fmt.Errorf("%w: its client data: %w", ErrForm, err)
	}
	var kind string
	for name, into := range map[string]*string{"type": &kind, "challenge": &c.Challenge, "origin": &c.Origin} {
		if !exactly(members[name], into) {
			return c, fmt.Errorf("%w: its client data has no text %q", ErrForm, name)
		}
	}
	c.Type = protocol.CeremonyType(kind)
	if cross, there := members["crossOrigin"]; there && !exactly(cross, &c.CrossOrigin) {
		return c, fmt.Errorf("%w: its client data says neither yes nor no to crossOrigin", ErrForm)
	}
	if _, there := members["topOrigin"]; there {
		return c, ErrOrigin
	}
	return c, nil
}

// exactly reads a value of this very type; null is of none.
func exactly[T string | bool](raw json.RawMessage, into *T) bool {
	return len(raw) > 0 && raw[0] != 'n' && json.Unmarshal(raw, into) == nil
}

// membersOf reads one object, its values as they stand.
func membersOf(raw []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("it is no object")
	}
	members, folded := map[string]json.RawMessage{}, map[string]bool{}
	for d.More() {
		name, value, err := member(d)
		if err != nil {
			return nil, err
		}
		fold := strings.ToLower(name)
		if folded[fold] {
			return nil, fmt.Errorf("a name comes twice")
		}
		members[name], folded[fold] = value, true
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("bytes follow its end")
	}
	return members, nil
}

func member(d *json.Decoder) (name string, value json.RawMessage, err error) {
	token, err := d.Token()
	if err != nil {
		return "", nil, err
	}
	err = d.Decode(&value)
	return token.(string), value, err
}
