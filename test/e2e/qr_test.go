package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// display is an X server without a screen.
type display struct {
	testing.TB
	*process
	name string
}

// startDisplay lets the server choose its own number, which it writes to a file descriptor once it is ready.
func startDisplay(t testing.TB) *display {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	p := &process{cmd: exec.Command(installed(t, "Xvfb"), "-displayfd", "3", "-screen", "0", "1280x960x24", "-nolisten", "tcp", "-noreset"), done: make(chan struct{})}
	p.cmd.ExtraFiles = []*os.File{write}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.start(t)
	t.Cleanup(p.end)
	write.Close()
	number, err := bufio.NewReader(read).ReadString('\n') // it may come in pieces
	if err != nil {
		t.Fatalf("Xvfb gave no display: %v\n%s", err, p.said.String())
	}
	return &display{TB: t, process: p, name: ":" + strings.TrimSpace(number)}
}

// theme is a pair of colours that people set for their terminals.
type theme struct{ name, ink, ground string }

var themes = []theme{{"light", "#586e75", "#fdf6e3"}, {"dark", "#d0d0d0", "#101418"}}

// xterm shows in a window of 80x24 what a terminal of that size was told. At 12 points a character is 10x20 pixels, so that half of one is
// square; zbarimg reads no code whose modules are now 8 and now 9 pixels high without the blur of a camera.
func (d *display) xterm(th theme, bytesOf []byte) {
	d.Helper()
	file := filepath.Join(d.TempDir(), "screen")
	if err := os.WriteFile(file, bytesOf, 0o600); err != nil {
		d.Fatal(err)
	}
	p := &process{cmd: exec.Command(installed(d, "xterm"), "-display", d.name, "-geometry", "80x24+0+0", "-fa", "DejaVu Sans Mono", "-fs", "12", "-fg", th.ink, "-bg", th.ground,
		"-tn", "xterm-256color", "-u8", "-e", "sh", "-c", `cat "$1"; touch "$1.shown"; exec sleep 60`, "sh", file), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.start(d)
	d.Cleanup(p.kill)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(file + ".shown"); err == nil {
			return
		}
		if p.ended() || time.Now().After(end) {
			d.Fatalf("xterm on %s has shown nothing (ended: %v): %s", d.name, p.ended(), p.said.String())
		}
	}
}

// photo takes a picture of the display once two in a row are the same: then xterm has drawn.
func (d *display) photo(name string) string {
	d.Helper()
	file := filepath.Join(d.TempDir(), name+".png")
	var last []byte
	until(d, "a picture of the terminal", 20*time.Second, func() bool {
		run(d, installed(d, "import"), "-display", d.name, "-window", "root", file)
		picture, err := os.ReadFile(file)
		if err != nil {
			d.Fatal(err)
		}
		same := bytes.Equal(picture, last)
		last = picture
		time.Sleep(100 * time.Millisecond)
		return same
	})
	if err := keepPicture(name, last); err != nil {
		d.Fatal(err)
	}
	return file
}

func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

// camera is a Chromium whose camera sees a file.
type camera struct {
	*chromium
	film string
}

func startCamera(t testing.TB) *camera {
	t.Helper()
	film := filepath.Join(t.TempDir(), "film.mjpeg")
	c := &camera{film: film, chromium: startChromium(t, chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-file-for-fake-video-capture", film))}
	t.Cleanup(c.end)
	return c
}

// points the camera at the code in a picture of the terminal, by a hand that is not quite straight: a film of one frame.
func (c *camera) points(t testing.TB, picture string) {
	t.Helper()
	jpeg := run(t, installed(t, "convert"), picture, "-crop", "470x500+0+0", "+repage", "-background", "gray40", "-rotate", "4", "-resize", "1280x680",
		"-gravity", "center", "-extent", "1280x720", "-quality", "85", "jpeg:-")
	if err := os.WriteFile(c.film, bytes.Repeat([]byte(jpeg), 10), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sameLink reports whether a code's text is the link that was printed: a code is written in capitals.
func sameLink(read, printed string) bool { return strings.EqualFold(strings.TrimSpace(read), printed) }

// B097: the code as a real terminal draws it, in a light and in a dark theme, is read by a QR reader and by the phone app's own scanner, and
// pairs.
func TestB097_QRInLightAndDarkThemes(t *testing.T) {
	m, camera := startUp(t), startCamera(t)
	d := startDisplay(t)
	for _, th := range themes {
		t.Run(th.name, func(t *testing.T) {
			d := &display{TB: t, process: d.process, name: d.name}
			tm := openTerminal(t, m.args("pair", "--qr")...)
			link := tm.theLink()
			tm.reads(`then type the six digits that the device shows`)
			d.xterm(th, []byte(tm.said.String()))
			photo := d.photo("qr-" + th.name)
			if read := run(t, installed(t, "zbarimg"), "--quiet", "--raw", photo); !sameLink(read, link) {
				t.Errorf("zbarimg reads %q, the terminal printed %q", read, link)
			}
			camera.points(t, photo)
			p := newPhoneIn(t, camera.chromium)
			p.open(m.url() + "/")
			p.tap("Open the camera")
			p.reads("Pair with " + host(t) + " on " + host(t) + "?")
			p.tap("Pair")
			tm.reads(`digits: $`)
			tm.types(p.sixDigits())
			tm.reads("paired.  try it: answerback try")
			p.reads("Paired with " + host(t) + ".")
		})
	}
}
