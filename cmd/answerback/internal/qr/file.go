package qr

import (
	"fmt"
	"os"
	"path/filepath"
)

// pixels is the side of a module in the picture.
const pixels = 8

// WritePNG writes the symbol as a picture that only its owner can read: the code is a secret for ten minutes. An existing file is
// replaced whole, so that neither its mode nor a link in its place counts.
func (c *Code) WritePNG(path string) error {
	picture, err := c.symbol.PNG(-pixels)
	if err != nil {
		return fmt.Errorf("qr: draw picture: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".answerback-*.png") // made with mode 0600
	if err != nil {
		return fmt.Errorf("qr: write picture: %w", err)
	}
	_, err = file.Write(picture)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("qr: write picture: %w", err)
	}
	return nil
}
