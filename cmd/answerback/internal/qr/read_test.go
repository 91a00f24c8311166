package qr

import (
	"fmt"
	"strings"
	"testing"
)

// This file reads a drawn symbol back (ISO/IEC 18004): format information, mask, codewords in their zigzag, segments. It holds for versions 4
// and 5 at level L, which have one block each, so that codewords stand in order.

// dataCodewords by version at level L.
var dataCodewords = map[int]int{4: 80, 5: 108}

type reader struct {
	t    *testing.T
	size int
	dark [][]bool // without the quiet zone
}

// fromBlocks reads characters of Blocks back into modules, and checks that each line sets and resets both colours.
func fromBlocks(t *testing.T, lines []string, start string) [][]bool {
	t.Helper()
	halves := map[rune][2]bool{' ': {}, '▀': {true, false}, '▄': {false, true}, '█': {true, true}}
	var rows [][]bool
	for _, line := range lines {
		body, ok := strings.CutPrefix(line, start)
		body, ended := strings.CutSuffix(body, reset)
		if !ok || !ended {
			t.Fatalf("a line does not force its colours: %q", line)
		}
		var upper, lower []bool
		for _, r := range body {
			h, known := halves[r]
			if !known {
				t.Fatalf("a line holds %q", r)
			}
			upper, lower = append(upper, h[0]), append(lower, h[1])
		}
		rows = append(rows, upper, lower)
	}
	return rows
}

// strip takes a border of quiet modules off, and checks that it is white.
func strip(t *testing.T, rows [][]bool, border int) [][]bool {
	t.Helper()
	n := len(rows[0])
	var inner [][]bool
	for y, row := range rows {
		for x, dark := range row {
			outside := y < border || y >= n-border || x < border || x >= n-border
			if outside && dark {
				t.Fatalf("module %d,%d of the quiet zone is dark", x, y)
			}
		}
		if y >= border && y < n-border {
			inner = append(inner, row[border:n-border])
		}
	}
	return inner
}

// read decodes the text.
func read(t *testing.T, dark [][]bool) string {
	t.Helper()
	r := reader{t: t, size: len(dark), dark: dark}
	version := (r.size - 17) / 4
	want, known := dataCodewords[version]
	if !known || r.size != 17+4*version {
		t.Fatalf("%d modules on a side are no version 4 or 5", r.size)
	}
	bits := r.zigzag(r.mask())
	return segments(t, bits[:8*want])
}

// mask reads the format information beside the upper left finder, of which bits 14-13 are the level and 12-10 the mask.
func (r reader) mask() int {
	word := 0
	for _, at := range [][2]int{{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}} {
		word <<= 1
		if r.dark[at[1]][at[0]] {
			word |= 1
		}
	}
	word ^= 0b10101 // the first five bits of the format mask 101010000010010
	if level := word >> 3; level != 0b01 {
		r.t.Fatalf("level %02b, want 01 (L)", level)
	}
	return word & 7
}

var masks = []func(x, y int) bool{
	func(x, y int) bool { return (x+y)%2 == 0 },
	func(_, y int) bool { return y%2 == 0 },
	func(x, _ int) bool { return x%3 == 0 },
	func(x, y int) bool { return (x+y)%3 == 0 },
	func(x, y int) bool { return (x/3+y/2)%2 == 0 },
	func(x, y int) bool { return x*y%2+x*y%3 == 0 },
	func(x, y int) bool { return (x*y%2+x*y%3)%2 == 0 },
	func(x, y int) bool { return ((x+y)%2+x*y%3)%2 == 0 },
}

// function reports a module that belongs to a pattern, not to the data: finders with format information, timing, one alignment.
func (r reader) function(x, y int) bool {
	n := r.size
	corner := x < 9 && y < 9 || x >= n-8 && y < 9 || x < 9 && y >= n-8
	align := x >= n-9 && x < n-4 && y >= n-9 && y < n-4
	return corner || align || x == 6 || y == 6
}

func (r reader) zigzag(mask int) []bool {
	var bits []bool
	up := true
	for right := r.size - 1; right > 0; right -= 2 {
		if right == 6 {
			right--
		}
		for i := range r.size {
			y := i
			if up {
				y = r.size - 1 - i
			}
			for _, x := range []int{right, right - 1} {
				if !r.function(x, y) {
					bits = append(bits, r.dark[y][x] != masks[mask](x, y))
				}
			}
		}
		up = !up
	}
	return bits
}

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"

// segments reads mode, length and text until the terminator (versions 1 to 9: lengths of 10, 9 and 8 bits).
func segments(t *testing.T, bits []bool) string {
	t.Helper()
	var b strings.Builder
	take := func(n int) int {
		v := 0
		for range n {
			v <<= 1
			if len(bits) > 0 && bits[0] {
				v |= 1
			}
			bits = bits[min(1, len(bits)):]
		}
		return v
	}
	for len(bits) >= 4 {
		switch mode := take(4); mode {
		case 0:
			return b.String()
		case 1:
			n := take(10)
			for ; n >= 3; n -= 3 {
				fmt.Fprintf(&b, "%03d", take(10))
			}
			if n > 0 {
				fmt.Fprintf(&b, "%0*d", n, take([]int{0, 4, 7}[n]))
			}
		case 2:
			n := take(9)
			for ; n >= 2; n -= 2 {
				v := take(11)
				b.WriteByte(alphanumeric[v/45])
				b.WriteByte(alphanumeric[v%45])
			}
			if n == 1 {
				b.WriteByte(alphanumeric[take(6)])
			}
		case 4:
			for range take(8) {
				b.WriteByte(byte(take(8)))
			}
		default:
			t.Fatalf("mode %04b after %q", mode, b.String())
		}
	}
	return b.String()
}
