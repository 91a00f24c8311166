package qr

import (
	"strings"
)

// Style is how a symbol is drawn with characters.
type Style int

// Styles. Blocks and Cells set black and white themselves on every line; Plain cannot, and relies on a light background.
const (
	// Blocks draws two modules in one character (upper and lower half blocks): version 4 takes 41 columns and 21 rows.
	Blocks Style = iota + 1
	// Cells draws a module as two spaces on a coloured ground, for terminals without block characters. Its quiet zone is two modules
	// wide, so that version 4 takes 74 columns and 37 rows.
	Cells
	// Plain draws a dark module as ##, for files and for terminals without colours.
	Plain
)

// Black and white of the 256-colour cube where the terminal has it: the first sixteen belong to the theme, which may make black blue
// and white beige. Elsewhere the theme's own.
const (
	blackOnWhite256 = "\x1b[38;5;16;48;5;231m"
	blackOnWhite    = "\x1b[30;47m"
	white256        = "\x1b[48;5;231m"
	black256        = "\x1b[48;5;16m"
	white           = "\x1b[47m"
	black           = "\x1b[40m"
	reset           = "\x1b[0m"
)

// cellsQuiet is the quiet zone that Cells and Plain draw.
const cellsQuiet = 2

// Lines draws the symbol. rich says that the terminal has 256 colours.
func (c *Code) Lines(style Style, rich bool) []string {
	switch style {
	case Blocks:
		return c.blocks(rich)
	case Cells:
		return c.cells(rich)
	default:
		return c.plain()
	}
}

// Fits reports the columns and rows that a style takes.
func (c *Code) Fits(style Style, width, height int) bool {
	columns, rows := c.Size(), (c.Size()+1)/2
	if style != Blocks {
		side := c.Size() - 2*(quiet-cellsQuiet)
		columns, rows = 2*side, side
	}
	return columns <= width && rows+1 <= height
}

func (c *Code) blocks(rich bool) []string {
	start := blackOnWhite
	if rich {
		start = blackOnWhite256
	}
	glyphs := map[[2]bool]string{{false, false}: " ", {true, false}: "▀", {false, true}: "▄", {true, true}: "█"}
	var lines []string
	for y := 0; y < c.Size(); y += 2 {
		var b strings.Builder
		b.WriteString(start)
		for x := range c.Size() {
			b.WriteString(glyphs[[2]bool{c.dark(x, y), c.dark(x, y+1)}])
		}
		b.WriteString(reset)
		lines = append(lines, b.String())
	}
	return lines
}

func (c *Code) cells(rich bool) []string {
	ground := map[bool]string{false: white, true: black}
	if rich {
		ground = map[bool]string{false: white256, true: black256}
	}
	return c.rows(func(b *strings.Builder, dark, changed bool) {
		if changed {
			b.WriteString(ground[dark])
		}
		b.WriteString("  ")
	}, reset)
}

func (c *Code) plain() []string {
	pair := map[bool]string{false: "  ", true: "##"}
	return c.rows(func(b *strings.Builder, dark, _ bool) { b.WriteString(pair[dark]) }, "")
}

// rows walks the symbol with the narrow quiet zone; changed is set where a line begins or the colour differs from the module before.
func (c *Code) rows(module func(b *strings.Builder, dark, changed bool), end string) []string {
	var lines []string
	from, to := quiet-cellsQuiet, c.Size()-(quiet-cellsQuiet)
	for y := from; y < to; y++ {
		var b strings.Builder
		for x := from; x < to; x++ {
			module(&b, c.dark(x, y), x == from || c.dark(x, y) != c.dark(x-1, y))
		}
		lines = append(lines, b.String()+end)
	}
	return lines
}
