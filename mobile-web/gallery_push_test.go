package mobileweb_test

import "testing"

// Nobody is asked before the tap: the button after a pairing turns notifications on, then a test goes out by itself and is said to have come
// only when the machine has this phone's word.
func TestNotificationsAreTurnedOnAfterPairing(t *testing.T) {
	tb := newTab(t)
	tb.open("paired-silent", "en")
	if n := ask[int](tb, `core.asked.filter((a) => a.what === "enablePush" || a.what === "testPush").length`); n != 0 {
		t.Errorf("asked %d times before the tap", n)
	}
	if n := ask[int](tb, `document.querySelectorAll("main input:checked").length`); n != 0 {
		t.Errorf("%d choices are made beforehand", n)
	}
	tb.press(`document.querySelector(".steps button")`)
	tb.wait(`core.asked.some((a) => a.what === "enablePush") && core.asked.some((a) => a.what === "testPush")`)
	tb.wait(`/^Notifications reach this phone/.test(document.querySelector(".steps li.done").innerText)`)
	tb.press(`document.querySelector(".steps input")`)
	tb.wait(`core.asked.some((a) => a.what === "setLockScreen" && a.args[1] === "answer")`)
}

// A test that does not come back is said, and can be sent again.
func TestATestThatDoesNotArrive(t *testing.T) {
	tb := newTab(t)
	tb.open("paired-untested", "en")
	tb.wait(`/did not arrive/.test(document.querySelector(".steps").innerText) && document.querySelector(".steps li.done") === null`)
	tb.press(`document.querySelector(".steps button")`)
	tb.wait(`core.asked.filter((a) => a.what === "testPush").length === 2`)
}

// Settings says how it stands and changes it; the first screen says when calls do not ring.
func TestNotificationsInSettings(t *testing.T) {
	tb := newTab(t)
	tb.open("settings-silent", "en")
	row := `[...document.querySelectorAll(".row")].find((r) => /^Notifications/.test(r.innerText))`
	tb.wait(`/Push does not reach this phone/.test(` + row + `.innerText)`)
	tb.press(row + `.querySelector("button")`)
	tb.wait(`core.asked.some((a) => a.what === "enablePush") && /Calls ring this phone/.test(` + row + `.innerText)`)
	tb.press(row + `.querySelector("button")`)
	tb.wait(`core.asked.some((a) => a.what === "disablePush") && /Notifications are off/.test(` + row + `.innerText)`)
	tb.open("home-silent", "en")
	tb.wait(`document.querySelector("main a[href='#/settings']") !== null`)
}
