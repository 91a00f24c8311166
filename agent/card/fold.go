package card

import (
	"strings"
	"unicode"
)

// foldName maps names that differ in case alone to one and the same, by Unicode's simple folding: the smallest character of
// each orbit (unicode.SimpleFold). So "Command" meets "command", and "ſ" (U+017F) meets "s".
func foldName(name string) string {
	return strings.Map(foldRune, name)
}

func foldRune(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r - 'a' + 'A'
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
