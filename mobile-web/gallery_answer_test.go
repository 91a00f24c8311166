package mobileweb_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What an answer carries, and what the screen says after it.

// asked are the arguments of the answers that reached the core, without machine and request id.
const asked = `core.asked.filter((a) => a.what === "answer").map((a) => JSON.stringify(a.args.slice(2)))`

func TestAlwaysIsUntickedAndNamesItsRule(t *testing.T) {
	tb := newTab(t)
	tb.open("card-rules", "en")
	if ask[bool](tb, `document.querySelector(".always input").checked`) {
		t.Fatal("Always is ticked by itself")
	}
	tb.press(`document.querySelector(".always input")`)
	tb.wait(`document.querySelector("#al") !== null`)
	tb.eval(`(() => { const s = document.querySelector("#al"); s.value = "3"; s.dispatchEvent(new Event("change", { bubbles: true })); return true; })()`)
	tb.wait(`document.querySelector(".always .choice").textContent.includes("At most 1 use.")`)
	tb.wait(calm)
	tb.press(button("Allow"))
	if got := ask[[]string](tb, asked); !slices.Equal(got, []string{`["allow",{"rule":3}]`}) {
		t.Errorf("the core heard %q", got)
	}
	tb.open("card-destructive", "en")
	if ask[bool](tb, `document.querySelector(".always") !== null`) {
		t.Error("a destructive call offers a rule")
	}
}

func TestDenySheet(t *testing.T) {
	tb := newTab(t)
	tb.open("card-routine", "en")
	tb.wait(calm)
	tb.press(`document.querySelector(".bar a.btn.plain")`)
	tb.wait(`document.querySelector(".sheet") !== null`)
	if !ask[bool](tb, `document.querySelector(".app").inert && document.activeElement.id === "ds"`) {
		t.Error("the page behind is not inert, or the focus is not on the sheet's heading")
	}
	tb.do(chromedp.KeyEvent("\x1b"))
	tb.wait(`document.querySelector(".sheet") === null`)
	if !ask[bool](tb, `document.activeElement.matches(".bar a.btn.plain") && !document.querySelector(".app").inert`) {
		t.Error("the focus did not return to what opened the sheet")
	}
	tb.wait(calm)
	tb.press(`document.querySelector(".bar a.btn.plain")`)
	tb.wait(`document.querySelector(".sheet") !== null`)
	tb.press(`[...document.querySelectorAll(".quick button")][2]`)
	if got := ask[[]string](tb, asked); len(got) != 0 {
		t.Fatalf("quick words were sent by themselves: %q", got)
	}
	if got := ask[string](tb, `document.querySelector("#dw").value`); got != "Do a dry run first." {
		t.Errorf("the box holds %q", got)
	}
	tb.wait(calm)
	tb.press(button("Deny"))
	tb.wait(asked + ".length === 1")
	if got := ask[[]string](tb, asked); got[0] != `["deny",{"words":"Do a dry run first."}]` {
		t.Errorf("the core heard %q", got)
	}
	tb.wait(`document.querySelector(".sheet") === null`)
}

func TestWordsFitAnAnswer(t *testing.T) {
	tb := newTab(t)
	tb.open("deny-sheet", "en")
	tb.eval(`(() => { const b = document.querySelector("#dw"); b.value = "é".repeat(4000); b.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`)
	tb.frames()
	if n := ask[int](tb, `new TextEncoder().encode(document.querySelector("#dw").value).length`); n > 4096 || n < 3900 {
		t.Errorf("the box holds %d bytes", n)
	}
}

func TestQuestionIsAnsweredWhole(t *testing.T) {
	tb := newTab(t)
	tb.open("card-question", "en")
	tb.wait(calm)
	tb.press(button("Send"))
	if got := ask[[]string](tb, asked); len(got) != 0 {
		t.Fatalf("open questions were sent: %q", got)
	}
	tb.eval(`document.querySelectorAll("input[type=radio]")[1].click(); document.querySelectorAll("input[type=checkbox]")[0].click(); document.querySelectorAll("input[type=checkbox]")[1].click(); true`)
	tb.eval(`(() => { const b = document.querySelector("#o1"); b.value = "gofmt too"; b.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`)
	tb.wait(button("Send") + `.getAttribute("aria-disabled") === null`)
	tb.wait(calm)
	tb.press(button("Send"))
	got := ask[[]string](tb, asked)
	const want = `["answered",{"answers":"{\"Which database should the tests use?\":\"PostgreSQL in a container\",\"Which checks should run before each commit?\":[\"go vet\",\"staticcheck\",\"gofmt too\"]}"}]`
	if len(got) != 1 || got[0] != want {
		t.Errorf("the core heard %q", got)
	}
}

func TestNothingIsSentWithoutThePasskey(t *testing.T) {
	tb := newTab(t)
	tb.open("passkey-failed", "en")
	tb.wait(calm)
	tb.press(button("Allow"))
	tb.wait(`document.querySelector(".bar").textContent.includes("Passkey not confirmed. Nothing was sent.")`)
	if got := ask[[]string](tb, buttons); !slices.Equal(got, []string{"Deny", "Allow"}) {
		t.Errorf("the card did not stay: %q", got)
	}
}

// Nothing but a receipt or settled prints a stamp, and only a receipt prints a blue one.
func TestOnlyTheFarEndStamps(t *testing.T) {
	tb := newTab(t)
	for state, want := range map[string]string{
		"card-routine": "", "end-sending": "none", "end-not_delivered": "none", "end-no_receipt": "none", "end-allowed": "blue", "end-denied": "blue", "end-counted": "blue", "end-too_late": "grey",
		"end-answered": "grey", "end-refused": "grey", "end-undelivered": "grey", "end-unknown": "grey", "end-terminal": "grey", "end-elsewhere": "grey", "end-withdrawn": "grey", "end-handed_back": "grey", "end-expired": "",
	} {
		tb.open(state, "en")
		got := ask[string](tb, `(() => { const s = document.querySelector(".stamp"); return !s ? "" : s.classList.contains("none") ? "none" : s.classList.contains("grey") ? "grey" : "blue"; })()`)
		if got != want {
			t.Errorf("%s: the stamp is %q, want %q", state, got, want)
		}
		if text := ask[string](tb, "document.querySelector('main').innerText"); strings.Contains(text, "Allowed") != (state == "end-allowed") {
			t.Errorf("%s: it says Allowed where no receipt did, or does not where one did:\n%s", state, text)
		}
	}
}

// Every key of the input is on the screen, and no hidden character is there as itself.
func TestNothingOfACallIsDropped(t *testing.T) {
	tb := newTab(t)
	tb.open("card-fields", "en")
	for _, want := range []string{"what z", "count 1.50", "list [1, 2,\n  {\"a\":\"b\"}]", "note two\nlines"} {
		if text := ask[string](tb, `document.querySelector(".slip").innerText`); !strings.Contains(text, want) {
			t.Errorf("the slip does not hold %q:\n%s", want, text)
		}
	}
	tb.open("card-long", "en")
	if hidden := ask[bool](tb, `/[\u200b\u202e\u2069\u001b]/.test(document.body.textContent)`); hidden {
		t.Error("a hidden character is on the page as itself")
	}
	if n := ask[int](tb, `document.querySelectorAll(".slip .hid").length`); n != 5 {
		t.Errorf("the slip shows %d hidden characters, want 5", n)
	}
	tb.open("card-edit", "en")
	if got := ask[string](tb, `document.querySelector(".slip-head .num").innerText`); got != "Edit · 8 added, 2 removed" {
		t.Errorf("the edit is counted as %q", got)
	}
}

func TestATabOfIOSUsesNoCode(t *testing.T) {
	tb := newTab(t)
	tb.open("ios-install", "en")
	if got := tb.eval(`core.asked`); string(got) != "[]" {
		t.Errorf("the code was used: %s", got)
	}
	if got := ask[string](tb, `document.querySelector("h1").textContent`); got != "Install first, then scan" {
		t.Errorf("the screen is %q", got)
	}
}

// A link is used once, leaves the address bar at once, and a changed name goes with the pairing.
func TestALinkPairsUnderTheNameChosen(t *testing.T) {
	tb := newTab(t)
	tb.open("pair-confirm", "en")
	if at := ask[string](tb, "location.href"); strings.Contains(at, "AHZ6") {
		t.Errorf("the secret is still in the address: %s", at)
	}
	tb.eval(`(() => { const n = document.querySelector("#n"); n.value = "Ana’s phone"; n.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`)
	tb.frames()
	tb.press(`[...document.querySelectorAll(".bar button")][1]`)
	tb.wait(`core.asked.some((a) => a.what === "confirm")`)
	var all []struct {
		What string
		Args []string
	}
	if err := json.Unmarshal(tb.eval("core.asked"), &all); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range all {
		said = append(said, a.What+" "+strings.Join(a.Args[min(1, len(a.Args)):], ""))
	}
	if want := []string{"pair Chrome", "cancel ", "pair Ana’s phone", "confirm "}; !slices.Equal(said, want) {
		t.Errorf("the core heard %q, want %q", said, want)
	}
}
