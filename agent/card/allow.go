package card

import (
	"slices"
	"strings"
	"unicode"
)

// NoAllow says why a card offers no Allow, or a question no form. The empty word is: it offers one.
type NoAllow string

// The reasons. The first three follow from the card alone; the rest from what a device knows beside it.
const (
	Offered     NoAllow = ""
	TooLarge    NoAllow = "too_large"   // the card holds the ends of the call only
	Undecodable NoAllow = "undecodable" // the input is not one JSON object
	Empty       NoAllow = "empty"       // there is nothing to allow
	LogCut      NoAllow = "log"         // the agent's log was cut or forked
	Expired     NoAllow = "expired"
	Already     NoAllow = "already" // this device has answered it, or has once offered it and forgot the card
	Watching    NoAllow = "watcher" // this device may not answer
	NotListed   NoAllow = "roster"  // the roster on the card is not the one that this device knows
)

// NoAllow judges the card by itself: only what can be shown whole can be allowed. Agent and devices share this judgement, so an
// Allow that a device should not have offered is refused by the agent too.
func (c Card) NoAllow() NoAllow {
	switch {
	case c.Cut != nil:
		return TooLarge
	case c.Kind == KindAdmin:
		return Offered
	case strings.TrimSpace(c.Input) == "":
		return Empty
	}
	v, err := scanInput(c.Input)
	switch {
	case err != nil:
		return Undecodable
	case v.shape == shapeNull:
		return Empty
	case v.shape != shapeObject:
		return Undecodable
	case blank(v) || blankCommand(v):
		return Empty
	}
	return Offered
}

// commandNames are members that hold what will run. Where one is there and blank, whatever stands beside it is decoration.
var commandNames = []string{"command", "cmd", "script", "code"}

func blankCommand(v value) bool {
	return slices.ContainsFunc(v.members, func(m member) bool {
		return slices.Contains(commandNames, strings.ToLower(m.name)) && blank(m.value)
	})
}

// blank reports whether there is nothing in v that a person could judge.
func blank(v value) bool {
	switch v.shape {
	case shapeNull:
		return true
	case shapeString:
		return !strings.ContainsFunc(v.text, func(r rune) bool { return !unicode.IsSpace(r) && HiddenKind(r) == NotHidden })
	case shapeList:
		return !slices.ContainsFunc(v.items, func(item value) bool { return !blank(item) })
	case shapeObject:
		return !slices.ContainsFunc(v.members, func(m member) bool { return !blank(m.value) })
	}
	return false
}
