package card

import (
	"slices"
	"testing"
)

func TestB081_EveryArgumentIsShownInOrder(t *testing.T) {
	got, ok := Pieces(`{"z":"DELETE \u0046ROM","a":{"x":[1.50,{"y":9007199254740993}],"e":{},"l":[]},"n":null,"a.x[0]":true,"":"\ud800","__proto__":"p"}`)
	want := []Piece{
		{"z", "DELETE FROM", true}, {"a.x[0]", "1.50", false}, {"a.x[1].y", "9007199254740993", false}, {"a.e", "{}", false}, {"a.l", "[]", false},
		{"n", "null", false}, {`"a.x[0]"`, "true", false}, {`""`, "\xed\xa0\x80", true}, {"__proto__", "p", true},
	}
	if !ok || !slices.Equal(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", ok, got, want)
	}
}

func TestUndecodableInputHasNoPieces(t *testing.T) {
	for _, input := range judgedInputs[Undecodable] {
		if got, ok := Pieces(input); ok || got != nil {
			t.Errorf("%.60q: %v", input, got)
		}
	}
}
