package rules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// ReasonsJSON is the table of reasons: [{"id","class","en","pt"}]. The phone
// app's strings are made from it.
//
//go:embed reasons.json
var ReasonsJSON []byte

// ReasonEntry is one row of the table.
type ReasonEntry struct {
	ID         string `json:"id"`
	Class      string `json:"class"`
	English    string `json:"en"`
	Portuguese string `json:"pt"`
}

// Reasons is the table, in its order.
var Reasons = sync.OnceValue(func() []ReasonEntry {
	var table []ReasonEntry
	if err := json.Unmarshal(ReasonsJSON, &table); err != nil {
		panic(fmt.Sprintf("rules: read reasons.json: %v", err))
	}
	return table
})

var reasonByID = sync.OnceValue(func() map[string]ReasonEntry {
	byID := map[string]ReasonEntry{}
	for _, r := range Reasons() {
		byID[r.ID] = r
	}
	return byID
})

// ReasonText is a reason's English sentence; for an unknown id, the id.
func ReasonText(id string) string {
	if r, ok := reasonByID()[id]; ok {
		return r.English
	}
	return id
}

// classOf is the class that a reason gives; an unknown one is destructive.
func classOf(id string) Class {
	switch reasonByID()[id].Class {
	case "routine":
		return Routine
	case "sensitive":
		return Sensitive
	}
	return Destructive
}

// findings collects reasons: the first piece of each id.
type findings struct {
	reasons []Reason
	ran     []string // script files that the call runs
}

func (f *findings) add(id, piece string) {
	if !f.has(id) {
		f.reasons = append(f.reasons, Reason{id, clip(piece)})
	}
}

func (f *findings) has(id string) bool {
	return slices.ContainsFunc(f.reasons, func(r Reason) bool { return r.ID == id })
}

// result sorts the heaviest first and keeps the order of finding within a class.
func (f *findings) result() (Class, []Reason) {
	slices.SortStableFunc(f.reasons, func(a, b Reason) int { return int(classOf(b.ID)) - int(classOf(a.ID)) })
	if len(f.reasons) == 0 {
		return Routine, nil
	}
	class := classOf(f.reasons[0].ID)
	if len(f.reasons) <= MaxReasons {
		return class, f.reasons
	}
	kept := f.reasons[:MaxReasons:MaxReasons]
	if !slices.ContainsFunc(kept, isSelf) { // the agent asks for this one by name
		if i := slices.IndexFunc(f.reasons, isSelf); i >= 0 {
			kept[MaxReasons-1] = f.reasons[i]
		}
	}
	return class, kept
}

func isSelf(r Reason) bool { return r.ID == "self" }

// clip cuts a piece to MaxPiece bytes of whole characters.
func clip(piece string) string {
	piece = strings.TrimSpace(piece)
	if len(piece) <= MaxPiece {
		return piece
	}
	end := MaxPiece
	for end > 0 && !utf8.RuneStart(piece[end]) {
		end--
	}
	return piece[:end]
}
