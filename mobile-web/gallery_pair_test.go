package mobileweb_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/skip2/go-qrcode"

	"answerback/test/browser"
)

// The app as it is, with its own core, starts under a relay's content policy and offers pairing.
func TestTheAppItselfStarts(t *testing.T) {
	tb := newTab(t)
	browser.Open(tb, tb.page, tb.url+"/app.html")
	tb.wait(`document.querySelector("main h1")?.textContent === "Pair with a machine"`)
	tb.eval(`location.hash = "#/pair/paste"; true`)
	tb.wait(`document.querySelector("#l") !== null`)
	tb.eval(`(() => { const b = document.querySelector("#l"); b.value = "https://example.org/p#NOTACODE"; b.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`)
	tb.press(`document.querySelector(".bar button")`)
	tb.wait(`document.querySelector("main h1")?.textContent === "This is not an Answerback code."`)
}

// A code before a camera: it is asked for on the tap, read by the decoder that is loaded then, and let go.
func TestScan(t *testing.T) {
	const link = "HTTPS://RELAY.EXAMPLE.ORG/P#AHZ6Q3MN4V7KD2XW5TB8YJ3RC6GPF9LS2UE4HN7QKZ5MV8WD3XT6YB2JR9CG5PF4LABCDEFGHIJ"
	tb := newCameraTab(t, film(t, link))
	tb.open("pair-start", "en")
	tb.press(`document.querySelector(".bar button")`)
	tb.wait(`core.asked.some((a) => a.what === "pair")`)
	if got := ask[string](tb, `core.asked.find((a) => a.what === "pair").args[0]`); got != link {
		t.Errorf("the code was read as %q", got)
	}
	tb.wait(`document.querySelector("video") === null`)
}

func TestScanStopsWhenLeft(t *testing.T) {
	tb := newCameraTab(t, film(t, ""))
	tb.open("pair-start", "en")
	tb.eval(`(() => { const get = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices); globalThis.got = []; navigator.mediaDevices.getUserMedia = async (c) => { const s = await get(c); got.push(...s.getTracks()); return s; }; return true; })()`)
	tb.press(`document.querySelector(".bar button")`)
	tb.wait(`document.querySelector("video")?.srcObject?.active === true`)
	if got := ask[string](tb, `document.querySelector("[role=status]").textContent`); got != "Looking for a code…" {
		t.Errorf("it says %q", got)
	}
	tb.eval("history.back(); true")
	tb.wait(`document.querySelector("video") === null`)
	tb.wait(`got.length === 1 && got[0].readyState === "ended"`)
}

// newCameraTab opens a tab whose camera plays a film.
func newCameraTab(t testing.TB, film string) tab {
	t.Helper()
	chromium := browser.NewChromium(t, chromedp.Flag("use-fake-ui-for-media-stream", true), chromedp.Flag("use-fake-device-for-media-stream", true),
		chromedp.Flag("use-file-for-fake-video-capture", film))
	tb := tab{t, chromium.Page(t), gallery(t)}
	tb.size(390, 844)
	return tb
}

// film is a motion JPEG of a terminal that shows the code of a link, or of an empty terminal.
func film(t testing.TB, link string) string {
	t.Helper()
	frame := image.NewRGBA(image.Rect(0, 0, 640, 480))
	draw.Draw(frame, frame.Bounds(), image.NewUniform(color.RGBA{20, 23, 26, 255}), image.Point{}, draw.Src)
	if link != "" {
		code, err := qrcode.New(link, qrcode.Low)
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(frame, image.Rect(160, 80, 480, 400), code.Image(320), image.Point{}, draw.Src)
	}
	var one bytes.Buffer
	if err := jpeg.Encode(&one, frame, nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "camera.mjpeg")
	if err := os.WriteFile(name, []byte(strings.Repeat(one.String(), 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
