// Package qr draws a link as a QR code (ISO/IEC 18004) for a terminal of 80x24 or as a picture: black on white with both colours set, and with
// the quiet zone of four modules, so that it scans in light and in dark themes.
package qr

import (
	"errors"
	"fmt"

	qrcode "github.com/skip2/go-qrcode"
)

// MostVersion is the largest symbol that fits 80x24 beside a prompt: version 5, 45 columns and 23 rows with its quiet zone.
const MostVersion = 5

// quiet is the width of the white border in modules (ISO/IEC 18004, 9.1).
const quiet = 4

// ErrTooLarge says that the link needs a larger symbol than MostVersion.
var ErrTooLarge = errors.New("the link is too long for a code that fits a terminal of 80x24")

// Code is one symbol.
type Code struct {
	Version int
	// modules holds the symbol and its quiet zone; true is dark.
	modules [][]bool
	symbol  *qrcode.QRCode
}

// New makes the symbol of a link, at recovery level Low: the screen is clean, and a smaller symbol has larger modules.
// A link in upper case needs fewer modules.
func New(link string) (*Code, error) {
	symbol, err := qrcode.New(link, qrcode.Low)
	if err != nil {
		return nil, fmt.Errorf("qr: make symbol: %w", err)
	}
	if symbol.VersionNumber > MostVersion {
		return nil, fmt.Errorf("qr: make symbol: %w", ErrTooLarge)
	}
	return &Code{Version: symbol.VersionNumber, modules: symbol.Bitmap(), symbol: symbol}, nil
}

// Size is the number of modules on a side, the quiet zone of both sides included.
func (c *Code) Size() int { return len(c.modules) }

// dark reports one module; what lies outside is the quiet zone.
func (c *Code) dark(x, y int) bool {
	return y >= 0 && y < len(c.modules) && x >= 0 && x < len(c.modules) && c.modules[y][x]
}
