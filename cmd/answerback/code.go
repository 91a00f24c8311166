package main

import (
	"strconv"
	"strings"
	"time"

	"answerback/agent/control"
	"answerback/cmd/answerback/internal/qr"
	"answerback/cmd/answerback/internal/voice"
)

// drawing is how a code is to be shown.
type drawing struct {
	png                string
	ascii, none, force bool
}

func (d drawing) check() error {
	if d.none && (d.ascii || d.force) {
		return voice.Fail(voice.WrongUse, "--no-qr goes with neither --qr nor --ascii; give one of them")
	}
	return nil
}

// showCode prints the link, and below it the code if this terminal can show one that a phone can use. What is printed last leaves the cursor
// behind it, so that code and prompt fit 24 rows.
func (a *app) showCode(e control.PairEvent, d drawing) error {
	a.Ask("pair a phone%s:  ", map[bool]string{true: " or this browser", false: ""}[e.Loopback])
	if !a.ErrTTY || !a.OutTTY {
		a.Say("")
	}
	a.Print("%s", e.Link)
	lines, why := a.code(e, d)
	if d.png != "" {
		if err := a.writePicture(e, d.png); err != nil {
			return err
		}
	}
	for _, line := range lines {
		a.Print("%s", line)
	}
	if why != "" {
		a.Say("(%s)", why)
	}
	minutes := time.UnixMilli(e.Expires).Sub(a.Now()).Round(time.Minute)
	a.Ask("open it within %s, then type the six digits that the device shows", voice.For(minutes))
	if !a.ErrTTY {
		a.Say("")
	}
	return nil
}

// newLine ends the line that showCode left open.
func (a *app) newLine() {
	if a.ErrTTY {
		a.Say("")
	}
}

func (a *app) writePicture(e control.PairEvent, path string) error {
	code, err := qr.New(e.QR)
	if err != nil {
		return voice.Fail(voice.Failed, "no picture was written: %w", err)
	}
	if err := code.WritePNG(path); err != nil {
		return voice.Fail(voice.Failed, "no picture was written: %w", err)
	}
	a.Say("the code as a picture: %s; remove it once the device is paired", a.Path(path))
	return nil
}

// code draws, or says why not and what helps.
func (a *app) code(e control.PairEvent, d drawing) (lines []string, why string) {
	switch {
	case d.none:
		return nil, ""
	case e.Loopback && !d.force:
		return nil, "a phone needs https: answerback up --relay URL, or answerback help relay; over https the code stands here"
	case !a.OutTTY && !d.ascii:
		return nil, "the code is drawn on a terminal only; for a file: --png FILE, or --ascii"
	}
	code, err := qr.New(e.QR)
	if err != nil {
		return nil, "the link is too long for a code that fits here; open the link itself on the phone"
	}
	style, why := a.style(code, d)
	if why != "" {
		return nil, why
	}
	return code.Lines(style, strings.Contains(a.Term, "256color") || a.getenv("COLORTERM") != ""), ""
}

// style picks how this terminal can show the code.
func (a *app) style(code *qr.Code, d drawing) (qr.Style, string) {
	const helps = "; a picture: --png FILE"
	switch {
	case d.ascii && !a.Color:
		return qr.Plain, ""
	case d.ascii:
		return qr.Cells, ""
	case a.Term == "" || a.Term == "dumb":
		return 0, "this terminal says that it can only write lines; plain characters: --ascii" + helps
	case !a.Color && !d.force:
		return 0, "NO_COLOR is set, and without both colours a code scans badly; draw it all the same: --qr" + helps
	case !a.UTF8 || a.Term == "linux":
		if !code.Fits(qr.Cells, a.Width, a.Height) && !d.force {
			return 0, "this terminal has no block characters, and the plain code needs more rows than it has; draw it all the same: --ascii" + helps
		}
		return qr.Cells, ""
	case !code.Fits(qr.Blocks, a.Width, a.Height) && !d.force:
		return 0, "the window is too small for the code (" + size(code) + "); make it larger, or: --png FILE"
	}
	return qr.Blocks, ""
}

func size(code *qr.Code) string {
	return strconv.Itoa(code.Size()) + " columns, " + strconv.Itoa((code.Size()+1)/2+1) + " rows"
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return strconv.Itoa(n) + " tries"
}

// names joins names of devices: "Pixel 9", "Pixel 9 or iPad", "a, b or c".
func names(list []string) string {
	switch n := len(list); n {
	case 0:
		return "a paired device"
	case 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
}
