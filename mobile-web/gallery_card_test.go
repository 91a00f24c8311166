package mobileweb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"answerback/test/browser"
)

// Where Allow is, and when it listens.

// buttons are the words of the card's answer buttons, in order.
const buttons = `[...document.querySelectorAll("main .bar button")].map((b) => b.firstElementChild ? b.firstElementChild.firstChild.textContent : b.textContent)`

// answers are the decisions that reached the core.
const answers = `core.asked.filter((a) => a.what === "answer").map((a) => a.args[2])`

const calm = `document.querySelector("[data-guard]") === null`

// newTab opens one tab of a fresh browser at a phone's size.
func newTab(t testing.TB) tab {
	t.Helper()
	tb := tab{t, browser.NewChromium(t).Page(t), gallery(t)}
	tb.size(390, 844)
	tb.media("light")
	return tb
}

// point is the middle of the element that the expression gives.
func (tb tab) point(element string) (x, y float64) {
	tb.Helper()
	at := ask[[]float64](tb, fmt.Sprintf("(() => { const r = (%s).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()", element))
	return at[0], at[1]
}

// press is a real, trusted click in the middle of the element.
func (tb tab) press(element string) {
	tb.Helper()
	x, y := tb.point(element)
	tb.do(chromedp.MouseClickXY(x, y))
	tb.frames()
}

func (tb tab) mouse(kind input.DispatchMouseEventType, x, y float64) {
	tb.Helper()
	tb.do(chromedp.MouseEvent(kind, x, y, chromedp.Button("left"), chromedp.ClickCount(1)))
}

func button(word string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("main .bar button, .sheet .send button")].findLast((b) => b.textContent.startsWith(%q))`, word)
}

func TestNoAllowWhereItMustNotBe(t *testing.T) {
	tb := newTab(t)
	alone := []string{"card-too-large", "card-twice", "card-nothing", "card-no-passkey", "no-allow-undecodable", "no-allow-empty", "no-allow-log", "no-allow-roster"}
	for _, state := range alone {
		tb.open(state, "en")
		if got := ask[[]string](tb, buttons); !slices.Equal(got, []string{"Deny"}) {
			t.Errorf("%s: the bar holds %q, want Deny alone", state, got)
		}
		if fill := ask[bool](tb, `document.querySelector("main .bar button").classList.contains("fill")`); !fill {
			t.Errorf("%s: Deny is not filled", state)
		}
	}
	for _, state := range []string{"no-allow-expired", "no-allow-already", "no-allow-watcher", "end-expired"} {
		tb.open(state, "en")
		if ask[bool](tb, `document.querySelector(".bar") !== null`) || ask[bool](tb, `document.querySelector("main .why.plain h2") === null`) {
			t.Errorf("%s: wants a reason and no bar:\n%s", state, ask[string](tb, "document.body.innerText"))
		}
	}
}

func TestDenyStandsFirst(t *testing.T) {
	tb := newTab(t)
	for state, want := range map[string][]string{
		"card-routine": {"Deny", "Allow"}, "card-sensitive": {"Deny", "Allow"}, "card-destructive": {"Deny", "Allow"}, "card-long": {"Deny", "Allow"},
		"card-admit": {"Deny", "Allow"}, "card-quorum": {"Deny", "Allow"}, "card-question": {"Decline", "Send answers"},
	} {
		tb.open(state, "en")
		if got := ask[[]string](tb, buttons); !slices.Equal(got, want) {
			t.Errorf("%s: the bar holds %q, want %q", state, got, want)
		}
	}
	tb.open("card-destructive", "en")
	if got := ask[[]bool](tb, `[...document.querySelectorAll("main .bar .pair button")].map((b) => b.classList.contains("fill"))`); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("destructive: filled are %v, want Deny only", got)
	}
}

func TestListOffersAllowForRoutineOnly(t *testing.T) {
	tb := newTab(t)
	tb.open("home", "en")
	got := ask[[]string](tb, `[...document.querySelectorAll("article.card .pair")].map((p) => [...p.children].map((b) => b.textContent).join(" "))`)
	if want := []string{"Deny Open", "Deny Allow", "Deny Open"}; !slices.Equal(got, want) {
		t.Errorf("the list offers %q, want %q", got, want)
	}
}

func TestGuardVoidsEarlyTaps(t *testing.T) {
	tb := newTab(t)
	for _, word := range []string{"Allow", "Deny"} {
		tb.open("card-routine", "en")
		if ask[bool](tb, calm) {
			t.Fatal("a card that has just appeared listens already")
		}
		x, y := tb.point(button(word))
		tb.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
		tb.wait(calm) // the finger stays down until the guard has ended
		tb.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
		time.Sleep(100 * time.Millisecond)
		if got := ask[[]string](tb, answers); len(got) != 0 {
			t.Errorf("%s: a tap that began in the guard answered %q", word, got)
		}
		tb.eval(button(word) + ".click(); true")
		if got := ask[[]string](tb, answers); len(got) != 1 {
			t.Errorf("%s: after the guard it answered %q, want once", word, got)
		}
	}
}

func TestGuardHoldsForKeysAndScripts(t *testing.T) {
	tb := newTab(t)
	tb.open("card-routine", "en")
	got := ask[[]string](tb, fmt.Sprintf(`(() => { %s.click(); %s.click(); return %s; })()`, button("Allow"), button("Deny"), answers))
	if len(got) != 0 {
		t.Errorf("within the guard a click answered %q", got)
	}
}

func TestGuardRisesWhenThePageMoves(t *testing.T) {
	tb := newTab(t)
	tb.open("card-routine", "en")
	tb.wait(calm)
	tb.eval(`document.querySelector("main section").append(document.createElement("p"), ...Array.from({ length: 40 }, () => document.createElement("hr"))); true`)
	tb.frames()
	if ask[bool](tb, calm) {
		t.Error("the page grew above the bar, and the buttons still listen")
	}
	tb.open("card-long", "en")
	tb.wait(calm)
	tb.eval("new Promise((d) => { setTimeout(() => { scrollTo(0, 300); d(true); }, 400); })")
	tb.frames()
	if ask[bool](tb, calm) {
		t.Error("the window scrolled by itself, and the buttons still listen")
	}
}

func TestNewCallInTheListRaisesTheGuard(t *testing.T) {
	tb := newTab(t)
	tb.open("home", "en")
	tb.wait(calm)
	tb.eval("added(); true")
	tb.frames()
	if ask[bool](tb, calm) {
		t.Error("a call was added, and the buttons still listen")
	}
	last := ask[string](tb, `[...document.querySelectorAll("article.card .tag")].at(-1).textContent`)
	if last != "Sensitive" {
		t.Errorf("the new call stands elsewhere than at the end: %q is there", last)
	}
	if said := ask[string](tb, `document.querySelector("[role=alert]").textContent`); !strings.HasPrefix(said, "New call from deploy-bot, Sensitive, until ") {
		t.Errorf("the alert says %q", said)
	}
}

func TestAllowOpensAtTheEndOfALongCall(t *testing.T) {
	tb := newTab(t)
	tb.open("card-long", "en")
	tb.wait(calm)
	shut := button("Allow") + `.getAttribute("aria-disabled") === "true"`
	tb.wait(shut)
	tb.press(button("Allow"))
	if got := ask[[]string](tb, answers); len(got) != 0 {
		t.Fatalf("an unread call was answered: %q", got)
	}
	const toEnd = `document.querySelector("[data-end]").scrollIntoView({ block: "center" })`
	tb.eval(toEnd + "; true")
	tb.eval("new Promise((d) => setTimeout(() => { scrollTo(0, 0); d(true); }, 300))") // a glance of 300 ms is no reading
	time.Sleep(700 * time.Millisecond)
	if !ask[bool](tb, shut) {
		t.Fatal("Allow opened though the end was on screen for 300 ms only")
	}
	tb.eval(toEnd + "; true")
	tb.frames()
	if !ask[bool](tb, shut) {
		t.Fatal("Allow opened as soon as the end came into sight")
	}
	tb.wait("!(" + shut + ")")
	tb.wait(calm)
	tb.press(button("Allow"))
	if got := ask[[]string](tb, answers); !slices.Equal(got, []string{"allow"}) {
		t.Errorf("after reading, the core heard %q", got)
	}
}

func TestReadingIsKeptForThatCardOnly(t *testing.T) {
	tb := newTab(t)
	tb.open("card-long", "en")
	tb.eval(`document.querySelector("[data-end]").scrollIntoView({ block: "center" }); true`)
	shut := button("Allow") + `.getAttribute("aria-disabled") === "true"`
	tb.wait("!(" + shut + ")")
	tb.eval(`location.hash = "#/"; true`)
	tb.wait(`document.querySelector("h1").textContent === "Waiting"`)
	tb.eval(`history.back(); true`)
	tb.wait(`document.querySelector("h1").textContent.includes("wants to run")`)
	if ask[bool](tb, shut) {
		t.Error("what was read was forgotten on coming back")
	}
	tb.open("card-one-line", "en")
	tb.wait(shut)
}
