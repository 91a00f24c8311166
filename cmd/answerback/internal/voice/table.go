package voice

import "strings"

// Column is one column of a Table.
type Column struct {
	Head string
	// Right aligns to the right, for numbers and times.
	Right bool
	// Most is the most columns of the terminal that it takes; 0: as many as its longest cell. The last column takes what is left.
	Most int
	// Front cuts a cell that is too long at its start.
	Front bool
}

// Table is rows below heads, two spaces apart, cut so that a line fits the terminal.
type Table struct {
	Columns []Column
	Rows    [][]string
	// NoHead leaves the heads out.
	NoHead bool
}

const gap = 2

// Lines draws the table for a terminal of so many columns, without spaces at the ends of lines.
func (t Table) Lines(width int) []string {
	widths := t.widths(width)
	var lines []string
	if !t.NoHead {
		heads := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			heads[i] = c.Head
		}
		lines = append(lines, t.line(heads, widths))
	}
	for _, row := range t.Rows {
		lines = append(lines, t.line(row, widths))
	}
	return lines
}

// Print writes the table to stdout.
func (v *Voice) PrintTable(t Table) {
	for _, line := range t.Lines(v.Width) {
		v.Print("%s", line)
	}
}

// widths gives each column what its cells need, within its most, and the last column the rest.
func (t Table) widths(width int) []int {
	widths := make([]int, len(t.Columns))
	left := width
	for i, c := range t.Columns {
		if !t.NoHead {
			widths[i] = Cells(c.Head)
		}
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Cells(row[i]))
		}
		if c.Most > 0 {
			widths[i] = min(widths[i], max(c.Most, Cells(c.Head)))
		}
		if i == len(t.Columns)-1 {
			widths[i] = max(min(widths[i], left), len(" ..."))
		}
		left -= widths[i] + gap
	}
	return widths
}

func (t Table) line(row []string, widths []int) string {
	cells := make([]string, len(row))
	for i, text := range row {
		text = Line(text)
		if t.Columns[i].Front {
			text = CutFront(text, widths[i])
		} else {
			text = Cut(text, widths[i])
		}
		cells[i] = Pad(text, widths[i], t.Columns[i].Right)
	}
	return strings.TrimRight(strings.Join(cells, strings.Repeat(" ", gap)), " ")
}
